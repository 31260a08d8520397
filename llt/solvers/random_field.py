"""Gaussian random fields on the unit square, as drawn by the Darcy benchmark.

    U = Σ_k σ_k ξ_k c_k(x) c_k(y),    ξ ~ N(0, 1),    covariance τ^(2α-2) (-Δ + τ²)^(-α)

with the cosines c_k of the Neumann Laplacian and no constant mode. On cell centers the cosines
are the orthonormal DCT. Drawing the noise ξ is kept apart from summing the series, so that the
same draw can be evaluated at other points, or on another device.
"""

from __future__ import annotations

import numpy as np

from llt.solvers.base import Array


def white_noise(rng: np.random.Generator, num_modes: int, out: Array | None = None) -> Array:
    """ξ, one standard normal number per pair of modes."""
    return rng.standard_normal((num_modes, num_modes), out=out)


def spectrum(num_modes: int, *, alpha: float = 2.0, tau: float = 3.0) -> Array:
    """σ, the standard deviation of each pair of modes."""
    k = np.arange(num_modes)
    eigenvalues = np.pi**2 * (k[:, None] ** 2 + k**2)
    sigma = num_modes * tau ** (alpha - 1) * (eigenvalues + tau**2) ** (-alpha / 2)
    sigma[0, 0] = 0
    return sigma


def cell_centers(n: int) -> Array:
    return (np.arange(n) + 0.5) / n


def cosine_basis(points: Array, num_modes: int) -> Array:
    """c_k at points of [0, 1]; orthonormal on `num_modes` cell centers."""
    basis = np.cos(np.pi * np.outer(points, np.arange(num_modes))) * np.sqrt(2 / num_modes)
    basis[:, 0] = np.sqrt(1 / num_modes)
    return basis  # (P, K)


def evaluate(noise: Array, sigma: Array, basis: Array) -> Array:
    """The field U on the tensor grid of the basis' points."""
    return basis @ (sigma * noise) @ basis.T  # (P, P)
