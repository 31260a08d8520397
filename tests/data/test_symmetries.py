"""The tables of a problem's symmetries, and that they are those of a group."""

from dataclasses import replace
from operator import attrgetter

import pytest
import torch

from llt.data.symmetries import Group, fits, group_tables
from llt.errors import DataError
from llt.problem import CAR, DARCY, PROBLEMS, Symmetry
from tests.conftest import POINTS

CPU = torch.device("cpu")
DECLARED = [problem for problem in PROBLEMS.values() if problem.symmetries]
CHANGED = {"output_signs": -1.0, "output_shifts": 3.0}
QUARTER = Symmetry(name="quarter", matrix=((0.0, -1.0), (1.0, 0.0)), offset=(0.0, 0.0))


def composed(group, g, h):
    """All that makes up an element: first g, then h."""
    order = None if group.order is None else group.order[g][group.order[h]]
    matrix = group.matrix[h] @ group.matrix[g]
    offset = group.matrix[h] @ group.offset[g] + group.offset[h]
    signs = [table[g] * table[h] for table in (group.input_signs, group.output_signs)]
    shifts = group.output_signs[h] * group.output_shifts[g] + group.output_shifts[h]
    return [part for part in (order, matrix, offset, *signs, shifts) if part is not None]


def products(group):
    """The number of every g h, where it is an element: (G, G), else -1."""
    elements = [composed(group, g, 0) for g in range(group.size)]

    def number(parts):
        for n, element in enumerate(elements):
            if all(torch.equal(a, b) for a, b in zip(parts, element, strict=True)):
                return n
        return -1

    table = [[number(composed(group, g, h)) for h in range(group.size)] for g in range(group.size)]
    return torch.tensor(table)


@pytest.mark.parametrize("problem", DECLARED, ids=attrgetter("name"))
def test_declared_symmetries_form_a_group_with_the_identity(problem):
    """Else the mean over them would not have the symmetries itself."""
    group = Group(problem, problem.grid, CPU)
    table = products(group)
    assert (table >= 0).all(), "not closed"
    everything = torch.arange(group.size)
    assert torch.equal(table[0], everything) and torch.equal(table[:, 0], everything)
    for lines in (table, table.T):  # every element once in each: there are inverses
        assert torch.equal(lines.sort(1).values, everything.expand_as(lines))


def test_what_is_no_group_is_seen_here():
    group = Group(replace(POINTS, symmetries=(QUARTER,)), None, CPU)
    assert (products(group) == -1).any()


@pytest.mark.parametrize("problem", DECLARED, ids=attrgetter("name"))
def test_moving_outputs_back_is_the_inverse(problem):
    change = {key: (value,) * problem.out_channels for key, value in CHANGED.items()}
    odd = tuple(replace(symmetry, **change) for symmetry in problem.symmetries)
    grid = problem.grid and ((9, 9) if problem.name == "darcy" else (9, 4))
    group = Group(replace(problem, symmetries=odd), grid, CPU)
    u = torch.randn(group.size, 81 if problem.name == "darcy" else 36, problem.out_channels)
    moved = group.move_outputs(u, group.numbers)
    assert torch.equal(moved[0], u[0]) and not torch.isclose(moved[1:], u[1:]).all(1).any()
    torch.testing.assert_close(group.move_outputs_back(moved, group.numbers), u)


def test_coordinates_are_turned_without_rounding(monkeypatch):
    """A matrix product would round them to three digits where TF32 is allowed."""
    group = Group(replace(POINTS, symmetries=(QUARTER,)), None, CPU)
    x = torch.rand(2, 5, 2)
    monkeypatch.setattr(torch.Tensor, "__matmul__", None)
    moved = group.move_points(x, group.numbers)
    assert torch.equal(moved[0], x[0])
    assert torch.equal(moved[1], torch.stack([-x[1, :, 1], x[1, :, 0]], dim=-1))


def test_tables_are_made_once_for_a_grid():
    assert group_tables(DARCY, (9, 9), CPU) is group_tables(DARCY, (9, 9), CPU)
    assert group_tables(DARCY, (7, 7), CPU).order.shape == (8, 49)


def test_symmetries_that_do_not_fit():
    assert fits(DARCY, (9, 9)) and not fits(DARCY, (9, 7)) and not fits(CAR, None)
    assert fits(PROBLEMS["pipe"], (9, 7)) and fits(PROBLEMS["elasticity"], None)
    with pytest.raises(DataError, match=r"darcy: symmetry swap does not fit \(9, 7\)"):
        Group(DARCY, (9, 7), CPU)
    with pytest.raises(DataError, match="car declares no symmetries"):
        Group(CAR, None, CPU)
