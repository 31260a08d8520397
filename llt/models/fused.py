"""The blocks of LLT through the fused kernels: the same function as `Block.forward`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from llt.kernels import fused
from llt.kernels.dispatch import product_type

if TYPE_CHECKING:
    from llt.models.llt import Block, LocalAttention, LocalConv

EPS = 1e-6  # of the linear attention's denominator

Reverse = tuple[Tensor, Tensor]


# Triton has compiled it; a compiler around it may take the rest
@torch.compiler.disable  # type: ignore[untyped-decorator]
def run_blocks(
    blocks: Iterable[Block],
    h: Tensor,
    condition: Tensor | None,
    grid: tuple[int, ...] | None,
    neighbors: Tensor | None,
    mask: Tensor | None,
) -> Tensor:
    kind = product_type(h)
    with torch.autocast(h.device.type, enabled=False):
        h = h.float().contiguous()
        reverse = None if neighbors is None else fused.reverse_lists(neighbors)
        for block in blocks:
            h = _block(block, h, kind, condition, grid, neighbors, reverse, mask)
    return h


def _block(
    block: Block,
    h: Tensor,
    kind: torch.dtype,
    condition: Tensor | None,
    grid: tuple[int, ...] | None,
    neighbors: Tensor | None,
    reverse: Reverse | None,
    mask: Tensor | None,
) -> Tensor:
    attention, norm, local = block.attention, block.norm1, block.attention.local
    film = None
    if block.film is not None and condition is not None:
        film = block.film(condition.float())
    h, n, proj, state = fused.Project.apply(
        h, norm.gain, film, mask, attention.qkv.weight, attention.gate.weight,
        attention.gate.bias, attention.heads, norm.eps, kind,
    )  # fmt: skip
    if neighbors is None:
        local = cast("LocalConv", local)
        c = fused.DepthwiseConv.apply(n, local.depthwise.weight, local.depthwise.bias, grid)
        near = fused.Linear.apply(c, local.pointwise.weight, local.pointwise.bias)
    else:
        assert reverse is not None
        local = cast("LocalAttention", local)
        qkv = fused.Linear.apply(n, local.qkv.weight, None)
        near = fused.NeighborAttention.apply(qkv, neighbors, *reverse, local.heads)
    h = fused.Mix.apply(
        h, proj, state, near, attention.out.weight, attention.out.bias, attention.alpha, EPS,
    )  # fmt: skip
    return cast(
        Tensor,
        fused.FeedForward.apply(
            h, block.norm2.gain, block.ffn.gate_up.weight, block.ffn.out.weight,
            block.norm2.eps, kind,
        ),
    )  # fmt: skip
