"""Points on and around a car: 3682 on its surface and 28,504 outside, in the same order for all.

The surface is that of a box of 20 x 15 x 44 cells around the car, drawn onto it along the box's
normals, so that point i of one car corresponds to point i of any other. Outside points are seven
shells between the surface and the box of the published points, and a block in the wake.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.spatial import ConvexHull
from torch import Tensor

from llt.errors import SolverError
from llt.solvers.base import Array
from llt.solvers.car.shape import GROUND, Car

CELLS = (20, 15, 44)  # of the surface's box along x, y, z
BOX = ((-1.80, 1.80), (GROUND, 4.30), (-4.28, 5.88))  # of the points, as published
SHELLS = (0.012, 0.03, 0.065, 0.13, 0.26, 0.52, 1.0)  # share of the way from the car to the box
WAKE = (13, 15, 14)  # points along x, y, z
# of the turn that drawing directions take around the box's edges: no earlier than a corner of the
# car is round, so that they do not cross above it
SHARPNESS = np.array([4, 3, 10])
MARGIN = 0.3  # m outside of the box, where drawing begins
DEEPEST = 1.5  # m, and ends
ON_SURFACE = 1e-6  # m
NEAREST = 0.02  # m; outside points that would be inside are put there


class Surface(NamedTuple):
    """Of one car."""

    points: Array  # (3682, 3)
    normals: Array  # (3682, 3), outward


@cache
def box() -> tuple[Array, NDArray[np.int64]]:
    """Points of the surface of a cube [-1, 1]^3 and its quads, outward counterclockwise."""
    index = np.stack(np.meshgrid(*(np.arange(n + 1) for n in CELLS), indexing="ij"), -1)
    ends = np.array(CELLS)
    outer = ((index == 0) | (index == ends)).any(-1)
    number = np.full(outer.shape, -1)
    number[outer] = np.arange(outer.sum())
    quads = []
    for axis in range(3):
        for end in (0, CELLS[axis]):
            face = np.moveaxis(number, axis, 0)[end]  # axes in their order, without this one
            if (end == 0) != (axis == 1):
                face = face.T
            around = face[:-1, :-1], face[1:, :-1], face[1:, 1:], face[:-1, 1:]
            quads.append(np.stack(around, -1).reshape(-1, 4))
    return 2 * index[outer] / ends - 1, np.concatenate(quads)


def quads() -> NDArray[np.int64]:
    """Four surface points each, the same for every car."""
    return box()[1]


def surface(car: Car) -> Surface:
    """Draw the box onto the car; a car on which that fails has no valid shape."""
    where, _ = box()
    turned = np.sign(where) * np.abs(where) ** SHARPNESS
    inward = -turned / np.linalg.norm(turned, axis=1, keepdims=True)
    start = torch.from_numpy(_around(car, where) - MARGIN * inward)
    points = _draw(car, start, torch.from_numpy(inward))
    off = car.distance(points).abs()
    if not bool((off <= ON_SURFACE).all()):
        missed = int((~(off <= ON_SURFACE)).sum())
        raise SolverError(f"car: {missed} of {len(off)} points do not reach the surface")
    found = Surface(points.numpy(), car.normal(points).numpy())
    _check_folds(found)
    return found


def volume(car: Car, points: Array) -> Array:
    """The points outside, given those on the surface (28504, 3)."""
    where, _ = box()
    low, high = np.array(BOX).T
    far = low + (where + 1) / 2 * (high - low)
    shells = [points + share * (far - points) for share in SHELLS]
    outside = np.concatenate([*shells, _wake(car)])
    wrong = car.distance(torch.from_numpy(outside)).numpy() <= ON_SURFACE
    if wrong.any():  # ways to the box that lead through a wheel
        outside[wrong] = _approach(car, torch.from_numpy(outside[wrong]), NEAREST).numpy()
    lowest = car.distance(torch.from_numpy(outside)).min()
    if lowest <= 0 or outside[:, 1].min() < GROUND - ON_SURFACE:
        raise SolverError("car: points around it lie inside or in the ground")
    return outside


def area_vectors(points: Array) -> Array:
    """Of the quads: outward, as long as their area (3680, 3)."""
    a, b, c, d = (points[corner] for corner in quads().T)
    return np.cross(c - a, d - b) / 2


def frontal_area(points: Array) -> float:
    """Of the convex outline seen along z."""
    return float(ConvexHull(points[:, :2]).volume)


def drag_weights(points: Array) -> Array:
    """Weights of the surface pressures in the force along z, in m²: F = weights @ pressure.

    A quad has the mean pressure of its four corners.
    """
    weights = np.zeros(len(points))
    np.add.at(weights, quads(), -area_vectors(points)[:, 2:] / 4)
    return weights


def _around(car: Car, where: Array) -> Array:
    """The box bent to the car's height and width."""
    z = where[:, 2] * car.length / 2
    top = car.top(z)
    y = GROUND + car.clearance + (where[:, 1] + 1) / 2 * (top - car.clearance)
    half, _ = car.half_width(torch.from_numpy(y), torch.from_numpy(z))
    return np.stack([where[:, 0] * half.numpy(), y, z], -1)


def _draw(car: Car, points: Tensor, inward: Tensor) -> Tensor:
    """Along straight lines to the surface, never further than it can be."""
    way = torch.zeros_like(points[:, :1])
    for _ in range(100):
        left = car.distance(points + way * inward)[:, None]
        way = (way + 0.9 * left).clamp(0, DEEPEST)
        if left.max() < 1e-3:
            break
    return _approach(car, points + way * inward, 0)  # lines that only graze it are slow


def _approach(car: Car, points: Tensor, distance: float) -> Tensor:
    """Along the normal to so far from the surface."""
    for _ in range(12):
        left = distance - car.distance(points)
        if left.abs().max() < ON_SURFACE / 100:
            break
        points = points + left[:, None] * car.normal(points)
    return points


def _check_folds(found: Surface) -> None:
    areas = area_vectors(found.points)
    outward = found.normals[quads()].sum(1)
    folded = int(((areas * outward).sum(1) <= 0).sum())
    if folded:
        raise SolverError(f"car: the surface crosses itself in {folded} of {len(areas)} places")


def _wake(car: Car) -> Array:
    across, up, along = (np.linspace(0, 1, n) for n in WAKE)
    rear = car.length / 2 + 0.1
    x = car.width * (across - 0.5) * 1.5
    y = GROUND + 0.05 + 1.3 * car.height * up
    z = rear + (BOX[2][1] - 0.05 - rear) * along**1.5
    return np.stack(np.meshgrid(x, y, z, indexing="ij"), -1).reshape(-1, 3)
