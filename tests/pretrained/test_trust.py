"""What pretrained weights say about cases of the solvers: usual ones, and others."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import llt
from llt import pretrained
from llt.pretrained.card import read_card
from llt.solvers.darcy import Settings, solve_sample
from llt.solvers.elasticity.mesh import Mesh, morph, quadrature, template
from llt.solvers.elasticity.void import draw_theta, radius


@pytest.mark.parametrize(
    "name", sorted(path.parent.name for path in pretrained.HOME.glob("*/card.json"))
)
def test_all_have_bars(name):
    surrogate = llt.load(f"pretrained:{name}")
    assert surrogate.trust.cases == read_card(pretrained.HOME / name).data["splits"]["val"]
    assert surrogate.trust.bars.keys() == set(surrogate.problem.output_names)
    assert 0 < surrogate.trust.error < 0.01
    assert max(surrogate.trust.bars.values()) < 0.02 * surrogate.typical_output


def points(mesh: Mesh):
    return quadrature(mesh).points.reshape(-1, 2)


def test_larger_voids_are_unfamiliar_to_elasticity():
    surrogate, rng = llt.load("pretrained:elasticity"), np.random.default_rng(77)
    usual = [points(morph(template(), partial(radius, draw_theta(rng)))) for _ in range(10)]
    assert max(far.value for x in usual for far in surrogate.distances(x)) < 1
    for size in (0.42, 0.45, 0.15):
        x = points(morph(template(), lambda phi, size=size: np.full_like(phi, size)))
        assert surrogate.distances(x)[0].value > 1
    assert surrogate.distances(usual[0] + 0.05)[0].value > 1
    assert surrogate.distances(1.1 * usual[0])[0].value > 1


def test_other_contrasts_are_unfamiliar_to_darcy():
    surrogate, rng = llt.load("pretrained:darcy"), np.random.default_rng(77)
    settings = Settings(resolution=85, stored_resolution=85)
    for _ in range(5):
        a = solve_sample(rng, settings).inputs["permeability"].reshape(85, 85)
        assert surrogate.distances(a={"permeability": a})[0].value < 1
        for low, high in ((3, 14), (3, 24), (1, 12)):
            (found,) = surrogate.distances(a={"permeability": np.where(a > 7, high, low)})
            assert found.value > 1
            assert found.group == "field permeability"
    other = solve_sample(rng, replace(settings, high=30.0)).inputs["permeability"]
    assert surrogate.distances(a={"permeability": other.reshape(85, 85)})[0].value > 1
