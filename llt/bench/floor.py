"""The least time the hardware allows for each part of an LLT step on a grid.

    floor = max(flops / flops per second, bytes / bytes per second)

Both are counted from the model's sizes, forward and backward: every product once forward and once
for each gradient that is needed; a part reads its input and writes its output once per pass and
keeps all else on the chip. The ceilings are measured: a large matrix product, a large copy. Tensors
that fit in the cache may go below the floor's bytes.

Shapes: P points of a batch, D width, C channels per head, F width of the FFN, S of the raw input s.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from llt.bench.timing import times_ms
from llt.models.llt.definition import LLT, Block, LocalConv
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
    """By part: embedder, one block and its halves, head and loss, optimizer.

    `num_points` are those of the whole batch.
    """
    P, D, S = num_points, model.norm.gain.numel(), model.embedder.raw_dim
    block = model.blocks[0]
    assert isinstance(block, Block)
    C, F = D // block.attention.heads, block.ffn.out.in_features
    fields = model.problem.space_dim + model.problem.in_channels
    outputs = model.problem.out_channels
    # coordinates and fields need no gradient: what is learned in s is the convolution branch
    learned = D if model.embedder.conv is not None else 0
    taps = 3**model.problem.space_dim
    size = 2 if precision in HALF else 4

    # to the hidden layer and, for the skip connection, to D
    embed = _product(P, S, 3 * D, learned) + _product(P, 2 * D, D)
    if learned:
        embed += _product(P, fields * taps, D, 0) + _product(P, D * taps, D)
    # q, k, v, gate, pointwise, out; φ(k) v, φ(q) (φ(k) v), φ(q) Σ φ(k); the depthwise convolution
    local = block.attention.local
    assert isinstance(local, LocalConv)
    attention = _product(P, D, 6 * D) + 2 * _product(P, C, D) + _product(P, D, 1)
    attention += _product(P, _weight(local.depthwise), 1)
    ffn = _product(P, D, 2 * F) + _product(P, F, D)
    head = _product(P, D, 2 * D) + _product(P, 2 * D, outputs)
    weights = {
        "embedder": _count(model.embedder) + _count(model.skip),
        "attention": _count(block.attention) + D,
        "ffn": _count(block.ffn) + D,
        "head": _count(model.norm) + _count(model.head),
    }
    activations = {
        # h and the skip connection, and their gradients
        "embedder": 2 * fields + 4 * D,
        # the points are read twice in each pass, for the sums and with the sums
        "attention": 3 * D + 5 * D,
        "ffn": 2 * D + 3 * D,
        # the loss must be known before its gradient, so all is read twice
        "head": 2 * (2 * D + outputs) + D,
    }
    flops = {"embedder": embed, "attention": attention, "ffn": ffn, "head": head}
    found = {
        name: Need(flops[name], size * P * activations[name] + WEIGHT_BYTES * weights[name])
        for name in flops
    }
    found["block"] = found["attention"] + found["ffn"]
    parameters = _count(model)
    found["optimizer"] = Need(ADAM_FLOPS * parameters, ADAM_BYTES * parameters)
    return found


def _product(points: int, inputs: int, outputs: int, learned: int | None = None) -> float:
    """Flops of a linear map: forward, for its weights, and for the inputs that need a gradient."""
    learned = inputs if learned is None else learned
    return 2.0 * points * outputs * (2 * inputs + learned)


def _weight(conv: nn.Module) -> int:
    """Products at every point of a convolution, without its bias."""
    weight = conv.weight
    assert isinstance(weight, Tensor)
    return weight.numel()


def _count(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())
