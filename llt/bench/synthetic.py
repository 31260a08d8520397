"""Random data of the right shapes: what a step costs does not depend on what is in it.

Never zeros, which processors multiply with less power and so at higher clocks. Points lie on a
lattice. Where the geometry is the input every sample has its own, shifted points; on point sets
that gives about as many neighbors as the benchmark's meshes have (Elasticity: 11 at most, 12).
"""

from __future__ import annotations

from math import ceil, prod

import numpy as np
from numpy.typing import NDArray

from llt.bench.case import Case
from llt.data.dataset import Dataset
from llt.data.splits import Splits

Floats = NDArray[np.float32]
SHIFT = 0.2  # of the lattice's spacing
MASKED = 8  # one point in so many is in a mask


def random_dataset(case: Case, num_samples: int) -> Dataset:
    """Standard normal fields; all samples are in the training split."""
    problem, rng = case.problem, np.random.default_rng(0)

    def normal(*shape: int) -> Floats:
        return rng.standard_normal(shape, dtype=np.float32)

    shape = problem.grid or _cube(case.num_points, problem.space_dim)
    points = _lattice(shape)[: case.num_points]
    if problem.grid is None or not problem.inputs:
        spacing = 1 / (np.array(shape) - 1)
        shift = rng.uniform(-SHIFT, SHIFT, (num_samples, *points.shape)) * spacing
        points = (points + shift).astype(np.float32)
    moments = (1,) if problem.timed else ()
    return Dataset(
        problem=problem,
        points=points,
        inputs=normal(num_samples, case.num_points, problem.in_channels),
        outputs=normal(num_samples, *moments, case.num_points, problem.out_channels),
        masks={name: np.arange(case.num_points) % MASKED == 0 for name in problem.mask_names},
        derived=normal(num_samples, len(problem.derived)),
        times=np.array([0.5]) if problem.timed else None,
        splits=Splits.consecutive(num_samples, 0, 0),
    )


def _cube(num_points: int, space_dim: int) -> tuple[int, ...]:
    """Sides of the smallest cube of lattice points that holds so many."""
    side = ceil(num_points ** (1 / space_dim) - 1e-9)
    return (side,) * space_dim


def _lattice(shape: tuple[int, ...]) -> Floats:
    axes = [np.linspace(0, 1, n, dtype=np.float32) for n in shape]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(prod(shape), len(shape))
