"""What a mean flow says at a car's points: velocities around it, pressures on it, and its drag.

The drag is the coefficient 2 F / (ρ U² A): F is the force along z of the surface pressures on the
template's quads, without friction; A is the area of the car's convex outline seen from the front.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from llt.solvers.base import Array
from llt.solvers.car.average import Mean
from llt.solvers.car.grid import Grid
from llt.solvers.car.sampling import sample
from llt.solvers.car.settings import Settings
from llt.solvers.car.shape import Car
from llt.solvers.car.template import drag_weights, frontal_area, surface, volume

OUTSIDE = 0.5  # cells along the normal to where the pressure of a surface point is taken: the
# body's smooth border ends there, and further out the stagnation pressure is not reached


class Mesh(NamedTuple):
    """A car and its points: those outside, then those on the surface."""

    car: Car
    points: Array  # (32186, 3)
    normals: Array  # (32186, 3)
    distances: Array  # (32186,)
    outside: int  # how many are not on the surface


class Labels(NamedTuple):
    """What a mean flow says at a car's points."""

    velocity: Array  # (28504, 3), outside, m/s
    pressure: Array  # (3682,), on the surface, Pa
    drag: float


def make_mesh(car: Car) -> Mesh:
    found = surface(car)
    outside = volume(car, found.points)
    points = torch.from_numpy(outside)
    return Mesh(
        car,
        np.concatenate([outside, found.points]),
        np.concatenate([car.normal(points).numpy(), found.normals]),
        np.concatenate([car.distance(points).numpy(), np.zeros(len(found.points))]),
        len(outside),
    )


def labels(mesh: Mesh, mean: Mean, settings: Settings) -> Labels:
    """The mean flow, made symmetric as the car is, at the car's points."""
    grid = settings.grid
    at = mean.pressure.new_tensor(mesh.points)
    normals = mean.pressure.new_tensor(mesh.normals[mesh.outside :])
    velocity = [
        sample(grid, component, mirrored(part, component), at[: mesh.outside])
        for component, part in enumerate(mean.velocity)
    ]
    near = at[mesh.outside :] + OUTSIDE * grid.finest * normals
    pressure = sample(grid, 3, mirrored(mean.pressure, 3), near) - datum(mean.pressure, grid)
    found: Array = settings.density * pressure.double().cpu().numpy()
    drag = float(coefficient_weights(mesh, settings) @ found)
    return Labels(torch.stack(velocity, -1).double().cpu().numpy(), found, drag)


def coefficient_weights(mesh: Mesh, settings: Settings) -> Array:
    """What the pressure of each surface point adds to the coefficient, (3682,), per Pa."""
    points = mesh.points[mesh.outside :]
    scale = settings.density * settings.speed**2 / 2 * frontal_area(points)
    found: Array = drag_weights(points) / scale
    return found


def mirrored(field: Tensor, component: int) -> Tensor:
    """The mean of a field and its mirror image in x."""
    return (field + (-1 if component == 0 else 1) * field.flip(-3)) / 2


def datum(pressure: Tensor, grid: Grid) -> Tensor:
    """The mean at the inlet."""
    x, y = (pressure.new_tensor(axis.widths) for axis in (grid.x, grid.y))
    return x @ pressure[..., 0] @ y / (x.sum() * y.sum())
