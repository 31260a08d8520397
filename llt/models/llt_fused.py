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
    from llt.models.llt import Block, LocalAttention, LocalConv


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
    attention = blocks[0].attention
    with torch.autocast(h.device.type, enabled=False):
        h = h.to(torch.float16 if kind is torch.float16 else torch.float32).contiguous()
        settings = fused.Settings(attention.heads, attention.alpha, EPS, blocks[0].norm1.eps)
        local = _local(grid, neighbors, attention.heads)
        parameters = [_weights(block) for block in blocks]
        out = fused.Blocks.apply(
            h, _films(blocks, condition), mask, local, settings, narrow(parameters, kind),
            torch.is_grad_enabled(),
            *(tensor for weights in parameters for tensor in weights.tensors()),
        )  # fmt: skip
        return cast(Tensor, out)


def _local(grid: tuple[int, ...] | None, neighbors: Tensor | None, heads: int) -> fused.Local:
    if neighbors is None:
        assert grid is not None
        return fused.Convolution(grid)
    return fused.Neighbors((neighbors, *fused.reverse_lists(neighbors)), heads)


def _films(blocks: Sequence[Block], condition: Tensor | None) -> Tensor | None:
    """Scale and shift of all blocks, (blocks, B, 2 D)."""
    if condition is None:
        return None
    return torch.stack([block.film(condition.float()) for block in blocks if block.film])


def _weights(block: Block) -> fused.Weights:
    attention, ffn = block.attention, block.ffn
    return fused.Weights(
        block.norm1.gain, attention.qkv.weight, attention.gate.weight, attention.gate.bias,
        attention.out.weight, attention.out.bias, block.norm2.gain, ffn.gate_up.weight,
        ffn.out.weight, _local_weights(attention.local),
    )  # fmt: skip


def _local_weights(local: LocalConv | LocalAttention) -> tuple[Tensor, ...]:
    """As the two classes of `fused.Local` have them."""
    weights = dict(local.named_parameters())
    if "qkv.weight" in weights:
        return (weights["qkv.weight"],)
    taps = weights["depthwise.weight"].flatten(1).T
    point = weights["pointwise.weight"], weights["pointwise.bias"]
    return *point, taps, weights["depthwise.bias"]


def narrow(parameters: Sequence[fused.Weights], kind: torch.dtype) -> list[fused.Weights]:
    """Matrices and the local path's weights in the type of the products."""
    blocks = [[z.detach() for z in weights.tensors()] for weights in parameters]
    chosen = [index for index, small in enumerate(_narrowed(parameters[0])) if small]
    flat = iter(converted([block[index] for index in chosen for block in blocks], kind))
    for index in chosen:
        same = [next(flat) for _ in blocks]
        if not same[0].is_contiguous():  # the kernels want rows; all blocks' in one copy
            same = list(torch.stack(same))
        for block, tensor in zip(blocks, same, strict=True):
            block[index] = tensor
    return [fused.Weights.of(block) for block in blocks]


def converted(tensors: Sequence[Tensor], kind: torch.dtype) -> list[Tensor]:
    """Tensors in another type, all in one copy: one for each would take as long."""
    first = tensors[0]
    if len({z.untyped_storage().data_ptr() for z in tensors}) == 1:  # an optimizer's one vector
        size = first.untyped_storage().nbytes() // first.element_size()
        whole = first.as_strided((size,), (1,), 0).to(kind)
        return [whole.as_strided(z.shape, z.stride(), z.storage_offset()) for z in tensors]
    flat = torch.cat([z.reshape(-1) for z in tensors]).to(kind)
    pieces = flat.split([z.numel() for z in tensors])
    return [piece.view(z.shape) for piece, z in zip(pieces, tensors, strict=True)]


def _narrowed(weights: fused.Weights) -> list[bool]:
    """Which of its tensors are in the type of the products."""
    return [z.dim() == 2 for z in weights[:-1]] + [True] * len(weights.local)
