"""The nine-node quadrilateral: shape functions on [-1, 1]² and its 3 x 3 Gauss points.

Nodes and Gauss points are both numbered row by row, 3 j + i at the i-th abscissa of ξ and the
j-th of η.
"""

from __future__ import annotations

import numpy as np

from llt.solvers.base import Array


def shapes(xi: Array) -> Array:
    """Values of the nine shape functions at local points xi (..., 2), as (..., 9)."""
    x, y = xi[..., 0], xi[..., 1]
    return _tensor(_quadratics(y), _quadratics(x))


def slopes(xi: Array) -> Array:
    """Their derivatives with respect to ξ and η, as (..., 9, 2)."""
    x, y = xi[..., 0], xi[..., 1]
    along_x = _tensor(_quadratics(y), _derivatives(x))
    along_y = _tensor(_derivatives(y), _quadratics(x))
    return np.stack([along_x, along_y], axis=-1)


def _quadratics(s: Array) -> Array:
    """Lagrange polynomials of the nodes -1, 0, 1."""
    return np.stack([s * (s - 1) / 2, 1 - s**2, s * (s + 1) / 2], axis=-1)


def _derivatives(s: Array) -> Array:
    return np.stack([s - 0.5, -2 * s, s + 0.5], axis=-1)


def _tensor(rows: Array, columns: Array) -> Array:
    product = rows[..., :, None] * columns[..., None, :]
    return product.reshape(*product.shape[:-2], 9)


_abscissas, _weights = np.polynomial.legendre.leggauss(3)
GAUSS_POINTS: Array = np.stack([np.tile(_abscissas, 3), np.repeat(_abscissas, 3)], axis=1)  # (9, 2)
GAUSS_WEIGHTS: Array = np.outer(_weights, _weights).ravel()  # (9,)
