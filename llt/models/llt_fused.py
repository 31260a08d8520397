"""The blocks of LLT through the fused kernels: the same function as `Block.forward`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import Tensor, nn

from llt.kernels import fused
from llt.kernels.dispatch import product_type
from llt.kernels.reference import EPS

if TYPE_CHECKING:
    from llt.models.llt import Block, LocalAttention, LocalConv


class Narrow(NamedTuple):
    """The matrices of a block in the type of the products."""

    qkv: Tensor
    gate: Tensor
    out: Tensor
    local: Tensor
    gate_up: Tensor
    down: Tensor


# Triton has compiled it; a compiler around it may take the rest
@torch.compiler.disable  # type: ignore[untyped-decorator]
def run_blocks(
    blocks: Sequence[Block],
    h: Tensor,
    condition: Tensor | None,
    grid: tuple[int, ...] | None,
    neighbors: Tensor | None,
    mask: Tensor | None,
) -> Tensor:
    kind = product_type(h)
    with torch.autocast(h.device.type, enabled=False):
        h = h.float().contiguous()
        graph = None if neighbors is None else (neighbors, *fused.reverse_lists(neighbors))
        for block, narrow in zip(blocks, narrow_weights(blocks, kind), strict=True):
            h = _block(block, narrow, h, condition, grid, graph, mask)
    return h


def narrow_weights(blocks: Sequence[Block], kind: torch.dtype) -> list[Narrow]:
    """All matrices at once: a copy for each would cost a launch for each."""
    masters = [weight.detach() for block in blocks for weight in _matrices(block)]
    flat = torch.cat([weight.reshape(-1) for weight in masters]).to(kind)
    pieces = flat.split([weight.numel() for weight in masters])
    views = [piece.view_as(weight) for piece, weight in zip(pieces, masters, strict=True)]
    count = len(Narrow._fields)
    return [Narrow(*views[i : i + count]) for i in range(0, len(views), count)]


def _matrices(block: Block) -> tuple[Tensor, ...]:
    """In the order of `Narrow`."""
    attention, local = block.attention, block.attention.local
    near = cast(nn.Linear, local.qkv if hasattr(local, "qkv") else local.pointwise)
    layers = (attention.qkv, attention.gate, attention.out, near, block.ffn.gate_up, block.ffn.out)
    return tuple(layer.weight for layer in layers)


def _block(
    block: Block,
    narrow: Narrow,
    h: Tensor,
    condition: Tensor | None,
    grid: tuple[int, ...] | None,
    graph: tuple[Tensor, ...] | None,
    mask: Tensor | None,
) -> Tensor:
    attention, norm, ffn = block.attention, block.norm1, block.ffn
    film = None
    if block.film is not None and condition is not None:
        film = block.film(condition.float())
    h, n, proj, state = fused.Project.apply(
        h, norm.gain, film, mask, attention.qkv.weight, attention.gate.weight,
        attention.gate.bias, attention.heads, norm.eps, narrow.qkv, narrow.gate,
    )  # fmt: skip
    if graph is None:
        conv = cast("LocalConv", attention.local)
        c = fused.DepthwiseConv.apply(n, conv.depthwise.weight, conv.depthwise.bias, grid)
        near = fused.Linear.apply(c, conv.pointwise.weight, conv.pointwise.bias, narrow.local)
    else:
        local = cast("LocalAttention", attention.local)
        qkv = fused.Linear.apply(n, local.qkv.weight, None, narrow.local)
        near = fused.NeighborAttention.apply(qkv, *graph, local.heads)
    h = fused.Mix.apply(
        h, proj, state, near, attention.out.weight, attention.out.bias, attention.alpha, EPS,
        narrow.out,
    )  # fmt: skip
    return cast(
        Tensor,
        fused.FeedForward.apply(
            h, block.norm2.gain, ffn.gate_up.weight, ffn.out.weight, block.norm2.eps,
            narrow.gate_up, narrow.down,
        ),
    )  # fmt: skip
