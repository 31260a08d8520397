"""What training would cost on many GPUs: calculated, not measured.

The pieces are times of one GPU from the records, bytes from the models' own numbers, and speeds
of networks that others have published. Nothing is taken to be hidden behind computing.

A sum of b bytes over P GPUs: its start + 2 b (P - 1) / P at the speed of the slowest link
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2
from typing import Any

import torch

from llt.bench.markdown import Lines, markdown
from llt.bench.record import Records
from llt.models import build_model
from llt.models.llt import LLT
from llt.presets import find_preset
from llt.problem import find_problem

GPUS = (8, 64, 512)
NODE = 8  # GPUs in one machine
POINTS = 10_000_000
SIDE = 3_162  # of a grid of about as many
LAYERS = 2  # of points around a part that 32 neighbors in space reach
STEP = 3  # a training step takes as long as that many predictions
FLOAT = 4  # bytes

# bytes a second: github.com/NVIDIA/nccl-tests issues 290 (sums in a node, a GPU's own link to
# other nodes) and 212 (from one GPU of a node to another)
SUMS, NEIGHBOR, LINK = 476e9, 370e9, 47e9
# seconds: 6 us between two H100 were reported (github.com/NVIDIA/nccl issue 1259); between nodes
# they are assumptions
START, START_BETWEEN, START_DOUBLED = 10e-6, 30e-6, 10e-6


def sum_seconds(size: float, gpus: int) -> float:
    """A sum of so many bytes over all GPUs; between nodes, all links of a node carry it."""
    speed, start = SUMS, START
    if gpus > NODE:
        speed = min(SUMS, NODE * LINK)
        start = START_BETWEEN + START_DOUBLED * log2(gpus / NODE)
    return start + 2 * size * (gpus - 1) / gpus / speed


def halo_seconds(size: float, gpus: int) -> float:
    """So many bytes from one GPU to those that have the neighboring parts."""
    return START + size / NEIGHBOR if gpus <= NODE else START_BETWEEN + size / LINK


@dataclass(frozen=True, slots=True)
class Step:
    """A training step on a mesh in parts, one on every GPU."""

    model: LLT
    gpus: int
    halo: float  # points that a part reads of others
    computing: float  # seconds

    @property
    def messages(self) -> int:
        """Of every kind: one in each block, and one for its gradient."""
        return 2 * int(self.model.arguments["num_layers"])

    @property
    def halos(self) -> float:
        return self.messages * halo_seconds(self.halo * point_bytes(self.model), self.gpus)

    @property
    def states(self) -> float:
        return self.messages * sum_seconds(state_bytes(self.model), self.gpus)

    @property
    def share(self) -> float:
        """Of the time that is spent computing."""
        return self.computing / (self.computing + self.halos + self.states)


def point_bytes(model: LLT) -> int:
    """Of a point in a halo."""
    return FLOAT * model.about.dim


def state_bytes(model: LLT) -> int:
    """Of a block's state: a matrix and a vector for every head."""
    return FLOAT * model.about.dim * (model.about.rank + 1)


def gradient_bytes(model: LLT) -> int:
    return FLOAT * sum(p.numel() for p in model.parameters())


def preset_model(problem: str) -> LLT:
    """The model in the size of its preset, without memory."""
    with torch.device("meta"):
        model = build_model("llt", find_problem(problem), **find_preset(problem).model)
    assert isinstance(model, LLT)
    return model


def point_set(results: Mapping[str, Any], gpus: int) -> Step:
    """Cubes of points; `results` are of predictions of the Car preset."""
    part = POINTS / gpus
    forward = results["car, 65536 points"]["at once s"] / 65_536
    halo = 6 * LAYERS * part ** (2 / 3)
    return Step(preset_model("car"), gpus, halo, STEP * forward * part)


def square_grid(results: Mapping[str, Any], gpus: int) -> Step:
    """Strips of rows; `results` are training steps on growing grids, the largest one counts."""
    model = preset_model("darcy")
    reach = max(model.embedder.reach, model.about.reach)
    rows = [row for row in results["scaling"]["rows"] if row["model"] == "llt" and row["ms"]]
    last = max(rows, key=lambda row: row["num_points"])
    batch = 4  # of `llt bench cost`
    seconds = 1e-3 * last["ms"] / (batch * last["num_points"])
    return Step(model, gpus, 2 * reach * SIDE, seconds * SIDE**2 / gpus)


def scale_out(records: Records) -> Lines:
    """Shares of batches, then a point set and a grid in parts."""
    darcy = 1e-3 * records["cost/step-h200"].results["llt graph fp16 fused"]["ms"]
    size = gradient_bytes(preset_model("darcy"))
    sums = [sum_seconds(size, gpus) for gpus in GPUS]
    sets = [point_set(records["prediction/chunks-h200"].results, gpus) for gpus in GPUS]
    grids = [square_grid(records["cost/scaling-h200"].results, gpus) for gpus in GPUS]
    points = [f"{_round(POINTS / step.gpus)} + {_round(step.halo)}" for step in sets]
    rows = [f"{SIDE / step.gpus:.0f} + {step.halo / SIDE:.0f}" for step in grids]
    share = "of the time, spent computing"
    lines = [
        ("Darcy, 4 samples on every GPU: the sum of the gradients", *map(_time, sums)),
        (share, *(_percent(darcy / (darcy + sum_)) for sum_ in sums)),
        (f"{POINTS / 1e6:.0f} million points: those of a part, and its halo", *points),
        *_part_lines(sets),
        (share, *(_percent(step.share) for step in sets)),
        (f"a grid of {SIDE:,} x {SIDE:,}: rows of a part, and its halo", *rows),
        *_part_lines(grids),
        (share, *(_percent(step.share) for step in grids)),
    ]
    return markdown(("", f"{GPUS[0]} GPUs", *map(str, GPUS[1:])), lines)


def _part_lines(steps: list[Step]) -> list[tuple[str, ...]]:
    one = steps[0]
    halos = f"halos, {one.messages} of {point_bytes(one.model)} bytes a point"
    states = f"states, {one.messages} of {state_bytes(one.model) / 1e3:.1f} KB"
    blocks = f"computing, {one.messages // 2} blocks, forward and backward"
    return [
        (blocks, *(_time(step.computing) for step in steps)),
        (halos, *(_time(step.halos) for step in steps)),
        (states, *(_time(step.states) for step in steps)),
    ]


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} s"
    ms = 1e3 * seconds
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms" if ms >= 1 else f"{ms:.2f} ms"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share > 0.99 else f"{100 * share:.0f} %"


def _round(number: float) -> str:
    """To three digits, which is all that a calculation has."""
    return f"{float(f'{number:.3g}'):,.0f}"
