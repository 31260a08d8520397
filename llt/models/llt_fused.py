"""The blocks of LLT through the fused kernels: the same function as `Block.forward`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from llt.kernels import fused
from llt.kernels.dispatch import product_type
from llt.kernels.reference import EPS

if TYPE_CHECKING:
    from llt.models.llt import Block

MATRICES = ("qkv", "gate", "out", "gate_up", "down", "local")


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
        attention = blocks[0].attention
        settings = fused.Settings(attention.heads, attention.alpha, EPS, blocks[0].norm1.eps)
        parameters = [_parameters(block) for block in blocks]
        place, films = fused.Place(grid, lists), _films(blocks, condition)
        out = fused.Blocks.apply(
            h, films, mask, place, settings, narrow(parameters, kind),
            *(tensor for weights in parameters for tensor in weights if tensor is not None),
        )  # fmt: skip
        return cast(Tensor, out).float()


def _films(blocks: Sequence[Block], condition: Tensor | None) -> Tensor | None:
    """Scale and shift of all blocks, (blocks, B, 2 D)."""
    if condition is None:
        return None
    return torch.stack([block.film(condition.float()) for block in blocks if block.film])


def _parameters(block: Block) -> fused.Weights:
    attention, ffn = block.attention, block.ffn
    return fused.Weights(
        block.norm1.gain, attention.qkv.weight, attention.gate.weight, attention.gate.bias,
        attention.out.weight, attention.out.bias, block.norm2.gain, ffn.gate_up.weight,
        ffn.out.weight, *_local(block),
    )  # fmt: skip


def _local(block: Block) -> tuple[Tensor, ...]:
    from llt.models.llt import LocalConv

    local = block.attention.local
    if not isinstance(local, LocalConv):
        return (local.qkv.weight,)
    taps = local.depthwise.weight.flatten(1).T
    return local.pointwise.weight, local.pointwise.bias, taps, local.depthwise.bias


def narrow(parameters: Sequence[fused.Weights], kind: torch.dtype) -> list[fused.Weights]:
    """Matrices and taps in the type of the products, all in one copy: each would cost a launch."""
    masters = [getattr(weights, name).detach() for weights in parameters for name in MATRICES]
    flat = torch.cat([weight.reshape(-1) for weight in masters]).to(kind)
    pieces = iter(flat.split([weight.numel() for weight in masters]))
    taps = _taps([weights.taps for weights in parameters], kind)
    return [
        weights._replace(
            taps=tap, **{name: next(pieces).view_as(getattr(weights, name)) for name in MATRICES}
        )
        for weights, tap in zip(parameters, taps, strict=True)
    ]


def _taps(tensors: Sequence[Tensor | None], kind: torch.dtype) -> Sequence[Tensor | None]:
    present = [tensor.detach() for tensor in tensors if tensor is not None]
    return torch.stack(present).to(kind).unbind() if present else tensors
