from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.errors import SolverError
from llt.solvers import darcy, darcy_torch
from llt.solvers.base import Solution, sample_rng
from llt.solvers.darcy import Settings
from tests.conftest import DEVICES

SMALL = Settings(resolution=85)


def on_torch(num_samples: int, settings: Settings, *, first: int = 0, device: str = "cpu") -> list:
    rngs = [sample_rng(0, first + i) for i in range(num_samples)]
    return darcy_torch.solve_samples(rngs, settings, device=device)


def assert_same(solution: Solution, reference: Solution, tolerance: float) -> None:
    np.testing.assert_array_equal(solution.points, reference.points)
    for name, values in reference.inputs.items():
        np.testing.assert_array_equal(solution.inputs[name], values)
    for name, values in reference.outputs.items():
        error = np.linalg.norm(solution.outputs[name] - values) / np.linalg.norm(values)
        assert error < tolerance


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "settings",
    [
        Settings(resolution=169),
        Settings(resolution=169, variant="nodal"),
        # 0.1 tells single from double precision, 3 and 12 do not
        replace(SMALL, low=0.1, high=0.7, alpha=2.5, tau=5.0),
    ],
    ids=["spline", "nodal", "other constants"],
)
def test_agrees_with_the_cpu_solver(settings, device):
    for i, solution in enumerate(on_torch(3, settings, device=device)):
        reference = darcy.solve_sample(sample_rng(0, i), settings)
        assert_same(solution, reference, tolerance=1e-10)
        assert solution.info["iterations"] == pytest.approx(reference.info["iterations"], abs=1)
        assert solution.info["residual"] <= settings.tolerance


def test_samples_do_not_depend_on_their_batch():
    together, apart = on_torch(5, SMALL), on_torch(2, SMALL) + on_torch(3, SMALL, first=2)
    for solution, reference in zip(apart, together, strict=True):
        assert_same(solution, reference, tolerance=1e-12)
        assert solution.info["iterations"] == reference.info["iterations"]


def test_one_sample_that_fails_leaves_the_others():
    settings = replace(SMALL, max_iterations=24)
    results = on_torch(3, settings)
    assert [type(result) for result in results] == [Solution, SolverError, Solution]
    with pytest.raises(SolverError) as on_the_cpu:
        darcy.solve_sample(sample_rng(0, 1), settings)
    assert str(results[1]) == str(on_the_cpu.value)
    assert_same(results[2], darcy.solve_sample(sample_rng(0, 2), settings), tolerance=1e-8)


def test_draws_that_the_splines_spoil_are_refused():
    results = darcy_torch.solve_samples(
        [sample_rng(0, index) for index in (42, 43, 232)],
        Settings(resolution=43, stored_resolution=43),
        device="cpu",
    )
    assert [type(result) for result in results] == [SolverError, Solution, SolverError]
    assert "pressure from -" in str(results[0])
    assert "pressure from 0 to 0.042" in str(results[2])


def test_converged_samples_stand_still():
    n = 41
    a, f = torch.full((3, n, n), 5.0, dtype=torch.float64), torch.ones((3, n, n)).double()
    a[1, 10:20, 10:30] = 80
    f[2] = 0
    u, iterations, residual = darcy_torch.solve(
        a, f, face_mean="harmonic", tolerance=1e-10, max_iterations=100
    )
    assert iterations[0] == 1 and iterations[1] > 10 and iterations[2] == 0
    assert residual.max() <= 1e-10
    assert not u[2].any()
    for i in range(3):
        reference, _ = darcy.solve(a[i].numpy(), f[i].numpy())
        np.testing.assert_allclose(u[i].numpy(), reference, rtol=1e-8, atol=1e-15)


def test_a_sample_that_is_not_a_number_does_not_pass_as_solved():
    a = torch.full((2, 21, 21), 5.0, dtype=torch.float64)
    a[0, 3, 3] = torch.nan
    _, _, residual = darcy_torch.solve(
        a, torch.ones_like(a), face_mean="arithmetic", tolerance=1e-10, max_iterations=100
    )
    assert residual[0].isnan() and residual[1] <= 1e-10
    info = {"iterations": 3, "residual": float("nan"), "min_pressure": 0, "max_pressure": 0}
    with pytest.raises(SolverError, match="residual nan after 3 iterations"):
        darcy.solution(a[0].numpy(), a[0].numpy(), info, SMALL)
