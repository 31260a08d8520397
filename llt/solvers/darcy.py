"""Steady Darcy flow through a random two-phase medium.

    -∇·(a ∇u) = 1  in (0, 1)²,    u = 0  on the boundary

a is `high` where a Gaussian random field is positive and `low` elsewhere. Second-order finite
differences on n x n nodes; conjugate gradients with the Laplacian as preconditioner, whose
iterations depend on max a / min a, not on the mesh. Rows are y, columns are x.
"spline" repeats the published data, whose a lives on cell centers and goes to the nodes and back
by cubic splines: its u is not exactly 0 at the outermost points. "nodal" is the clean problem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dstn
from scipy.interpolate import make_interp_spline

from llt.errors import ConfigError, DataError, SolverError, unknown
from llt.solvers import random_field
from llt.solvers.base import Array, Solution

VERSION = 1

FaceMean = Literal["arithmetic", "harmonic"]
# of numpy arrays and of torch tensors alike
FACE_MEANS: dict[FaceMean, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda left, right: (left + right) / 2,
    "harmonic": lambda left, right: 2 * left * right / (left + right),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    resolution: int = 421  # points per side of the solve
    stored_resolution: int = 85  # points per side of the result: every k-th of the solve
    variant: Literal["spline", "nodal"] = "spline"
    low: float = 3.0
    high: float = 12.0
    alpha: float = 2.0  # smoothness of the random field
    tau: float = 3.0  # its inverse length
    tolerance: float = 1e-10
    max_iterations: int = 200

    def __post_init__(self) -> None:
        if self.variant not in ("spline", "nodal"):
            raise ConfigError(unknown("variant", self.variant, ("spline", "nodal")))
        if self.resolution < 5:
            raise ConfigError(f"resolution={self.resolution} must be at least 5")
        if self.stored_resolution not in (valid := _stored_resolutions(self.resolution)):
            raise ConfigError(
                f"stored_resolution={self.stored_resolution} is not every k-th of "
                f"{self.resolution} points; choose from {', '.join(map(str, valid))}"
            )
        if not 0 < self.low <= self.high < np.inf:
            raise ConfigError(f"low={self.low:g} and high={self.high:g} must be 0 < low <= high")
        if not (1 < self.alpha < np.inf and 0 < self.tau < np.inf):
            raise ConfigError(f"alpha={self.alpha:g} must be above 1 and tau={self.tau:g} above 0")
        if not 0 < self.tolerance < 1:
            raise ConfigError(f"tolerance={self.tolerance:g} must be between 0 and 1")
        if self.max_iterations < 1:
            raise ConfigError(f"max_iterations={self.max_iterations} must be at least 1")

    @property
    def stride(self) -> int:
        return (self.resolution - 1) // (self.stored_resolution - 1)

    @property
    def face_mean(self) -> FaceMean:
        return "arithmetic" if self.variant == "spline" else "harmonic"


def _stored_resolutions(resolution: int) -> list[int]:
    return [k + 1 for k in range(1, resolution) if (resolution - 1) % k == 0]


def solve_sample(
    rng: np.random.Generator, settings: Settings, *, index: int | None = None
) -> Solution:
    maps = linear_maps(settings)
    noise = random_field.white_noise(rng, settings.resolution)
    field = random_field.evaluate(noise, maps.sigma, maps.basis)
    return solve_permeability(np.where(field >= 0, settings.high, settings.low), settings)


def solve_permeability(permeability: Array, settings: Settings) -> Solution:
    """The sample that belongs to a permeability given at all points of the solve."""
    n, maps = settings.resolution, linear_maps(settings)
    if permeability.shape != (n, n):
        raise DataError(f"permeability is {permeability.shape}, must be {(n, n)}")
    a = maps.to_nodes @ permeability @ maps.to_nodes.T
    u, info = solve(
        a,
        np.ones_like(a),
        face_mean=settings.face_mean,
        tolerance=settings.tolerance,
        max_iterations=settings.max_iterations,
    )
    info |= {"min_pressure": float(u.min()), "max_pressure": float(u.max())}
    every_kth = permeability[:: settings.stride, :: settings.stride]
    return solution(every_kth, maps.to_stored @ u @ maps.to_stored.T, info, settings)


def solution(
    permeability: Array, pressure: Array, info: dict[str, float], settings: Settings
) -> Solution:
    """Put a sample together; SolverError if it has not converged or cannot be true."""
    # not "residual > tolerance", which is false for nan
    if not info["residual"] <= settings.tolerance:
        raise _not_converged(info["iterations"], info["residual"], settings.tolerance)
    # In one of 2000 draws the splines overshoot to a < 0 so far that the pressure spikes beside
    # the boundary. Were a >= low > 0, it would be positive and below Talenti's bound.
    lowest, highest = info["min_pressure"], info["max_pressure"]
    bound = 1 / (4 * np.pi * settings.low)
    if lowest < -settings.tolerance * bound or highest > bound:
        raise SolverError(
            f"darcy: pressure from {lowest:.2g} to {highest:.2g}, must be within 0 and {bound:.2g}"
        )
    x = linear_maps(settings).x
    return Solution(
        points=np.stack(np.meshgrid(x, x), axis=-1),
        inputs={"permeability": permeability},
        outputs={"pressure": pressure},
        info=info,
    )


@dataclass(frozen=True, slots=True)
class LinearMaps:
    """What stands around the solve; all but sigma act on both axes, as `M @ a @ M.T`."""

    sigma: Array  # (n, n) standard deviation of each random mode
    basis: Array  # (n, n) random modes to the points of a
    to_nodes: Array  # (n, n) points of a to nodes
    to_stored: Array  # (stored, n) nodes to stored points
    x: Array  # (stored,) coordinates of the stored points


@lru_cache(maxsize=4)
def linear_maps(settings: Settings) -> LinearMaps:
    n = settings.resolution
    nodes, every_kth = np.linspace(0, 1, n), slice(None, None, settings.stride)
    if settings.variant == "spline":
        x = random_field.cell_centers(n)
        to_nodes, to_stored = _spline(x, nodes), _spline(nodes, x[every_kth])
    else:
        x, to_nodes, to_stored = nodes, np.eye(n), np.eye(n)[every_kth]
    return LinearMaps(
        sigma=random_field.spectrum(n, alpha=settings.alpha, tau=settings.tau),
        basis=random_field.cosine_basis(x, n),
        to_nodes=to_nodes,
        to_stored=to_stored,
        x=x[every_kth],
    )


def _spline(x: Array, targets: Array) -> Array:
    """The matrix from values at x to their not-a-knot cubic spline at the targets."""
    # the nodes lie outside the cell centers by half a cell, so this also extrapolates
    matrix: Array = make_interp_spline(x, np.eye(len(x)), k=3)(targets)
    return matrix


def solve(
    a: Array,
    f: Array,
    *,
    face_mean: FaceMean = "harmonic",
    tolerance: float = 1e-10,
    max_iterations: int = 200,
) -> tuple[Array, dict[str, float]]:
    """Nodal u of -∇·(a ∇u) = f, u = 0 on the boundary, with the iterations and the residual.

    The residual is sqrt(r·z), z = -Δ⁻¹r, relative to its start. On any mesh it is the energy norm
    of the error up to sqrt(max a / min a), which |r| is not.
    """
    _check(a, f, face_mean)
    operator = _Operator(a, face_mean)
    r = f.ravel() / (len(a) - 1) ** 2
    u, q, z = np.zeros((3, r.size))
    _precondition(r, out=z)
    p = z.copy()
    rz = start = np.vdot(r, z)
    iterations = 0
    # not "rz > ...", which is false for nan
    while not rz <= tolerance**2 * start:
        if iterations == max_iterations:
            raise _not_converged(iterations, np.sqrt(rz / start), tolerance)
        operator.apply(p, out=q)
        curvature = np.vdot(p, q)
        if curvature <= 0:
            raise SolverError(f"darcy: operator not positive definite at iteration {iterations}")
        step = rz / curvature
        u += step * p
        r -= step * q
        _precondition(r, out=z)
        rz, previous = np.vdot(r, z), rz
        p *= rz / previous
        p += z
        iterations += 1
    residual = float(np.sqrt(rz / start)) if start > 0 else 0.0
    return u.reshape(a.shape), {"iterations": iterations, "residual": residual}


def _not_converged(iterations: float, residual: float, tolerance: float) -> SolverError:
    return SolverError(
        f"darcy: residual {residual:.1e} after {iterations:.0f} iterations, wanted {tolerance:g}"
    )


def _check(a: Array, f: Array, face_mean: FaceMean) -> None:
    if a.shape != f.shape or a.ndim != 2 or a.shape[0] != a.shape[1] or len(a) < 3:
        raise DataError(f"a {a.shape} and f {f.shape} must both be (n, n), n at least 3")
    if face_mean not in FACE_MEANS:
        raise ConfigError(unknown("face mean", face_mean, FACE_MEANS))
    if face_mean == "harmonic" and not (a > 0).all():
        raise DataError(f"harmonic means need positive a, its minimum is {a.min():g}")


class _Operator:
    """-h² ∇·(a ∇p) on nodes stored row after row.

    Differences that wrap from one row to the next join two boundary nodes, where p = 0, so they
    vanish. Results at boundary nodes are meaningless, and multiplied by 0 in every scalar product.
    """

    def __init__(self, a: Array, face_mean: FaceMean) -> None:
        mean, a, self.row = FACE_MEANS[face_mean], a.ravel(), len(a)
        self.east = mean(a[:-1], a[1:])
        self.north = mean(a[: -self.row], a[self.row :])
        self.flux_x, self.flux_y = np.empty_like(self.east), np.empty_like(self.north)

    def apply(self, p: Array, out: Array) -> None:
        row, flux_x, flux_y = self.row, self.flux_x, self.flux_y
        np.subtract(p[1:], p[:-1], out=flux_x)
        flux_x *= self.east
        np.subtract(flux_x[:-1], flux_x[1:], out=out[1:-1])
        np.subtract(p[row:], p[:-row], out=flux_y)
        flux_y *= self.north
        out[row:] += flux_y
        out[:-row] -= flux_y


def _precondition(r: Array, out: Array) -> None:
    """-Δ⁻¹r on the interior nodes by sine transforms."""
    n = round(r.size**0.5)
    # single precision halves the time and costs no iterations: it only steers the search
    modes = dstn(r.reshape(n, n)[1:-1, 1:-1].astype(np.float32), type=1, overwrite_x=True)
    modes *= _inverse_eigenvalues(n)
    out.reshape(n, n)[1:-1, 1:-1] = dstn(modes, type=1, overwrite_x=True)


@lru_cache(maxsize=4)
def _inverse_eigenvalues(n: int) -> NDArray[np.float32]:
    """Of the five-point Laplacian, over the scale of two sine transforms."""
    one_axis = 4 * np.sin(np.pi / 2 * np.arange(1, n - 1) / (n - 1)) ** 2
    return (1 / (one_axis[:, None] + one_axis) / (2 * (n - 1)) ** 2).astype(np.float32)
