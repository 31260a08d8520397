"""Settings that fit the size of a file's cases and the memory of the machine.

A user's own problem has no sizes that anybody has measured. Large point sets of it are cut into
parts that a step can hold, grids that it cannot hold are thinned, and batches are as large as the
memory allows; what a person asks for stays. Where a CPU has time for few steps, most of them are on
coarser grids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log, prod
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
GRADED = 2**12  # points of a grid from which on coarser ones are worth it
FEW_STEPS = 1000  # on a whole grid: with so few, most are better spent on coarser ones
COARSEST = 2**10  # points that these have at least
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

    def shared(self, processes: int) -> Room:
        """What each of several processes on this machine may count on."""
        memory = self.memory // processes if self.device == "cpu" else self.memory
        return replace(self, memory=memory, host=self.host // processes)


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


def graded(problem: Problem, model: str) -> dict[str, dict[str, Any]]:
    """For short trainings: most steps on a large grid are on coarser ones, which cost little.

    One step in eight is on the grid itself, two are on about every second point along each axis and
    five on every fourth; where only one of these fits, one in four and three. LLT sees the spacing.
    In the same time LLT's errors are smaller by a sixth to two thirds (docs/recipes.md).
    """
    strides = _graded_strides(problem.grid) if problem.grid is not None else []
    if not strides:
        return {"model": {}, "train": {}}
    return {"model": {"spacing": True} if model == "llt" else {}, "train": {"strides": strides}}


def _graded_strides(grid: tuple[int, ...]) -> list[list[int]]:
    """As often as they are to be drawn; none on small grids, and where no coarser one fits."""
    if prod(grid) <= GRADED:
        return []
    levels = dict.fromkeys(tuple(_nearest_stride(n, k) for n in grid) for k in (2, 4))
    few = [k for k in levels if max(k) > 1 and prod(thinned_grid(grid, k)) >= COARSEST]
    drawn = [few[0]] * 2 + [few[1]] * 5 if len(few) == 2 else few * 3
    return [list(stride) for stride in [(1,) * len(grid), *drawn]] if drawn else []


def _nearest_stride(n: int, k: int) -> int:
    """Of those that fit an axis of n points, by their ratio."""
    return min(fitting_strides(n), key=lambda one: abs(log(one / k)))
