"""FactFormer.

Attention on a grid as a product of one small kernel per axis. The input, averaged over all other
axes, gives queries and keys along one axis; their rotary, softmax-free scores form a kernel on it,
and the values are contracted with the kernels one axis after the other, then normalized. Blocks
have no feed-forward network; a small convolutional network stands behind them.

Shapes: B batch, N points, D width, H heads, C channels per head, S points along an axis.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.errors import ConfigError
from llt.models.base import GRIDS, Operator
from llt.nn.encoding import RandomFeatures, TimeEmbedding
from llt.nn.feedforward import GEGLU
from llt.nn.linear import Linear
from llt.nn.rotary import pairs_per_axis, rotate
from llt.nn.spectral import CONV
from llt.nn.transformer import check_sizes
from llt.problem import Problem


class FactFormer(Operator):
    """Lifting, L blocks of axially factorized attention, convolutions, readout."""

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
    ) -> None:
        super().__init__()
        check_sizes(dim=dim, heads=1, num_layers=num_layers, kernel_multiplier=kernel_multiplier)
        if dim % 4:
            raise ConfigError(f"dim={dim} must be a multiple of 4")
        self.problem = problem
        d = problem.space_dim
        # without input fields the coordinates are the input; all blocks see them anyway
        self.lift = Linear(problem.in_channels or d, dim)
        self.time = TimeEmbedding(dim) if problem.timed else None
        self.blocks = nn.ModuleList(
            Block(
                dim,
                FactorizedAttention(
                    dim,
                    heads=heads,
                    head_dim=head_dim,
                    kernel_dim=kernel_multiplier * head_dim,
                    axes=d,
                ),
                space_dim=d,
            )
            for _ in range(num_layers)
        )
        self.surroundings = Surroundings(dim, d)
        self.readout = nn.Sequential(
            nn.GroupNorm(8, 2 * dim),
            nn.Conv1d(2 * dim, dim, 1, bias=False),
            nn.GELU(),
            nn.Conv1d(dim, problem.out_channels, 1),
        )

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
        h = self.lift(a if self.problem.inputs else x)
        if self.time is not None:
            if t is None:
                raise ValueError("the problem is timed: pass the output time t")
            h = h + self.time(t).unsqueeze(1)
        for block in self.blocks:
            h = block(h, x, grid)
        h = h.transpose(1, 2)  # (B, D, N)
        around = self.surroundings(h.unflatten(-1, grid)).flatten(2)
        u = self.readout(torch.cat((around, h), dim=1)).transpose(1, 2)
        return u if mask is None else u * mask.unsqueeze(-1)


class Surroundings(nn.Module):
    """Convolutions on half the grid and, after copying to the nearest points, on the whole."""

    def __init__(self, dim: int, space_dim: int) -> None:
        super().__init__()
        conv, half = CONV[space_dim], dim // 2
        self.down = nn.Sequential(
            conv(dim, half, 3, stride=2, padding=1), nn.GELU(), conv(half, half, 3, padding=1)
        )
        self.up = nn.Sequential(
            conv(half, half, 3, padding=1), nn.GELU(), conv(half, dim, 3, padding=1)
        )

    def forward(self, image: Tensor) -> Tensor:  # (B, D, *grid), both ways
        coarse = self.down(F.instance_norm(image))
        return self.up(F.interpolate(coarse, size=image.shape[2:], mode="nearest"))


class Block(nn.Module):
    """h ← h + features of the position, then h + attention(LN(h))."""

    def __init__(self, dim: int, attention: nn.Module, *, space_dim: int) -> None:
        super().__init__()
        self.position = nn.Sequential(RandomFeatures(space_dim, dim // 2), Linear(dim, dim))
        self.norm, self.attention = nn.LayerNorm(dim), attention

    def forward(self, h: Tensor, x: Tensor, grid: tuple[int, ...]) -> Tensor:
        h = h + self.position(x)
        return h + self.attention(self.norm(h), grid)


class FactorizedAttention(nn.Module):
    """MLP(norm(v ×₁ A₁ ×₂ A₂ ...)) with a kernel A_m on every axis."""

    def __init__(self, dim: int, *, heads: int, head_dim: int, kernel_dim: int, axes: int) -> None:
        super().__init__()
        self.split = (heads, head_dim)
        self.value = Linear(dim, heads * head_dim, bias=False)
        self.shared = Linear(dim, dim, bias=False)
        self.kernels = nn.ModuleList(AxialKernel(dim, heads, kernel_dim) for _ in range(axes))
        self.out = nn.Sequential(
            Linear(heads * head_dim, dim, bias=False), nn.GELU(), Linear(dim, dim, bias=False)
        )

    def forward(self, h: Tensor, grid: tuple[int, ...]) -> Tensor:
        image = h.unflatten(1, grid)  # (B, *grid, D)
        v = self.value(image).unflatten(-1, self.split).movedim(-2, 1)  # (B, H, *grid, C)
        for axis, kernel in enumerate(self.kernels):
            others = [m + 1 for m in range(len(grid)) if m != axis]
            line = self.shared(image.mean(dim=others))  # (B, S, D), as if averaged after
            v = contract(kernel(line), v, axis)
        mixed = normalized(v).movedim(1, -2).flatten(-2).flatten(1, -2)  # (B, N, H C)
        return self.out(mixed)


class AxialKernel(nn.Module):
    """R(s) q (R(s) k)ᵀ between the points s of one axis, not scaled: it starts small."""

    def __init__(self, dim: int, heads: int, head_dim: int) -> None:
        super().__init__()
        pairs_per_axis(head_dim, 1)  # an error here, not at the first call
        self.split = (2, heads, head_dim)
        self.line = nn.Sequential(
            Linear(dim, dim, bias=False), nn.LayerNorm(dim), GEGLU(dim, dim, dim)
        )
        self.query_key = Linear(dim, 2 * heads * head_dim, bias=False)
        for part in self.query_key.weight.chunk(2):
            nn.init.xavier_uniform_(part, gain=0.02)

    def forward(self, line: Tensor) -> Tensor:  # (B, S, D) -> (B, H, S, S)
        q, k = self.query_key(self.line(line)).unflatten(-1, self.split).unbind(2)
        s = torch.linspace(0, 1, line.shape[1], device=line.device, dtype=q.dtype)[None, :, None]
        q, k = rotate(q, s).transpose(1, 2), rotate(k, s).transpose(1, 2)  # (B, H, S, C)
        return q @ k.mT


def contract(kernel: Tensor, v: Tensor, axis: int) -> Tensor:
    """Σ_j A[i, j] v[..., j, ...] along one axis of v (B, H, *grid, C)."""
    lines = v.movedim(axis + 2, 2)  # (B, H, S, rest of the grid, C)
    return (kernel @ lines.flatten(3)).view(lines.shape).movedim(2, axis + 2)


def normalized(v: Tensor) -> Tensor:
    """Every head (B, H, ...) of a sample scaled to mean 0 and variance 1 over all else."""
    flat = v.flatten(2).to(torch.promote_types(v.dtype, torch.float32))
    variance, mean = torch.var_mean(flat, dim=-1, keepdim=True)
    return ((flat - mean) * (variance + 1e-8).rsqrt()).view(v.shape)
