"""The weights and tensors of LLT's modules, handed to the fused kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from llt.errors import KernelError
from llt.kernels.attention import EPS
from llt.kernels.choice import product_dtype
from llt.kernels.conv_gelu.triton import WIDEST, ConvGelu, row_width
from llt.kernels.embed.triton import Embed
from llt.kernels.embed.triton import Weights as EmbedWeights
from llt.kernels.encoding.triton import encode
from llt.kernels.head.triton import MOST, Head
from llt.kernels.head.triton import Weights as HeadWeights
from llt.kernels.neighbors.triton import reverse_lists
from llt.models.llt.block import Block, LocalAttention, LocalConv, Neighborhood
from llt.models.llt.description import Description
from llt.models.llt.fused.blocks import Blocks, Settings, Weights
from llt.models.llt.fused.local import Convolution, Local, Neighbors

if TYPE_CHECKING:
    from llt.models.llt.definition import LLT, Embedder

OFFSETS = 2**31  # numbers of a tensor of one sample that the kernels can tell apart


def can_embed(model: LLT, x: Tensor, a: Tensor) -> bool:
    """There is no gradient of x and a, and a neighborhood must fit into a row of a product."""
    if x.requires_grad or a.requires_grad:
        return False
    conv = model.embedder.conv
    return conv is None or row_width(next(conv.parameters())) <= WIDEST


# Triton has compiled what is here; a compiler around it may take the rest
@torch.compiler.disable  # type: ignore[untyped-decorator]
def embed(model: LLT, x: Tensor, a: Tensor, around: Neighborhood) -> tuple[Tensor, Tensor]:
    """See `LLT.embed`."""
    embedder, grid, dtype = model.embedder, around.grid, product_dtype(x)
    with torch.autocast(x.device.type, enabled=False):
        fields = torch.cat((x, a), dim=-1).float()
        bias = None
        if embedder.conv is not None:
            fields, bias = _convolved(embedder, fields, grid, dtype)
        reference, bands = embedder.distances.reference, embedder.bands
        x = x.float().contiguous()  # samples may share their points
        s = encode(x, fields.detach(), bias, reference, bands, grid, dtype, model.about.dim)
        parameters = [*embedder.mlp.parameters(), model.skip.weight]
        # those that lie together in an optimizer's vector in one copy
        weights = EmbedWeights(
            *_matrices_in(dtype, parameters[:-1]), *_matrices_in(dtype, parameters[-1:])
        )
        out = Embed.apply(s, fields, bias, weights, _stream(dtype), *parameters)
        return cast("tuple[Tensor, Tensor]", out)


def _convolved(
    embedder: Embedder, fields: Tensor, grid: tuple[int, ...] | None, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """The two convolutions over (B, N, C): (B, N, D), and the bias that is still to be added."""
    assert embedder.conv is not None and grid is not None
    first, first_bias, second, bias = embedder.conv.parameters()
    g = ConvGelu.apply(fields, first, first_bias, grid, dtype)
    image = g.transpose(1, 2).unflatten(-1, grid)  # channels last, as the library likes it
    plane = len(grid) == 2
    last = torch.channels_last if plane else torch.channels_last_3d
    convolve = torch.conv2d if plane else torch.conv3d
    weight = second.to(dtype, memory_format=last)
    out = convolve(image, weight, padding=weight.shape[-1] // 2)
    return out.flatten(2).transpose(1, 2).contiguous(), bias


def can_decode(model: LLT) -> bool:
    return model.problem.out_channels <= MOST


@torch.compiler.disable  # type: ignore[untyped-decorator]
def decode(model: LLT, h: Tensor, skip: Tensor) -> Tensor:
    """See `LLT.decode`."""
    dtype = product_dtype(h)
    with torch.autocast(h.device.type, enabled=False):
        parameters = [model.norm.gain, *model.head.parameters()]
        weights = HeadWeights(*_matrices_in(dtype, parameters))
        return cast(Tensor, Head.apply(h, skip, weights, model.norm.eps, *parameters))


def _matrices_in(dtype: torch.dtype, parameters: Sequence[Tensor]) -> list[Tensor]:
    """Matrices in the type of the products, vectors as they are."""
    matrices = iter(converted([z.detach() for z in parameters if z.dim() == 2], dtype))
    return [next(matrices) if z.dim() == 2 else z.detach() for z in parameters]


@torch.compiler.disable  # type: ignore[untyped-decorator]
def run_blocks(
    about: Description,
    blocks: Sequence[Block],
    h: Tensor,
    around: Neighborhood,
    condition: Tensor | None = None,
    mask: Tensor | None = None,
    *,
    recompute: bool = False,
) -> Tensor:
    """See `LLT.run_blocks`."""
    _check_size(h)
    dtype = product_dtype(h)
    with torch.autocast(h.device.type, enabled=False):
        h = h.to(_stream(dtype)).contiguous()
        settings = Settings(about.heads, about.alpha, EPS, blocks[0].norm1.eps)
        parameters = [_weights(block) for block in blocks]
        out = Blocks.apply(
            h, _films(blocks, condition), mask, _local(around, about.heads), settings,
            narrow(parameters, dtype), torch.is_grad_enabled(), recompute,
            *(tensor for weights in parameters for tensor in weights.tensors()),
        )  # fmt: skip
        return cast(Tensor, out)


def _check_size(h: Tensor) -> None:
    """Offsets have 32 bits; the widest tensor of a block has 4 D numbers per point."""
    _, N, D = h.shape
    if N * 4 * D > OFFSETS:
        raise KernelError(
            f"{N:,} points exceed the {OFFSETS // (4 * D):,} that the fused kernels take at width "
            f"{D}; use LLT_KERNELS=reference, or predict in chunks"
        )


def _stream(dtype: torch.dtype) -> torch.dtype:
    """Of the residual stream: fp16 has bits enough for it, bf16 has not."""
    return dtype if dtype is torch.float16 else torch.float32


def _local(around: Neighborhood, heads: int) -> Local:
    if around.neighbors is None:
        assert around.grid is not None
        return Convolution(around.grid)
    return Neighbors((around.neighbors, *reverse_lists(around.neighbors)), heads)


def _films(blocks: Sequence[Block], condition: Tensor | None) -> Tensor | None:
    """Scale and shift of all blocks, (blocks, B, 2 D)."""
    if condition is None:
        return None
    return torch.stack([block.film(condition.float()) for block in blocks if block.film])


def _weights(block: Block) -> Weights:
    attention, ffn = block.attention, block.ffn
    return Weights(
        block.norm1.gain, attention.qkv.weight, attention.gate.weight, attention.gate.bias,
        attention.out.weight, attention.out.bias, block.norm2.gain, ffn.gate_up.weight,
        ffn.out.weight, _local_weights(attention.local),
    )  # fmt: skip


def _local_weights(local: LocalConv | LocalAttention) -> tuple[Tensor, ...]:
    """As the two classes of `Local` have them."""
    weights = dict(local.named_parameters())
    if "qkv.weight" in weights:
        return (weights["qkv.weight"],)
    taps = weights["depthwise.weight"].flatten(1).T
    point = weights["pointwise.weight"], weights["pointwise.bias"]
    return *point, taps, weights["depthwise.bias"]


def narrow(parameters: Sequence[Weights], dtype: torch.dtype) -> list[Weights]:
    """Matrices and the local path's weights in the type of the products."""
    blocks = [[z.detach() for z in weights.tensors()] for weights in parameters]
    chosen = [index for index, small in enumerate(_narrowed(parameters[0])) if small]
    flat = iter(converted([block[index] for index in chosen for block in blocks], dtype))
    for index in chosen:
        same = [next(flat) for _ in blocks]
        if not same[0].is_contiguous():  # the kernels want rows; all blocks' in one copy
            same = list(torch.stack(same))
        for block, tensor in zip(blocks, same, strict=True):
            block[index] = tensor
    return [Weights.of(block) for block in blocks]


def converted(tensors: Sequence[Tensor], dtype: torch.dtype) -> list[Tensor]:
    """Tensors in another type, all in one copy: one for each would take as long."""
    first = tensors[0]
    if len({z.untyped_storage().data_ptr() for z in tensors}) == 1:  # an optimizer's one vector
        start = min(z.storage_offset() for z in tensors)
        size = max(z.storage_offset() + z.numel() for z in tensors) - start
        piece = first.as_strided((size,), (1,), start).to(dtype)
        moved = piece.storage_offset() - start
        return [piece.as_strided(z.shape, z.stride(), z.storage_offset() + moved) for z in tensors]
    flat = torch.cat([z.reshape(-1) for z in tensors]).to(dtype)
    pieces = flat.split([z.numel() for z in tensors])
    return [piece.view(z.shape) for piece, z in zip(pieces, tensors, strict=True)]


def _narrowed(weights: Weights) -> list[bool]:
    """Which of its tensors are in the type of the products."""
    return [z.dim() == 2 for z in weights[:-1]] + [True] * len(weights.local)
