"""The random void: ten numbers θ give its radius at every angle.

    r(φ) = 0.2 + 0.2 / (1 + exp(q(φ))),    θ ~ N(0, 16²)
    q(φ) = Σ_{k=1..5} (θ_{2k-1} cos kφ + θ_{2k} sin kφ) / (√π (k² + 9))

The radius stays between 0.2 and 0.4 whatever θ. The published file `theta` holds the numbers of
the benchmark's 2000 voids; `read_theta` takes them from it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from llt.errors import DataError
from llt.solvers.base import Array

NUM_THETA = 10
THETA_STD = 16.0


def draw_theta(rng: np.random.Generator) -> Array:
    return rng.normal(0, THETA_STD, NUM_THETA)


def radius(theta: Array, phi: Array) -> Array:
    """Radius of the void at the angles phi, in radians."""
    k = np.arange(1, NUM_THETA // 2 + 1)
    waves = phi[..., None] * k  # (..., 5)
    terms = theta[::2] * np.cos(waves) + theta[1::2] * np.sin(waves)
    q = (terms / (np.sqrt(np.pi) * (k**2 + 9))).sum(axis=-1)
    return 0.2 + 0.2 * expit(-q)


def published_radius(theta: Array) -> Array:
    """The 42 radii that the published file `rr` lists; the last repeats the first."""
    return radius(theta, np.linspace(0, 2 * np.pi, 42))


def read_theta(path: str | Path, index: int) -> Array:
    """Row `index` of a file of void shapes: .npy, or .npz with the array `theta`; shape (n, 10)."""
    theta = _load(Path(path))
    if theta.ndim != 2 or theta.shape[1] != NUM_THETA or not np.issubdtype(theta.dtype, np.number):
        raise DataError(f"{path}: theta is {theta.dtype} {theta.shape}, not numbers of (n, 10)")
    if not 0 <= index < len(theta):
        raise DataError(f"{path}: no sample {index}, theta has rows 0 to {len(theta) - 1}")
    row = theta[index].astype(np.float64)
    if not np.isfinite(row).all():
        raise DataError(f"{path}: theta of sample {index} is not finite: {row}")
    return row


def _load(path: Path) -> NDArray[Any]:
    try:
        loaded = np.load(path)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded as arrays:
            if "theta" in arrays:
                return np.asarray(arrays["theta"])
            names = ", ".join(arrays)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file of void shapes") from None
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise DataError(f"{path}: cannot be read as .npy or .npz: {error}") from None
    raise DataError(f"{path}: no array 'theta', only {names or 'nothing'}")
