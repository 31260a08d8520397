"""Measured time of each part of an LLT step beside its floor.

Each part is run on its own, forward and backward, from random numbers in the shapes it has in the
step. Their sum need not be the whole: a captured step has no gaps, a compiled one fuses across
parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn

from llt import kernels
from llt.bench.case import Case
from llt.bench.cost import ExecutionMode, Protocol, build_step, executions, measure, reason
from llt.bench.floor import Ceilings, measure_ceilings, needs
from llt.bench.timing import Work, captured, release_memory, times_ms
from llt.errors import ConfigError
from llt.models.llt.block import Neighborhood
from llt.models.llt.definition import LLT
from llt.runtime.device import matmul_precision
from llt.training.loss import relative_l2
from llt.training.step import TrainingStep


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the step and how to run it once."""

    name: str
    title: str
    count: int  # times it occurs in a step
    build: Callable[[bool], Work]  # compiled or not


def roofline(case: Case, protocol: Protocol) -> dict[str, Any]:
    """Floor and time of every part of the complete step, and of the whole, on a grid."""
    if case.problem.grid is None or case.problem.timed:
        raise ConfigError(f"{case.name}: the roofline is counted for steady problems on grids")
    protocol = replace(protocol, optimizer=True)
    with matmul_precision(protocol.precision):
        ceilings = measure_ceilings(protocol.device, protocol.precision)
        rows = _part_rows(case, protocol, ceilings)
    release_memory(protocol.device)
    whole = {
        "part": "whole step",
        "count": 1,
        **{key: sum(row[key] for row in rows) for key in ("gflop", "mib", "floor_ms")},
        "bound": None,
        "ms": {str(way): _whole_step(case, way, protocol) for way in executions("llt", protocol)},
    }
    return {
        "case": case.name,
        "num_points": case.num_points,
        "ceilings": {"tflops": ceilings.flops / 1e12, "gb_per_s": ceilings.bytes / 1e9},
        "parts": [*rows, whole],
    }


def _part_rows(case: Case, protocol: Protocol, ceilings: Ceilings) -> list[dict[str, Any]]:
    step = build_step(case, "llt", protocol)
    assert isinstance(step.surrogate.model, LLT)
    least = needs(step.surrogate.model, protocol.batch_size * case.num_points, protocol.precision)
    rows = []
    for part in _parts(step):
        need = part.count * least[part.name]
        rows.append(
            {
                "part": part.title,
                "count": part.count,
                "gflop": need.flops / 1e9,
                "mib": need.bytes / 2**20,
                "floor_ms": ceilings.floor_ms(need),
                "bound": ceilings.bound(need),
                "ms": {str(w): _part_time(part, w, protocol) for w in executions("llt", protocol)},
            }
        )
    return rows


def _part_time(part: Part, way: ExecutionMode, protocol: Protocol) -> float | str:
    """Median milliseconds of all occurrences in a step, or the reason why there are none."""
    try:
        with kernels.use(way.kernels):
            work = part.build(way.mode == "compile")
            work = work if way.mode == "eager" else captured(work)
            times = times_ms(work, protocol.warmup + protocol.repetitions, protocol.device)
    except Exception as error:  # one part must not lose the others
        return reason(error)
    return part.count * median(times[protocol.warmup :])


def _whole_step(case: Case, way: ExecutionMode, protocol: Protocol) -> float | str | None:
    row = measure(case, "llt", way, protocol)
    return row.ms if row.reason is None else row.reason


def _parts(step: TrainingStep) -> list[Part]:
    """The step cut into pieces."""
    model, encode = step.surrogate.model, step.surrogate.normalizer
    assert isinstance(model, LLT)
    block, around = model.layers[0], Neighborhood(model.problem.grid)
    batch = step.data.batch(step.items[0])
    x, a = step.surrogate.encode_points(batch.x), encode.encode_inputs(batch.a)

    def embed() -> tuple[Tensor, ...]:
        return model.embed(x, a, around)

    with torch.no_grad(), step.autocast():
        h, skip = embed()
    h.requires_grad_()
    skip.requires_grad_()

    def pass_block() -> tuple[Tensor, ...]:
        return (model.run_blocks([block], h, around),)

    def read_out() -> tuple[Tensor, ...]:
        u = encode.decode(model.decode(h, skip))
        return (relative_l2(u, batch.u).sum(),)

    def update(compiled: bool) -> Work:
        for parameter in step.optimizer.parameters:
            parameter.grad = torch.randn_like(parameter)
        return lambda: step.optimizer.step(step.count)

    def passes(run: Callable[[], tuple[Tensor, ...]], *into: nn.Module | Tensor) -> Any:
        return lambda compiled: _forward_backward(run, into, compiled, step)

    layers = len(model.blocks)
    head = (model.norm, model.head, h, skip)
    return [
        Part("embedder", "embedder", 1, passes(embed, model.embedder, model.skip)),
        Part("block", "blocks", layers, passes(pass_block, block, h)),
        Part("head", "head and loss", 1, passes(read_out, *head)),
        Part("optimizer", "clip and update", 1, update),
    ]


def _forward_backward(
    run: Callable[[], tuple[Tensor, ...]],
    into: Sequence[nn.Module | Tensor],
    compiled: bool,
    step: TrainingStep,
) -> Work:
    """Run forward, then the gradients of all parameters and tensors in `into`."""
    forward = torch.compile(run, dynamic=False) if compiled else run
    leaves = [leaf for part in into for leaf in _leaves(part) if leaf.requires_grad]

    def outputs() -> list[Tensor]:
        with step.autocast():
            return [z for z in forward() if z.requires_grad]

    directions = [torch.randn_like(z) for z in outputs()]
    return lambda: torch.autograd.grad(outputs(), leaves, directions)


def _leaves(part: nn.Module | Tensor) -> list[Tensor]:
    return [part] if isinstance(part, Tensor) else list(part.parameters())
