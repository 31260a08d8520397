"""Darcy samples in batches on any torch device: the numbers of `llt.solvers.darcy`, faster.

The same random draws, discretization and conjugate gradients, for all samples of a batch at
once, in double precision. The preconditioner is a matrix product too, since torch has no sine
transform. A converged sample stops moving while the others go on.

Shapes: B samples, n points per side, N = n² nodes stored row after row.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import Tensor

from llt.errors import SolverError
from llt.solvers import darcy, random_field
from llt.solvers.base import Array, Solution
from llt.solvers.darcy import FaceMean, Settings

# to ask a GPU whether all samples have converged stalls it
_ITERATIONS_PER_CHECK = 4

BATCH_SIZE = 128  # of 421 x 421 points: about 3 GB


def solve_samples(
    rngs: Sequence[np.random.Generator],
    settings: Settings,
    *,
    device: torch.device | str = "cuda",
) -> list[Solution | SolverError]:
    """What `darcy.solve_sample` returns or raises for each generator."""
    noise = _white_noise(rngs, settings.resolution)
    return _solve_batch(torch.from_numpy(noise).to(device), settings)


def _white_noise(rngs: Sequence[np.random.Generator], n: int) -> Array:
    noise = np.empty((len(rngs), n, n))
    # numpy draws outside the interpreter lock
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda rng, out: random_field.white_noise(rng, n, out), rngs, noise))
    return noise


def _solve_batch(noise: Tensor, settings: Settings) -> list[Solution | SolverError]:
    maps, k = darcy.linear_maps(settings), settings.stride
    field = _both_axes(maps.basis, noise * _like(noise, maps.sigma))
    permeability = torch.full_like(field, settings.low).masked_fill_(field >= 0, settings.high)
    a = _both_axes(maps.to_nodes, permeability)
    u, iterations, residual = solve(
        a,
        torch.ones_like(a),
        face_mean=settings.face_mean,
        tolerance=settings.tolerance,
        max_iterations=settings.max_iterations,
    )
    lowest, highest = u.flatten(1).aminmax(dim=1)
    info = torch.stack([iterations, residual, lowest, highest], dim=1)
    arrays = permeability[:, ::k, ::k], _both_axes(maps.to_stored, u), info
    samples = zip(*(array.cpu().numpy() for array in arrays), strict=True)
    return [_result(a, u, info, settings) for a, u, info in samples]


def _result(
    permeability: Array, pressure: Array, info: Array, settings: Settings
) -> Solution | SolverError:
    names = ("iterations", "residual", "min_pressure", "max_pressure")
    try:
        return darcy.solution(
            permeability, pressure, dict(zip(names, info.tolist(), strict=True)), settings
        )
    except SolverError as error:
        return error


def solve(
    a: Tensor, f: Tensor, *, face_mean: FaceMean, tolerance: float, max_iterations: int
) -> tuple[Tensor, Tensor, Tensor]:
    """As `darcy.solve`, for (B, n, n) tensors: u, and each sample's iterations and residual."""
    operator, precondition = _Operator(a, face_mean), _InverseLaplacian(a)
    r = f.flatten(1) / (a.shape[-1] - 1) ** 2  # (B, N)
    z = precondition(r)
    p, u, q = z.clone(), torch.zeros_like(z), torch.zeros_like(z)
    rz = start = _dot(r, z)  # (B, 1)
    iterations = torch.zeros_like(rz)
    for iteration in range(max_iterations):
        active = rz > tolerance**2 * start
        if iteration % _ITERATIONS_PER_CHECK == 0 and not active.any():
            break
        iterations += active
        operator.apply(p, out=q)
        step = (rz / _dot(p, q)).where(active, 0)
        u.addcmul_(step, p)
        r.addcmul_(step, q, value=-1)
        z = precondition(r)
        rz, previous = _dot(r, z), rz
        torch.addcmul(z, p, (rz / previous).where(active, 0), out=p)
    # a sample without source starts converged
    residual = (rz / start).sqrt().where(start > 0, 0)
    return u.view_as(a), iterations.squeeze(1), residual.squeeze(1)


class _Operator:
    """As `darcy._Operator`, for each sample of a batch."""

    def __init__(self, a: Tensor, face_mean: FaceMean) -> None:
        mean, a, self.row = darcy.FACE_MEANS[face_mean], a.flatten(1), a.shape[-1]
        self.east = mean(a[:, :-1], a[:, 1:])
        self.north = mean(a[:, : -self.row], a[:, self.row :])
        self.flux_x, self.flux_y = torch.empty_like(self.east), torch.empty_like(self.north)

    def apply(self, p: Tensor, out: Tensor) -> None:
        row, flux_x, flux_y = self.row, self.flux_x, self.flux_y
        torch.sub(p[:, 1:], p[:, :-1], out=flux_x).mul_(self.east)
        torch.sub(flux_x[:, :-1], flux_x[:, 1:], out=out[:, 1:-1])
        torch.sub(p[:, row:], p[:, :-row], out=flux_y).mul_(self.north)
        out[:, row:] += flux_y
        out[:, :-row] -= flux_y


class _InverseLaplacian:
    """-Δ⁻¹r on the interior nodes by products with the matrix of sines.

    The matrix is 0 at boundary nodes and for the modes 0 and n - 1, which no interior has.
    """

    def __init__(self, like: Tensor) -> None:
        n = like.shape[-1]
        k = np.arange(n)
        sines = np.sqrt(2 / (n - 1)) * np.sin(np.pi * np.outer(k, k) / (n - 1))
        sines[:, [0, -1]] = sines[[0, -1]] = 0
        one_axis = 4 * np.sin(np.pi / 2 * np.maximum(k, 1) / (n - 1)) ** 2
        self.sines = _like(like, sines)
        self.inverse_eigenvalues = _like(like, 1 / (one_axis[:, None] + one_axis))

    def __call__(self, r: Tensor) -> Tensor:
        n = len(self.sines)
        modes = self._transform(r.view(-1, n, n)).mul_(self.inverse_eigenvalues)
        return self._transform(modes).flatten(1)

    def _transform(self, x: Tensor) -> Tensor:
        # transposed, which two transforms undo: cuBLAS is faster on S @ x than on x @ S
        return self.sines @ (self.sines @ x).mT


def _dot(x: Tensor, y: Tensor) -> Tensor:
    return (x * y).sum(1, keepdim=True)


def _both_axes(matrix: Array, a: Tensor) -> Tensor:
    on_device = _like(a, matrix)
    return on_device @ (a @ on_device.mT)


def _like(tensor: Tensor, array: Array) -> Tensor:
    return torch.as_tensor(array, dtype=tensor.dtype, device=tensor.device)
