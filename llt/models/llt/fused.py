"""LLT through the fused kernels: the same function as `LLT.forward`, but for rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from llt.kernels import fused
from llt.kernels.dispatch import product_type
from llt.kernels.reference import EPS

if TYPE_CHECKING:
    from llt.models.llt.definition import LLT, Block, Embedder, LocalAttention, LocalConv


def can_embed(model: LLT, x: Tensor, a: Tensor) -> bool:
    """There is no gradient of x and a, and a neighborhood must fit into a row of a product."""
    if x.requires_grad or a.requires_grad:
        return False
    conv = model.embedder.conv
    return conv is None or fused.lift.row_width(next(conv.parameters())) <= fused.lift.WIDEST


# Triton has compiled what is here; a compiler around it may take the rest
@torch.compiler.disable  # type: ignore[untyped-decorator]
def embed(model: LLT, x: Tensor, a: Tensor, grid: tuple[int, ...] | None) -> tuple[Tensor, Tensor]:
    """See `LLT.embed`."""
    embedder, kind = model.embedder, product_type(x)
    with torch.autocast(x.device.type, enabled=False):
        fields = torch.cat((x, a), dim=-1).float()
        bias = None
        if embedder.conv is not None:
            fields, bias = _convolved(embedder, fields, grid, kind)
        reference, bands = embedder.distances.reference, embedder.bands
        x = x.float().contiguous()  # samples may share their points
        s = fused.encode(x, fields.detach(), bias, reference, bands, grid, kind, model.dim)
        parameters = [*embedder.mlp.parameters(), model.skip.weight]
        # those that lie together in an optimizer's vector in one copy
        weights = fused.embed.Weights(
            *_matrices_in(kind, parameters[:-1]), *_matrices_in(kind, parameters[-1:])
        )
        out = fused.embed.Embed.apply(s, fields, bias, weights, _stream(kind), *parameters)
        return cast("tuple[Tensor, Tensor]", out)


def _convolved(
    embedder: Embedder, fields: Tensor, grid: tuple[int, ...] | None, kind: torch.dtype
) -> tuple[Tensor, Tensor]:
    """The two convolutions over (B, N, C): (B, N, D), and the bias that is still to be added."""
    assert embedder.conv is not None and grid is not None
    first, first_bias, second, bias = embedder.conv.parameters()
    g = fused.lift.Lift.apply(fields, first, first_bias, grid, kind)
    image = g.transpose(1, 2).unflatten(-1, grid)  # channels last, as the library likes it
    plane = len(grid) == 2
    last = torch.channels_last if plane else torch.channels_last_3d
    convolve = torch.conv2d if plane else torch.conv3d
    weight = second.to(kind, memory_format=last)
    out = convolve(image, weight, padding=weight.shape[-1] // 2)
    return out.flatten(2).transpose(1, 2).contiguous(), bias


def can_decode(model: LLT) -> bool:
    return model.problem.out_channels <= fused.head.MOST


@torch.compiler.disable  # type: ignore[untyped-decorator]
def decode(model: LLT, h: Tensor, skip: Tensor) -> Tensor:
    """See `LLT.decode`."""
    kind = product_type(h)
    with torch.autocast(h.device.type, enabled=False):
        parameters = [model.norm.gain, *model.head.parameters()]
        weights = fused.head.Weights(*_matrices_in(kind, parameters))
        return cast(Tensor, fused.head.Head.apply(h, skip, weights, model.norm.eps, *parameters))


def _matrices_in(kind: torch.dtype, parameters: Sequence[Tensor]) -> list[Tensor]:
    """Matrices in the type of the products, vectors as they are."""
    matrices = iter(converted([z.detach() for z in parameters if z.dim() == 2], kind))
    return [next(matrices) if z.dim() == 2 else z.detach() for z in parameters]


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
        h = h.to(_stream(kind)).contiguous()
        settings = fused.Settings(attention.heads, attention.alpha, EPS, blocks[0].norm1.eps)
        local = _local(grid, neighbors, attention.heads)
        parameters = [_weights(block) for block in blocks]
        out = fused.Blocks.apply(
            h, _films(blocks, condition), mask, local, settings, narrow(parameters, kind),
            torch.is_grad_enabled(),
            *(tensor for weights in parameters for tensor in weights.tensors()),
        )  # fmt: skip
        return cast(Tensor, out)


def _stream(kind: torch.dtype) -> torch.dtype:
    """Of the residual stream: fp16 has bits enough for it, bf16 has not."""
    return kind if kind is torch.float16 else torch.float32


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
        start = min(z.storage_offset() for z in tensors)
        size = max(z.storage_offset() + z.numel() for z in tensors) - start
        piece = first.as_strided((size,), (1,), start).to(kind)
        moved = piece.storage_offset() - start
        return [piece.as_strided(z.shape, z.stride(), z.storage_offset() + moved) for z in tensors]
    flat = torch.cat([z.reshape(-1) for z in tensors]).to(kind)
    pieces = flat.split([z.numel() for z in tensors])
    return [piece.view(z.shape) for piece, z in zip(pieces, tensors, strict=True)]


def _narrowed(weights: fused.Weights) -> list[bool]:
    """Which of its tensors are in the type of the products."""
    return [z.dim() == 2 for z in weights[:-1]] + [True] * len(weights.local)
