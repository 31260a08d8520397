"""The blocks of LLT through the fused kernels: the same function as `Block.forward`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from llt.kernels import fused
from llt.kernels.dispatch import product_type
from llt.kernels.fused.block import Settings
from llt.kernels.reference import EPS

if TYPE_CHECKING:
    from llt.models.llt import Block


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
        h = h.to(torch.float16 if kind is torch.float16 else torch.float32).contiguous()
        lists = None if neighbors is None else (neighbors, *fused.reverse_lists(neighbors))
        where = fused.Local(grid, lists)
        for block, matrices in zip(blocks, narrow_weights(blocks, kind), strict=True):
            h = _run(block, matrices, h, condition, where, mask)
        return h.float()


def narrow_weights(blocks: Sequence[Block], kind: torch.dtype) -> list[fused.Matrices]:
    """All matrices at once: a copy for each would cost a launch for each."""
    masters = [weight.detach() for block in blocks for weight in _matrices(block)]
    flat = torch.cat([weight.reshape(-1) for weight in masters]).to(kind)
    pieces = flat.split([weight.numel() for weight in masters])
    views = [piece.view_as(weight) for piece, weight in zip(pieces, masters, strict=True)]
    count = len(fused.Matrices._fields)
    return [fused.Matrices(*views[i : i + count]) for i in range(0, len(views), count)]


def _matrices(block: Block) -> fused.Matrices:
    attention, ffn = block.attention, block.ffn
    local = list(attention.local.parameters())
    near = local[0] if len(local) == 1 else local[2]
    layers = (attention.qkv, attention.gate, attention.out)
    return fused.Matrices(*(z.weight for z in layers), near, ffn.gate_up.weight, ffn.out.weight)


def _run(
    block: Block,
    matrices: fused.Matrices,
    h: Tensor,
    condition: Tensor | None,
    where: fused.Local,
    mask: Tensor | None,
) -> Tensor:
    attention, ffn = block.attention, block.ffn
    film = None
    if block.film is not None and condition is not None:
        film = block.film(condition.float())
    settings = Settings(attention.heads, attention.alpha, EPS, block.norm1.eps)
    gate, out = cast(nn.Linear, attention.gate), cast(nn.Linear, attention.out)
    return cast(
        Tensor,
        fused.Block.apply(
            h, film, mask, where, settings, matrices, block.norm1.gain, attention.qkv.weight,
            gate.weight, gate.bias, out.weight, out.bias, block.norm2.gain, ffn.gate_up.weight,
            ffn.out.weight, *attention.local.parameters(),
        ),
    )  # fmt: skip
