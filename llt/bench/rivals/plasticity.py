"""Plasticity: the same steps as operations on whole arrays (torch), up to the third frame."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import numpy as np

from llt.bench.rivals import Comparison, relative
from llt.errors import SolverError
from llt.solvers.base import Array, Solution, sample_rng
from llt.solvers.plasticity import Settings, solve_sample
from llt.solvers.plasticity.batched import solve_samples

PLAIN = "the same steps as array operations"
FRAMES = 3


def compare(index: int, settings: Settings) -> Comparison:
    part = FRAMES / settings.frames
    short = replace(settings, frames=FRAMES, drop=part * settings.drop)
    start = process_time()
    ours = solve_sample(sample_rng(0, index), short)
    middle = process_time()
    (plain,) = solve_samples([sample_rng(0, index)], short, device="cpu")
    seconds = process_time() - middle
    if isinstance(plain, SolverError):
        raise plain
    return Comparison(middle - start, seconds, relative(_moved(ours), _moved(plain)))


def _moved(sample: Solution) -> Array:
    return np.stack([sample.outputs["u_x"], sample.outputs["u_y"]])
