"""The harness that many published transformers for PDEs share.

Points are embedded by an MLP, pass pre-norm residual blocks of a token mixer and an MLP, and are
read out by a normalized linear map. Time is added to every point after the embedding.

Shapes: B batch, N points, D width, H heads, C = D / H channels per head, d space dimensions.
"""

from __future__ import annotations

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.errors import ConfigError
from llt.nn.encoding import SlowTimeEmbedding, distance_encoding, unit_grid
from llt.nn.feedforward import mlp
from llt.nn.linear import Linear
from llt.problem import Problem


class Positions(nn.Module):
    """Coordinates, or in their place the distances to R points per axis of the unit box.

    On structured meshes distances are those of the index grid, as published: coordinates are
    then not seen at all.
    """

    reference: Tensor

    def __init__(self, problem: Problem, reference_points: int = 0) -> None:
        super().__init__()
        reference = unit_grid((reference_points,) * problem.space_dim)
        self.register_buffer("reference", reference, persistent=False)
        self.dim = len(reference) or problem.space_dim

    def forward(self, x: Tensor, grid: tuple[int, ...] | None = None) -> Tensor:  # (B, N, dim)
        if not len(self.reference):
            return x
        if grid is None:
            return distance_encoding(x, self.reference)
        distances = distance_encoding(unit_grid(grid, x.device, x.dtype), self.reference)
        return distances.to(x.dtype).expand(x.shape[0], -1, -1)


class PointEmbedding(nn.Module):
    """MLP in -> 2D -> D of coordinates and fields, a learned shift, and the time."""

    def __init__(self, in_dim: int, dim: int, *, timed: bool, shift: bool = True) -> None:
        super().__init__()
        self.mlp = mlp(in_dim, 2 * dim, dim)
        self.shift = nn.Parameter(torch.rand(dim) / dim) if shift else None
        self.timestep = SlowTimeEmbedding(dim) if timed else None

    def forward(self, points: Tensor, t: Tensor | None = None) -> Tensor:
        h = self.mlp(points)
        if self.shift is not None:
            h = h + self.shift
        if self.timestep is not None:
            if t is None:
                raise ValueError("the problem is timed: pass the output time t")
            h = h + self.timestep(t).unsqueeze(1)
        return h


def has_shift(problem: Problem) -> bool:
    """Where Transolver and its descendants have the learned shift."""
    return problem.grid is None or not problem.inputs


class PointProjection(nn.Module):
    """A linear map of every point on point sets, a dense 3 x 3 (x 3) convolution on grids."""

    def __init__(self, problem: Problem, dim: int) -> None:
        super().__init__()
        self.project: nn.Module
        if problem.grid is None:
            self.project = Linear(dim, dim)
        else:
            conv = nn.Conv2d if problem.space_dim == 2 else nn.Conv3d
            self.project = conv(dim, dim, 3, padding=1)

    def forward(self, h: Tensor, grid: tuple[int, ...] | None) -> Tensor:
        if grid is None:
            return self.project(h)
        image = h.transpose(1, 2).unflatten(-1, grid)  # (B, D, *grid)
        if torch.compiler.is_compiling():  # which then chooses the order of channels itself
            image = image.contiguous()
        return self.project(image).flatten(2).transpose(1, 2)


class Attention(nn.Module):
    """Softmax attention of h (B, N, D) to a context (B, M, D), by default to itself.

    Meant for few latents on one side or both: see `latent_attention`.
    """

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.kv = Linear(dim, dim), Linear(dim, 2 * dim)
        self.out = Linear(dim, dim)

    def forward(
        self, h: Tensor, context: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        q = split_heads(self.q(h), self.heads)
        context = h if context is None else context
        k, v = (split_heads(z, self.heads) for z in self.kv(context).chunk(2, dim=-1))
        return self.out(merge_heads(latent_attention(q, k, v, over_points(mask))))


def latent_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, *, scale: float | None = None
) -> Tensor:
    """softmax(scale q kᵀ) v, all (B, H, ..., C), where the queries or the keys are few latents.

    The mask is true at the keys that count; queries without any get zero. No scale is 1 / √C.
    On a GPU the memory grows with queries times keys.
    """
    # on a GPU plain products, not the library's fused attention: in float32 that leaves the tensor
    # cores unused and shares out blocks of queries, in the backward pass of keys. 64 latents are
    # a single block, so that no more is done at a time than there are heads in the batch.
    if q.is_cuda:
        return _attention_by_products(q, k, v, mask, scale)
    return F.scaled_dot_product_attention(q, k, v, mask, scale=scale)


