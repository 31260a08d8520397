"""The least time the hardware allows for each part of an LLT step on a grid.

    floor = max(flops / flops per second, bytes / bytes per second)

Both are counted from the model's sizes, forward and backward: every product once forward and once
for each gradient that is needed; a part reads its input and writes its output once per pass and
keeps all else on the chip. The ceilings are measured: a large matrix product, a large copy. Tensors
that fit in the cache may go below the floor's bytes.

Shapes: P points of a batch, D width, s the raw input.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from llt.bench.timing import times_ms
from llt.models.llt.definition import LLT
from llt.models.llt.description import Description
from llt.runtime.device import HALF

WEIGHT_BYTES = 3 * 4  # a float32 weight is read forward and backward, its gradient written
ADAM_FLOPS, ADAM_BYTES = 15, 7 * 4  # per parameter; four vectors are read, three written


@dataclass(frozen=True, slots=True)
class Need:
    """What one forward and backward pass of a part takes at least."""

    flops: float
    bytes: float

    def __add__(self, other: Need) -> Need:
        return Need(self.flops + other.flops, self.bytes + other.bytes)

    def __rmul__(self, count: int) -> Need:
        return Need(count * self.flops, count * self.bytes)


@dataclass(frozen=True, slots=True)
class Ceilings:
    """The most the device did in a second; bytes read and written."""

    flops: float
    bytes: float

    def floor_ms(self, need: Need) -> float:
        return 1e3 * max(need.flops / self.flops, need.bytes / self.bytes)

    def bound(self, need: Need) -> str:
        return "flops" if need.flops / self.flops > need.bytes / self.bytes else "bytes"


def measure_ceilings(device: torch.device, precision: str) -> Ceilings:
    """The best of several tries; call it under the `matmul_precision` of the run."""
    cuda = device.type == "cuda"
    side, length = (8192, 2**28) if cuda else (1024, 2**24)
    dtype = HALF.get(precision, torch.float32)
    a, b = (torch.randn(side, side, device=device).to(dtype) for _ in range(2))
    product = min(times_ms(lambda: a @ b, 10, device)[2:]) / 1e3
    source = torch.randn(length, device=device)
    target = torch.empty_like(source)
    copy = min(times_ms(lambda: target.copy_(source), 10, device)[2:]) / 1e3
    return Ceilings(flops=2 * side**3 / product, bytes=2 * 4 * length / copy)


def needs(model: LLT, num_points: int, precision: str) -> dict[str, Need]:
    """By part: embedder, one block, head and loss, optimizer.

    `num_points` are those of the whole batch.
    """
    P, D, outputs = num_points, model.about.dim, model.problem.out_channels
    size = 2 if precision in HALF else 4
    flops = {
        "embedder": _embedder_flops(model, P),
        "block": _products(P, model.layers[0]) + _attention_flops(model.about, P),
        "head": _products(P, model.head),
    }
    fields = model.problem.space_dim + model.problem.in_channels
    activations = {
        # h and the skip connection, and their gradients
        "embedder": 2 * fields + 4 * D,
        # attention reads the points twice in each pass, for the sums and with them; then the FFN
        "block": 8 * D + 5 * D,
        # the loss must be known before its gradient, so all is read twice
        "head": 2 * (2 * D + outputs) + D,
    }
    modules: dict[str, list[nn.Module]] = {
        "embedder": [model.embedder, model.skip],
        "block": [model.layers[0]],
        "head": [model.norm, model.head],
    }
    found = {}
    for name, parts in modules.items():
        weights = WEIGHT_BYTES * sum(map(_count, parts))
        found[name] = Need(flops[name], size * P * activations[name] + weights)
    parameters = _count(model)
    found["optimizer"] = Need(ADAM_FLOPS * parameters, ADAM_BYTES * parameters)
    return found


def _embedder_flops(model: LLT, P: int) -> float:
    """Coordinates and fields need no gradient: what is learned in s is the convolution branch."""
    embedder = model.embedder
    hidden, _, out = embedder.mlp
    flops = _products(P, out)
    learned = 0
    if embedder.conv is not None:
        first, _, second = embedder.conv.layers
        flops += 2 / 3 * _products(P, first) + _products(P, second)
        learned = model.about.dim
    for reading_s in (hidden, model.skip):
        flops += (2 + learned / embedder.raw_dim) / 3 * _products(P, reading_s)
    return round(flops)


def _attention_flops(about: Description, P: int) -> float:
    """φ(k) vᵀ, φ(q) S and φ(q) z, each once forward and once for each of its two gradients."""
    return 6.0 * P * about.dim * (2 * about.rank + 1)


def _products(P: int, module: nn.Module) -> float:
    """Every weight of a product multiplies P numbers: forward, for itself and for its input."""
    return 6.0 * P * sum(p.numel() for p in module.parameters() if p.dim() > 1)


def _count(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())
