"""Settings that fit the size of a file's cases and the memory of the machine.

A user's own problem has no sizes that anybody has measured. Large point sets of it are cut into
parts that a step can hold, grids that it cannot hold are thinned, and batches are as large as the
memory allows; what a person asks for stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import torch

from llt.data.dataset import Dataset
from llt.data.thinning import fitting_strides, thinned_grid
from llt.models import build_model
from llt.problem import Problem
from llt.runtime.device import find_device, free_memory

# bytes that a training step keeps of a point for every channel of every block: measured on the CPU
# from 170 to 215; a GPU's fused kernels keep less
STEP_BYTES = 240
SHARE = 0.5  # of the free memory that a step may take
POINTS = {"cpu": 2**12, "cuda": 2**15}  # of a part: a step takes about a second on two CPU cores
FEWEST = 2**9  # points of a part, if memory allows no more
PARTS_SHARE = 0.125  # of the host's free memory that all parts and their graphs may take


@dataclass(frozen=True, slots=True)
class Room:
    """What there is to train on, and where."""

    samples: int  # to train on
    points: int  # of the largest of them
    bytes_per_point: float  # as stored, at all times
    device: str  # cpu or cuda
    memory: int  # free bytes of the device
    host: int  # and of the host

    @classmethod
    def of(cls, data: Dataset, device: str = "auto") -> Room:
        train, target = data.split("train"), find_device(device)
        return cls(
            samples=len(train),
            points=int(data.counts[train].max()),
            bytes_per_point=data.num_bytes / int(data.counts.sum()),
            device=target.type,
            memory=free_memory(target),
            host=free_memory(torch.device("cpu")),
        )


def fit(
    problem: Problem, model: str, settings: Mapping[str, Any], train: Mapping[str, Any], room: Room
) -> dict[str, Any]:
    """The training settings that the size of the cases asks for; none where all is well.

    Args:
        settings: of the model.
        train: the settings so far.
    """
    with torch.device("meta"):  # nothing is allocated
        network = build_model(model, problem, **settings)
    per_point = STEP_BYTES * network.arguments.get("dim", 128)
    per_point *= network.arguments.get("num_layers", 8)
    most = int(SHARE * room.memory / per_point)  # points that a step can hold
    found: dict[str, Any] = {}
    points = room.points
    part = min(POINTS[room.device], max(FEWEST, most))
    if problem.grid is None and points > 2 * part:
        points = part
        kept = points * (room.bytes_per_point + 4 * network.max_neighbors) * room.samples
        parts = min(room.points // points, int(PARTS_SHARE * room.host / kept))
        found |= {"points": points, "parts": max(1, parts)}
    if problem.grid is not None and points > most and (stride := _stride(problem.grid, most)):
        found["strides"] = [stride]
        points = prod(thinned_grid(problem.grid, (stride,) * len(problem.grid)))
    batch = max(1, min(train["batch_size"], most // points))
    if batch < train["batch_size"]:
        found["batch_size"] = batch
    return found


def _stride(grid: tuple[int, ...], most: int) -> int:
    """The smallest stride along all axes that leaves so many points at most; 0: none fits."""
    common = set.intersection(*(set(fitting_strides(n)) for n in grid))
    few = [k for k in common if prod(thinned_grid(grid, (k,) * len(grid))) <= most]
    return min(few, default=0)
