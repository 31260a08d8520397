"""Predictions averaged over the group of a problem's symmetries.

A solution moved by a symmetry solves the moved problem. A model obeys that only roughly: it is
asked about the case as every symmetry moves it, the answers are moved back, and their mean obeys
it exactly. It takes as many predictions as the group has elements.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.symmetries import Group
from llt.prediction.batching import batches
from llt.prediction.cases import Cases
from llt.problem import Problem

Floats = NDArray[np.float32]


def symmetrized(
    forward: Callable[[Cases], Tensor], group: Group, cases: Cases, together: int
) -> Tensor:
    """Mean over the group of what `forward` gives, (B, N, Cu).

    Args:
        together: elements of the group that are asked about at once.
    """
    B = len(cases.x)
    total = torch.zeros((), device=cases.x.device)
    for part in batches(0, group.size, together):
        elements = group.numbers[part]
        choice = elements.unsqueeze(1).expand(-1, B).flatten()  # each for all cases
        u = group.move_outputs_back(forward(_moved(cases, group, choice)), choice)
        total = total + u.unflatten(0, (len(elements), B)).sum(0)
    return total / group.size


def symmetrized_case(
    ask: Callable[[Floats, Floats], Floats],
    problem: Problem,
    grid: tuple[int, ...] | None,
    x: Floats,
    a: Floats,
) -> Floats:
    """The same for one case of any size, (N, ...), with one symmetry after the other."""
    cases = Cases(torch.tensor(x)[None], torch.tensor(a)[None], grid=grid)
    group = Group(problem, grid, cases.x.device)  # not kept: its tables are as long as the mesh

    def forward(moved: Cases) -> Tensor:
        return torch.from_numpy(ask(moved.x[0].numpy(), moved.a[0].numpy()))[None]

    return symmetrized(forward, group, cases, together=1)[0].numpy()


def _moved(cases: Cases, group: Group, choice: Tensor) -> Cases:
    """The cases once for every element of the group; neighbors stay neighbors."""
    times = len(choice) // len(cases.x)

    def again(z: Tensor | None) -> Tensor | None:
        return None if z is None else z.repeat(times, *[1] * (z.ndim - 1))

    return Cases(
        group.move_points(cases.x.repeat(times, 1, 1), choice),
        group.move_inputs(cases.a.repeat(times, 1, 1), choice),
        again(cases.t),
        again(cases.neighbors),
        again(cases.mask),
        cases.grid,
    )
