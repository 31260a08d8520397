"""The plain alternatives find the same solutions as the solvers that are compared with them."""

import pytest

from llt.bench.rivals import airfoil, car, darcy, elasticity, find_rival, pipe, plasticity
from llt.solvers import SOLVERS
from llt.solvers.airfoil import Settings as Airfoil
from llt.solvers.car import Settings as Car
from llt.solvers.darcy import Settings as Darcy
from llt.solvers.elasticity import Settings as Elasticity
from llt.solvers.pipe import Settings as Pipe
from llt.solvers.plasticity import Settings as Plasticity


@pytest.mark.parametrize(
    ("rival", "settings", "tolerance"),
    [
        (darcy, Darcy(resolution=41, stored_resolution=41), 1e-9),
        (elasticity, Elasticity(), 1e-10),
        (pipe, Pipe(elements=8), 1e-9),
        (airfoil, Airfoil(panels=16, wake=12, layers=12), 1e-5),
        (car, Car(preset="smoke"), 1e-6),
        (plasticity, Plasticity(nx=16, ny=6), 1e-8),
    ],
    ids=["darcy", "elasticity", "pipe", "airfoil", "car", "plasticity"],
)
def test_both_find_the_same_solution(rival, settings, tolerance):
    found = rival.compare(0, settings)
    assert found.deviation < tolerance
    assert found.ours_s > 0
    assert found.plain_s > 0


def test_every_solver_has_a_rival():
    for problem in SOLVERS:
        assert find_rival(problem).PLAIN
