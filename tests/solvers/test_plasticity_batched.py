"""Many dice at once: the numbers of the solver for one, whatever the batch."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.errors import SolverError
from llt.solvers import sample_rng
from llt.solvers.base import Solution
from llt.solvers.plasticity import Settings, batched, solve_die, solve_sample, tensors
from tests.conftest import DEVICES

TINY = Settings(nx=20, ny=6, frames=4, drop=1.0)


def solved(count, settings, *, first=0, device="cpu"):
    rngs = [sample_rng(0, first + index) for index in range(count)]
    return batched.solve_samples(rngs, settings, device=device)


def assert_same(solution, reference, tolerance):
    np.testing.assert_array_equal(solution.points, reference.points)
    np.testing.assert_array_equal(solution.times, reference.times)
    np.testing.assert_array_equal(solution.inputs["die"], reference.inputs["die"])
    assert solution.outputs.keys() == reference.outputs.keys()
    for name, values in reference.outputs.items():
        error = np.linalg.norm(solution.outputs[name] - values) / np.linalg.norm(values)
        assert error < tolerance, name
    assert solution.info == pytest.approx(reference.info, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("device", DEVICES)
def test_agrees_with_the_solver_for_one_sample(device):
    found = solved(3, TINY, device=device)
    references = [solve_sample(sample_rng(0, index), TINY) for index in range(3)]
    for solution, reference in zip(found, references, strict=True):
        assert_same(solution, reference, tolerance=1e-8)
    # each took as many steps as it needs
    assert len({reference.info["steps"] for reference in references}) > 1


def test_samples_do_not_depend_on_their_batch():
    settings = replace(TINY, frames=2, drop=0.2)
    together, apart = solved(3, settings), solved(2, settings) + solved(1, settings, first=2)
    for solution, reference in zip(apart, together, strict=True):
        assert_same(solution, reference, tolerance=1e-12)


def test_one_sample_that_fails_leaves_the_others():
    settings = Settings(nx=16, ny=6, frames=3, drop=6.0, speed=30.0)
    spike, flat = np.full(17, 20.0), np.full(17, 20.0)
    spike[8] = 0
    enough = solve_die(flat, settings).clock.steps + 30
    settings = replace(settings, max_steps=enough)
    with pytest.raises(SolverError, match=r"max_steps=.* is not enough") as alone:
        solve_die(spike, settings)
    first, second = batched.solve_dice([spike, flat], settings, device=torch.device("cpu"))
    assert isinstance(first, SolverError)
    assert str(first) == str(alone.value)
    assert isinstance(second, Solution)
    expected = solve_die(flat, settings).positions[..., 1]
    np.testing.assert_allclose(second.outputs["y"], expected, rtol=1e-8)


def test_a_fold_and_what_is_not_stable_are_found(monkeypatch):
    settings = replace(TINY, step=0.9, viscosity=0.5, drop=0.5)
    (result,) = solved(1, settings)
    assert "a smaller step may help" in str(result)
    x, y = batched.undeformed(TINY)
    folded = x, np.ascontiguousarray(y[::-1])
    monkeypatch.setattr(batched, "undeformed", lambda settings: folded)
    (result,) = solved(1, TINY)
    assert str(result) == "plasticity: an element has folded at 0 ms, after 0 steps"


def test_a_step_is_one_graph():
    """Nothing in it asks for a value, so that a GPU never waits."""
    x = batched._still(TINY, 2, torch.device("cpu"))
    setup = batched.make_setup(TINY)
    dice = [batched.make_die(np.array([8.0, k, 8.0]), TINY) for k in (0.0, 3.0)]
    scene = batched._scene(dice, setup, torch.device("cpu"))
    dt = torch.full((2, 1, 1), 1e-7, dtype=torch.float64)
    moving = torch.tensor([True, False]).view(2, 1, 1)
    traced = torch.compile(tensors.step, fullgraph=True, backend="eager")
    once = tensors.step(x, dt, moving, scene)
    for ours, reference in zip(traced(x, dt, moving, scene), once, strict=True):
        np.testing.assert_array_equal(ours, reference)
    torch.compiler.reset()
    # the one that does not move is as it was
    for before, after in zip(x, once, strict=True):
        np.testing.assert_array_equal(before[1], after[1])
    assert once.time.flatten().tolist() == [1e-7, 0]
