"""A body in the grid: how much of each face is inside, and the force that it takes from the air."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from llt.solvers.car.advection import Velocity, tendency
from llt.solvers.car.flow import Air, State, driven
from llt.solvers.car.grid import Grid

Distance = Callable[[Tensor], Tensor]  # signed, negative inside: (..., 3) -> (...)


def solid_shares(grid: Grid, distance: Distance, like: Tensor) -> Velocity:
    """1 inside of a body, 0 outside, smooth over the one cell across its surface."""
    shares = []
    for component in range(3):
        axes = [like.new_tensor(along) for along in grid.positions(component)]
        points = torch.stack(torch.meshgrid(*axes, indexing="ij"), -1)
        depth = (0.5 - distance(points) / grid.finest).clamp(0, 1)
        shares.append(depth * depth * (3 - 2 * depth))
    return shares[0], shares[1], shares[2]


def drag(state: State, air: Air) -> Tensor:
    """Force along z over the density (B,): the momentum that the next step leaves in the body."""
    change = tendency(state.velocity, air.metric, air.viscosity, air.through)
    lost = (1 - air.passes[2]) * driven(state, change, air)[2] / air.dt
    x, y, z = air.metric
    volumes = x.widths * y.widths * z.spacings
    # the first face is the inlet, whose velocity is given
    return (lost * volumes)[..., 1:].sum((-3, -2, -1))
