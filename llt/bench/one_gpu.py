"""Several processes where there is one GPU: what can be measured without others.

A group of one: a captured step whose gradients go through NCCL to nobody else, beside one without
a group. It costs all that sums cost but the way to other GPUs.

Sharing: two processes on the same GPU over gloo, uncaptured in float32, beside one process: they
must compute the same. One process is also beside itself, since sums on a GPU come in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from math import ceil
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray

from llt.bench.case import Case
from llt.bench.parallel import (
    WARMUP,
    crew_of,
    layouts,
    take_step,
    training_step,
    weights_of,
)
from llt.runtime.team import ALONE
from llt.training.step import TrainingStep

BLOCK = 10  # steps between two looks at the clock: launches hide behind the steps before
SHARED = 5  # steps of processes that share a GPU

Weights = NDArray[np.float32]


def measure_group(
    case: Case, device: torch.device, *, batch_size: int, steps: int
) -> dict[str, Any]:
    """Milliseconds of a step alone and in a group of one, in turns; captured on a GPU."""
    with _pair(case, device, batch_size) as pair:
        for _ in range(WARMUP):
            _turn(pair, device)
        turns = [_turn(pair, device, n % 2) for n in range(ceil(steps / BLOCK))]
        weights = [step.optimizer.parameters.flat.cpu().numpy() for step in pair]
        ratios = [theirs / ours for ours, theirs in turns]
        return {
            "alone_ms": median(ours for ours, _ in turns),
            "group_ms": median(theirs for _, theirs in turns),
            "ratio": median(ratios),
            "ratio_quartiles": quantiles(ratios, n=4)[::2] if len(ratios) > 1 else ratios * 2,
            "weights_difference": _apart(weights[1], weights[0]),
            "summed_bytes": weights[0].nbytes,
            "mode": pair[0].config.mode,
            "precision": pair[0].config.precision,
            "kernels": pair[0].surrogate.plan.kernels,
        }


@contextmanager
def _pair(case: Case, device: torch.device, batch_size: int) -> Iterator[list[TrainingStep]]:
    """The steps; what was captured is given up before the group ends, which would wait for it."""
    on_gpu, pair = device.type == "cuda", []
    backend, mode = ("nccl", "graph") if on_gpu else ("gloo", "eager")
    store = dist.HashStore()  # type: ignore[attr-defined]
    dist.init_process_group(backend, store=store, rank=0, world_size=1)
    try:
        for team in (ALONE, replace(ALONE, size=2)):  # two, so that it sums
            step = training_step(
                case,
                batch_size,
                team,
                device,
                trained=BLOCK * batch_size,
                mode=mode,
                precision="auto",
            )
            pair.append(step)
        yield pair
    finally:
        for step in pair:
            step.release()
        dist.destroy_process_group()


def _turn(
    pair: Sequence[TrainingStep], device: torch.device, first: int = 0
) -> tuple[float, float]:
    """Milliseconds of a step of each; `first` begins."""
    found = {place: _milliseconds(pair[place], device) for place in (first, 1 - first)}
    return found[0], found[1]


def _milliseconds(step: TrainingStep, device: torch.device) -> float:
    """Of a step, over an epoch of one block."""
    step.start_epoch(0)
    _finish(device)
    start = perf_counter()
    for _ in range(BLOCK):
        step()
    _finish(device)
    return 1e3 * (perf_counter() - start) / BLOCK


def _finish(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def measure_sharing(
    case: Case, device: str, *, batch_size: int, steps: int = SHARED
) -> list[dict[str, Any]]:
    """How far weights and loss of each layout are from those of one process, after some steps.

    Args:
        device: a GPU by its number, as cuda:0.
    """
    one, *several = layouts([2])
    plan = [one, one, *several]
    with ExitStack() as stack:
        crews = [stack.enter_context(crew_of(case, layout, batch_size, device)) for layout in plan]
        before = weights_of(crews[0])[0]
        for _ in range(steps):
            losses = [take_step(crew).loss for crew in crews]
        weights = [weights_of(crew) for crew in crews]
    after = weights[0][0]
    return [
        {
            **asdict(layout),
            "steps": steps,
            "weights_difference": max(_apart(theirs, after) for theirs in found),
            "loss_difference": abs(loss / losses[0] - 1),
            "weights_change": _apart(after, before),  # by the training itself
        }
        for layout, found, loss in list(zip(plan, weights, losses, strict=True))[1:]
    ]


def _apart(ours: Weights, theirs: Weights) -> float:
    """The relative difference of two vectors."""
    apart = ours.astype(np.float64) - theirs
    return float(np.linalg.norm(apart) / np.linalg.norm(theirs.astype(np.float64)))
