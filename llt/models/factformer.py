"""FactFormer.

Attention on a grid as a product of one small kernel per axis. The input, averaged over all other
axes, gives queries and keys along one axis; their rotary, softmax-free scores form a kernel on it,
and the values are contracted with the kernels one axis after the other, then normalized.

Shapes: B batch, N points, D width, H heads, C channels per head, S points along an axis.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.models.base import GRIDS, Operator
from llt.nn.feedforward import mlp
from llt.nn.points import instance_norm
from llt.nn.rotary import pairs_per_axis, rotate
from llt.nn.transformer import MixerBlock, PointEmbedding, Readout, check_sizes
from llt.problem import Problem


class FactFormer(Operator):
    """Embedding, L blocks of axially factorized attention, readout."""

    paper = "Li, Shu and Barati Farimani: Scalable Transformer for PDE Surrogate Modeling, 2023"
    summary = "attention on grids factorized into one kernel per axis"
    supports = GRIDS

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 3,
        heads: int = 12,
        head_dim: int = 64,
        kernel_multiplier: int = 2,  # channels of queries and keys per channel of values
        mlp_ratio: int = 2,
    ) -> None:
        super().__init__()
        check_sizes(dim=dim, heads=1, num_layers=num_layers, kernel_multiplier=kernel_multiplier)
        self.problem = problem
        d = problem.space_dim
        self.embedding = PointEmbedding(d + problem.in_channels, dim, timed=problem.timed)
        self.blocks = nn.ModuleList(
            MixerBlock(
                FactorizedAttention(
                    dim,
                    heads=heads,
                    head_dim=head_dim,
                    kernel_dim=kernel_multiplier * head_dim,
                    axes=d,
                ),
                dim,
                mlp_ratio=mlp_ratio,
            )
            for _ in range(num_layers)
        )
        self.readout = Readout(dim, problem.out_channels)

    def forward(
        self,
        x: Tensor,
        a: Tensor,
        *,
        t: Tensor | None = None,
        grid: tuple[int, ...] | None = None,
        neighbors: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        grid = self.grid_of(x, grid)
        h = self.embedding(torch.cat((x, a), dim=-1), t)
        for block in self.blocks:
            h = block(h, grid)
        return self.readout(h, mask)


class FactorizedAttention(nn.Module):
    """W_o IN(v ×₁ A₁ ×₂ A₂ ...) with a kernel A_m on every axis."""

    def __init__(self, dim: int, *, heads: int, head_dim: int, kernel_dim: int, axes: int) -> None:
        super().__init__()
        self.split = (heads, head_dim)
        self.value = nn.Linear(dim, heads * head_dim, bias=False)
        self.kernels = nn.ModuleList(AxialKernel(dim, heads, kernel_dim) for _ in range(axes))
        self.out = nn.Linear(heads * head_dim, dim)

    def forward(self, h: Tensor, grid: tuple[int, ...]) -> Tensor:
        image = h.unflatten(1, grid)  # (B, *grid, D)
        v = self.value(image).unflatten(-1, self.split).movedim(-2, 1)  # (B, H, *grid, C)
        for axis, kernel in enumerate(self.kernels):
            v = contract(kernel(image, axis), v, axis)
        mixed = v.movedim(1, -2).flatten(-2).flatten(1, -2)  # (B, N, H C)
        return self.out(instance_norm(mixed))


class AxialKernel(nn.Module):
    """R(s) q (R(s) k)ᵀ / S between the points s of one axis."""

    def __init__(self, dim: int, heads: int, head_dim: int) -> None:
        super().__init__()
        pairs_per_axis(head_dim, 1)  # an error here, not at the first call
        self.split = (2, heads, head_dim)
        self.line = nn.Sequential(
            nn.Linear(dim, dim, bias=False), nn.LayerNorm(dim), mlp(dim, dim, dim)
        )
        self.query_key = nn.Linear(dim, 2 * heads * head_dim, bias=False)

    def forward(self, image: Tensor, axis: int) -> Tensor:
        others = [m + 1 for m in range(image.ndim - 2) if m != axis]
        line = self.line(image.mean(dim=others))  # (B, S, D)
        q, k = self.query_key(line).unflatten(-1, self.split).unbind(2)
        S = image.shape[axis + 1]
        s = torch.linspace(0, 1, S, device=image.device, dtype=image.dtype)[None, :, None]
        q, k = rotate(q, s).transpose(1, 2), rotate(k, s).transpose(1, 2)  # (B, H, S, C)
        return q @ k.transpose(2, 3) / S


def contract(kernel: Tensor, v: Tensor, axis: int) -> Tensor:
    """Σ_j A[i, j] v[..., j, ...] along one axis of v (B, H, *grid, C)."""
    lines = v.movedim(axis + 2, 2)  # (B, H, S, rest of the grid, C)
    return (kernel @ lines.flatten(3)).view(lines.shape).movedim(2, axis + 2)
