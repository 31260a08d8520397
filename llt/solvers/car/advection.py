"""Change of the velocity by advection and viscosity, in fluxes: momentum is conserved exactly.

Every component has control volumes around its own faces. A flux through their sides takes the
advected value upwind-biased from four neighbors in a row, third order, whose error is the only
model of what is smaller than a cell (implicit large-eddy simulation).

Beyond the ends of the box there are ghosts: values mirrored at a wall without friction, none
lateral at the inlet, the last ones repeated at the outlet.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from llt.solvers.car.grid import Grid

Velocity = tuple[Tensor, Tensor, Tensor]


class Metric(NamedTuple):
    """Lengths of a grid along one axis, shaped to stand along it in a tensor."""

    widths: Tensor  # of cells (n)
    spacings: Tensor  # between centers, at every face (n + 1)
    before: Tensor  # share of the cell before a face in the volume around it (n + 1)
    ghosted: Tensor  # widths with one ghost at either end (n + 2)


def metrics(grid: Grid, like: Tensor) -> tuple[Metric, Metric, Metric]:
    found = []
    for along, axis in enumerate(grid.axes):
        shape = [1, 1, 1]
        shape[along] = -1
        widths, spacings = like.new_tensor(axis.widths), like.new_tensor(axis.spacings)
        ghosted = torch.cat([widths[:1], widths, widths[-1:]])
        before = ghosted[:-1] / (2 * spacings)
        found.append(Metric(*(m.view(shape) for m in (widths, spacings, before, ghosted))))
    return found[0], found[1], found[2]


def tendency(
    velocity: Velocity, metric: tuple[Metric, Metric, Metric], viscosity: float, through: bool
) -> Velocity:
    """-∇·(u u) + ν Δu on the faces of every component; what it says on the box's own is unused."""
    changes = [torch.zeros_like(part) for part in velocity]
    for axis in range(3):
        for component in range(3):
            if axis == component:
                change = _along(velocity[axis], axis, metric, viscosity, through)
            else:
                change = _across(velocity, component, axis, metric, viscosity, through)
            changes[component] = changes[component] + change
    return changes[0], changes[1], changes[2]


def _along(
    u: Tensor, axis: int, metric: tuple[Metric, Metric, Metric], viscosity: float, through: bool
) -> Tensor:
    """A component through the centers of cells, along its own axis."""
    dim = axis - 3
    row = _ghosted(u, axis, 2, on_faces=True, through=through)
    number = u.shape[dim] + 1
    left, right = row.narrow(dim, 1, number), row.narrow(dim, 2, number)
    flux = _upwind(row, dim, number, (left + right) / 2)
    flux = flux - viscosity * (right - left) / metric[axis].ghosted
    return -flux.diff(dim=dim) / metric[axis].spacings


def _across(
    velocity: Velocity,
    component: int,
    axis: int,
    metric: tuple[Metric, Metric, Metric],
    viscosity: float,
    through: bool,
) -> Tensor:
    """A component through the edges of cells, along another axis."""
    dim, own = axis - 3, component - 3
    u, carrier = velocity[component], velocity[axis]
    row = _ghosted(u, axis, 2, on_faces=False, through=through)
    number = u.shape[dim] + 1
    around = _ghosted(carrier, component, 1, on_faces=False, through=through)
    share, faces = metric[component].before, u.shape[own]
    speed = share * around.narrow(own, 0, faces) + (1 - share) * around.narrow(own, 1, faces)
    flux = _upwind(row, dim, number, speed)
    slope = (row.narrow(dim, 2, number) - row.narrow(dim, 1, number)) / metric[axis].spacings
    return -(flux - viscosity * slope).diff(dim=dim) / metric[axis].widths


def _upwind(row: Tensor, dim: int, number: int, speed: Tensor) -> Tensor:
    """speed times the value between the second and third of every four in a row."""
    a, b, c, d = (row.narrow(dim, start, number) for start in range(4))
    middle = 7 * (b + c) - (a + d)
    bend = 3 * (c - b) - (d - a)
    return (speed * middle - speed.abs() * bend) / 12


def _ghosted(u: Tensor, axis: int, count: int, *, on_faces: bool, through: bool) -> Tensor:
    """With so many ghosts at both ends of an axis, on which u lives on faces or in between."""
    dim, size = axis - 3, u.shape[axis - 3]
    skip = 1 if on_faces else 0
    sign = -1 if on_faces else 1
    low = sign * u.narrow(dim, skip, count).flip(dim)
    high = sign * u.narrow(dim, size - skip - count, count).flip(dim)
    if through and axis == 2:
        first, last = u.narrow(dim, 0, 1), u.narrow(dim, size - 1, 1)
        low = torch.cat([first] * count, dim) if on_faces else -low
        high = torch.cat([last] * count, dim)
    return torch.cat([low, u, high], dim)