def _attention_by_products(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float | None
) -> Tensor:
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    # the scale stands with the queries: where it multiplies the scores, torch.compile recognizes
    # attention and puts the library's back in its place
    scores = (scale * q) @ k.mT  # (B, H, queries, keys)
    if mask is None:
        return scores.softmax(dim=-1) @ v  # which autocast computes in float32
    # finite, and zero afterwards: where all is masked, -inf would give 0 / 0
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return (scores.softmax(dim=-1) * mask) @ v


class MixerBlock(nn.Module):
    """h + mixer(LN(h)), then h + MLP(LN(h)); extra arguments go to the mixer."""

    def __init__(
        self, mixer: nn.Module, dim: int, *, mlp_ratio: int = 1, ffn: nn.Module | None = None
    ) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mixer = mixer
        self.mlp = mlp(dim, mlp_ratio * dim, dim) if ffn is None else ffn

    def forward(self, h: Tensor, *args: object) -> Tensor:
        h = h + self.mixer(self.norm1(h), *args)
        return h + self.mlp(self.norm2(h))


class ResidualMLP(nn.Module):
    """GELU layers of one width, each added to its input, between two linear maps.

    `add_first` and `add_last` add those two to their inputs as well, where the widths agree.
    """

    def __init__(
        self,
        in_dim: int,
        dim: int,
        out_dim: int,
        num_layers: int,
        *,
        add_first: bool = False,
        add_last: bool = False,
        approximate: Literal["none", "tanh"] = "none",  # which GELU
    ) -> None:
        super().__init__()
        self.first, self.last = Linear(in_dim, dim), Linear(dim, out_dim)
        self.layers = nn.ModuleList(Linear(dim, dim) for _ in range(num_layers))
        self.add_first, self.add_last = add_first and in_dim == dim, add_last and dim == out_dim
        self.approximate: Literal["none", "tanh"] = approximate

    def forward(self, h: Tensor) -> Tensor:
        first = F.gelu(self.first(h), approximate=self.approximate)
        h = h + first if self.add_first else first
        for layer in self.layers:
            h = h + F.gelu(layer(h), approximate=self.approximate)
        return h + self.last(h) if self.add_last else self.last(h)


class Readout(nn.Module):
    """LayerNorm, then a linear map to the output fields; zero at padding."""

    def __init__(self, dim: int, out_channels: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.linear = Linear(dim, out_channels)

    def forward(self, h: Tensor, mask: Tensor | None = None) -> Tensor:
        u = self.linear(self.norm(h))
        return u if mask is None else u * mask.unsqueeze(-1)


def split_heads(h: Tensor, heads: int) -> Tensor:
    return h.unflatten(-1, (heads, -1)).transpose(1, 2)  # (B, H, N, C)


def merge_heads(h: Tensor) -> Tensor:
    return h.transpose(1, 2).flatten(2)  # (B, N, D)


def over_points(mask: Tensor | None) -> Tensor | None:
    """The mask (B, N) as one of scores (B, H, M, N) whose last axis runs over the points."""
    return None if mask is None else mask[:, None, None]


def init_truncated_normal(module: nn.Module) -> None:
    """Linear weights truncated normal with standard deviation 0.02, biases zero."""
    for part in module.modules():
        if isinstance(part, nn.Linear):
            nn.init.trunc_normal_(part.weight, std=0.02)
            if part.bias is not None:
                nn.init.zeros_(part.bias)


def check_sizes(*, dim: int, heads: int, **sizes: int) -> None:
    """Raise ConfigError where a transformer of these sizes cannot be built."""
    if dim < 1 or heads < 1 or dim % heads:
        raise ConfigError(f"dim={dim} must be a positive multiple of heads={heads}")
    for name, size in sizes.items():
        if size < 1:
            raise ConfigError(f"{name}={size} must be at least 1")
