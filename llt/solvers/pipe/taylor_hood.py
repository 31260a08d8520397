"""The discrete equations of steady flow: Taylor-Hood elements on a structured grid.

    ν (∇u, ∇v) + ((u·∇)u, v) - (p, ∇·v) = (f, v),    -(∇·u, q) = 0    for all v, q

The grid has (2n+1) x (2m+1) points: velocity is biquadratic on all of them, pressure bilinear on
every second one, and the elements are curved through the points. Assembled one velocity component
at a time, which takes two thirds of the time of vector-valued elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from skfem import (
    Basis,
    BilinearForm,
    ElementQuad1,
    ElementQuad2,
    LinearForm,
    MeshQuad1,
    MeshQuad2,
    bmat,
)
from skfem.helpers import dot, grad

from llt.solvers.base import Array

Force = Callable[[Array], Array]  # from coordinates (2, ...) to components (2, ...)

_transport = BilinearForm(
    lambda u, v, w: w.viscosity * dot(grad(u), grad(v)) + dot(w.velocity, grad(u)) * v
)
_product = BilinearForm(lambda u, v, w: w.factor * u * v)
_divergence = BilinearForm(lambda u, q, w: -grad(u)[w.axis] * q)
_moment = LinearForm(lambda v, w: w.density * v)


class Equations:
    """One flow problem on one grid. Unknowns: u_x, u_y, p, each numbered as scikit-fem does."""

    def __init__(self, points: Array, *, viscosity: float, force: Force | None = None) -> None:
        self._shape = points.shape[0], points.shape[1]
        mesh, self._order = _reference(*self._shape)
        located = np.empty_like(mesh.doflocs)
        located[:, _row_major(mesh)] = points.reshape(-1, 2).T
        # 3 x 3 Gauss points
        self._basis = Basis(replace(mesh, doflocs=located), ElementQuad2(), intorder=4)
        corners = self._basis.with_element(ElementQuad1())
        self._divergence = [
            _divergence.assemble(self._basis, corners, axis=axis) for axis in (0, 1)
        ]
        self._viscosity = viscosity
        x = np.asarray(self._basis.global_coordinates())
        self._force = self._load(force(x) if force else np.zeros_like(x))

    def linearize(self, flow: Array) -> tuple[Any, Array]:
        """Matrix and load that give the flow after `flow` in Newton's method."""
        u, du = self._velocity(flow)
        transport = _transport.assemble(self._basis, viscosity=self._viscosity, velocity=u)
        (xx, xy), (yx, yy) = (
            [_product.assemble(self._basis, factor=du[i, j]) for j in (0, 1)] for i in (0, 1)
        )
        div_x, div_y = self._divergence
        matrix = bmat(
            [
                [transport + xx, xy, div_x.T],
                [yx, transport + yy, div_y.T],
                [div_x, div_y, None],
            ],
            "csr",
        )
        return matrix, self.convection(flow) + self._force

    def convection(self, flow: Array) -> Array:
        """((u·∇)u, v), the only part of the equations that is not linear."""
        u, du = self._velocity(flow)
        return self._load(np.einsum("j...,ij...->i...", u, du))

    def vector(self, fields: Array) -> Array:
        """The unknowns, from u_x, u_y, p at the grid points (2n+1, 2m+1, 3)."""
        u_x, u_y, p = fields[..., 0], fields[..., 1], fields[::2, ::2, 2]
        flow = np.empty(len(self._order))
        flow[self._order] = np.concatenate([u_x.ravel(), u_y.ravel(), p.ravel()])
        return flow

    def fields(self, flow: Array) -> Array:
        """u_x, u_y, p at the grid points (2n+1, 2m+1, 3), from the unknowns."""
        num, (rows, columns) = self._basis.N, self._shape
        u_x, u_y, p = np.split(flow[self._order], [num, 2 * num])
        p = _with_midpoints(p.reshape(rows // 2 + 1, columns // 2 + 1))
        p = _with_midpoints(p.T).T
        return np.stack([u_x.reshape(p.shape), u_y.reshape(p.shape), p], axis=-1)

    def _velocity(self, flow: Array) -> tuple[Array, Array]:
        """Velocity (2, E, Q) and its gradient (2, 2, E, Q), component first, at Gauss points."""
        num = self._basis.N
        u = [self._basis.interpolate(flow[i * num : (i + 1) * num]) for i in (0, 1)]
        return np.stack([np.asarray(c) for c in u]), np.stack([c.grad for c in u])

    def _load(self, density: Array) -> Array:
        load = np.zeros(len(self._order))
        num = self._basis.N
        for i in (0, 1):
            load[i * num : (i + 1) * num] = _moment.assemble(self._basis, density=density[i])
        return load


@lru_cache(maxsize=4)
def _reference(rows: int, columns: int) -> tuple[Any, NDArray[np.intp]]:
    """The mesh of the grid's indices, and the numbers of u_x, u_y, p in the grid's order."""
    mesh = MeshQuad2.from_mesh(MeshQuad1.init_tensor(np.r_[0.0:rows:2], np.r_[0.0:columns:2]))
    points = Basis(mesh, ElementQuad2())
    corners = points.with_element(ElementQuad1())
    at_points, at_corners = _row_major(points), _row_major(corners)
    return mesh, np.concatenate([at_points, points.N + at_points, 2 * points.N + at_corners])


def _row_major(numbered: Any) -> NDArray[np.intp]:
    """Numbers of the points of a mesh or basis over grid indices, first index slowest."""
    i, j = np.rint(numbered.doflocs)
    return np.lexsort((j, i))


def _with_midpoints(values: Array) -> Array:
    out = np.empty((2 * len(values) - 1, *values.shape[1:]))
    out[::2] = values
    out[1::2] = (values[:-1] + values[1:]) / 2
    return out
