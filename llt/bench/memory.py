"""What a training step takes on a mesh that hardly fits: whole, computed twice, or a part of it.

whole      all activations are kept for the gradient
recompute  of every block only what enters it is kept, and the rest computed again
part       the step is on a random part of the points of a sample

Each has a process of its own, whose memory the others have not filled.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import torch

from llt.bench.case import Case
from llt.bench.synthetic import random_dataset
from llt.data.splits import Splits
from llt.runtime.device import find_device
from llt.training.config import TrainConfig
from llt.training.trial import peak_memory, try_training

WAYS = ("whole", "recompute", "part")
TRAINED = 2  # samples


def measure_memory(case: Case, device: str, *, share: int) -> list[dict[str, Any]]:
    """Seconds and bytes of a step of one sample, in every way; grids have no random parts.

    Args:
        share: a part has one point in so many.
    """
    rows, ways = [], WAYS if case.problem.grid is None else WAYS[:-1]
    for way in ways:
        # forked processes would inherit the threads of this one, and hang
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
            rows.append(apart.submit(_measure, case, way, device, share).result())
    return rows


def _measure(case: Case, way: str, device: str, share: int) -> dict[str, Any]:
    target = find_device(device)
    before = (peak_memory(target) or 0) if target.type == "cpu" else 0  # libraries, mostly
    points = case.num_points // share if way == "part" else 0
    config = TrainConfig(batch_size=1, epochs=1, points=points, recompute=way == "recompute")
    data = replace(random_dataset(case, TRAINED + 1), splits=Splits.consecutive(TRAINED, 1, 0))
    settings = case.settings["llt"]
    trial = try_training(data, model="llt", model_settings=settings, config=config, device=device)
    return {
        "way": way,
        "points": points or case.num_points,
        "seconds": trial.seconds_per_step,
        "bytes": (trial.memory_bytes or 0) - before,
        "threads": torch.get_num_threads(),
        "precision": trial.precision,
        "kernels": trial.kernels,
    }
