"""Galerkin Transformer.

Attention without a softmax, Q (Kᵀ V) / n: keys and values are normalized, so that Kᵀ V / n is a
Petrov-Galerkin projection by quadrature. The coordinates join every head of Q, K and V.
On 2-D grids a small convolutional network leads to a grid of half the size, where attention is
done, and another one back, and the regressor is spectral; elsewhere both ends are pointwise.

Shapes: B batch, N points, D width, H heads, C = D / H channels per head, d coordinates.
"""

from __future__ import annotations

import math
from copy import deepcopy
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.errors import ConfigError
from llt.models.base import Operator
from llt.nn.encoding import TimeEmbedding
from llt.nn.linear import Linear
from llt.nn.points import point_weights
from llt.nn.spectral import SpectralConv
from llt.nn.transformer import check_sizes
from llt.problem import Problem


class GalerkinTransformer(Operator):
    """Embedding, L blocks of Galerkin attention, regressor; on 2-D grids between two scalers."""

    paper = "Cao: Choose a Transformer: Fourier or Galerkin, 2021"
    summary = "softmax-free attention as a Galerkin projection"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 6,
        heads: int = 4,
        mlp_ratio: int = 2,
        modes: int = 12,  # of either sign, per axis, of the spectral regressor
        spectral_dim: int = 32,
        dropout: float = 0.05,
    ) -> None:
        super().__init__()
        sizes = {"num_layers": num_layers, "mlp_ratio": mlp_ratio, "modes": modes}
        check_sizes(dim=dim, heads=heads, spectral_dim=spectral_dim, **sizes)
        if not 0 <= dropout < 1:
            raise ConfigError(f"dropout={dropout:g} must lie between 0 and 1")
        self.problem, d = problem, problem.space_dim
        self.scaled = problem.grid is not None and d == 2
        self.time = TimeEmbedding(dim) if problem.timed else None
        self.embedding: nn.Module
        self.regressor: nn.Module
        if self.scaled:
            self.embedding = DownScaler(problem.in_channels or d, dim, dropout)
            self.up = UpScaler(dim)
            self.regressor = SpectralRegressor(dim + d, spectral_dim, problem.out_channels, modes)
        else:
            self.embedding = Linear(problem.in_channels + d, dim)
            self.regressor = nn.Sequential(
                *(Linear(dim + d, dim), Linear(dim, dim), nn.SiLU()),
                *(Linear(dim, dim), nn.SiLU(), Linear(dim, problem.out_channels)),
            )
        # all start alike, as published
        block = Block(dim, heads, space_dim=d, mlp_ratio=mlp_ratio, dropout=dropout)
        self.blocks = nn.ModuleList(deepcopy(block) for _ in range(num_layers))

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
        grid = None if self.problem.grid is None else self.grid_of(x, grid)
        if self.scaled and grid is not None:
            return self._on_grid(x, a, t, grid)
        h = self._attend(self.embedding(torch.cat((a, x), dim=-1)), x, t, mask)
        u = self.regressor(torch.cat((h, x), dim=-1))
        return u if mask is None else u * mask.unsqueeze(-1)

    def _on_grid(self, x: Tensor, a: Tensor, t: Tensor | None, grid: tuple[int, ...]) -> Tensor:
        coarse = tuple((n + 1) // 2 for n in grid)
        between = tuple(math.isqrt(n * m) for n, m in zip(grid, coarse, strict=True))
        fields, x = (z.mT.unflatten(-1, grid) for z in (a if a.shape[-1] else x, x))
        h = self.embedding(fields, between, coarse)  # (B, D, *coarse)
        h = self._attend(h.flatten(2).mT, resample(x, coarse).flatten(2).mT, t)
        h = self.up(h.mT.unflatten(-1, coarse), between, grid)  # (B, D, *grid)
        return self.regressor(torch.cat((h, x), dim=1))

    def _attend(self, h: Tensor, x: Tensor, t: Tensor | None, mask: Tensor | None = None) -> Tensor:
        if self.time is not None:
            if t is None:
                raise ValueError("the problem is timed: pass the output time t")
            h = h + self.time(t).unsqueeze(1)
        for block in self.blocks:
            h = block(h, x, mask)
        return h


class Block(nn.Module):
    """h + Attention(h), then h + MLP(h); the only norms are those of keys and values."""

    def __init__(
        self, dim: int, heads: int, *, space_dim: int, mlp_ratio: int, dropout: float
    ) -> None:
        super().__init__()
        self.attention = GalerkinAttention(dim, heads, space_dim)
        self.dropout = nn.Dropout(dropout)
        self.mlp = nn.Sequential(
            Linear(dim, mlp_ratio * dim),
            nn.ReLU(),
            nn.Dropout(dropout),
            Linear(mlp_ratio * dim, dim),
        )

    def forward(self, h: Tensor, x: Tensor, mask: Tensor | None) -> Tensor:
        h = h + self.dropout(self.attention(h, x, mask))
        return h + self.dropout(self.mlp(h))


class GalerkinAttention(nn.Module):
    """W_o [x, Q] ([x, LN K]ᵀ [x, LN V]) / n in every head."""

    def __init__(self, dim: int, heads: int, space_dim: int) -> None:
        super().__init__()
        self.heads, C = heads, dim // heads
        self.qkv = Linear(dim, 3 * dim)
        self.key_norm, self.value_norm = HeadNorm(heads, C), HeadNorm(heads, C)
        # half of every projection, whatever the dropout of the rest; the authors' in evaluation too
        self.dropout = nn.Dropout(0.5)
        self.out = Linear(heads * (C + space_dim), dim)
        init_near_identity(self.qkv)

    def forward(self, h: Tensor, x: Tensor, mask: Tensor | None) -> Tensor:
        q, k, v = self.qkv(h).unflatten(-1, (3, self.heads, -1)).unbind(2)  # (B, N, H, C)
        k, v = self.key_norm(k), self.value_norm(v)
        x = x.unsqueeze(2).expand(-1, -1, self.heads, -1)
        q, k, v = (torch.cat((x, z), dim=-1).transpose(1, 2) for z in (q, k, v))
        weights = point_weights(h, mask)[:, None, :, None]
        projection = self.dropout((k * weights).mT @ v)  # (B, H, d + C, d + C)
        return self.out((q @ projection).transpose(1, 2).flatten(2))


class HeadNorm(nn.Module):
    """LayerNorm over the channels of a head, each head with its own scale and shift."""

    def __init__(self, heads: int, channels: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(heads, channels))
        self.shift = nn.Parameter(torch.zeros(heads, channels))

    def forward(self, z: Tensor) -> Tensor:  # (B, N, H, C)
        return F.layer_norm(z, z.shape[-1:], eps=1e-7) * self.scale + self.shift


def init_near_identity(linear: nn.Linear, *, gain: float = 1e-2, diagonal: float = 1e-2) -> None:
    """Every square part of the weight: small Xavier noise plus a multiple of the identity."""
    nn.init.zeros_(linear.bias)
    dim = linear.in_features
    with torch.no_grad():
        for part in linear.weight.split(dim):
            nn.init.xavier_uniform_(part, gain=gain)
            part += diagonal * torch.eye(dim)


class DownScaler(nn.Module):
    """A convolution, three more whose results stand side by side, each at a smaller size."""

    def __init__(self, in_dim: int, dim: int, dropout: float) -> None:
        super().__init__()
        third = dim // 3
        self.first = _conv(in_dim, dim)
        widths = (dim, third, third, dim - 2 * third)
        self.rest = nn.ModuleList(_conv(*pair) for pair in pairwise(widths))
        self.dropout = nn.Dropout(dropout)

    def forward(self, h: Tensor, between: tuple[int, ...], coarse: tuple[int, ...]) -> Tensor:
        h = resample(F.relu(self.dropout(self.first(h))), between)
        parts = []
        for conv in self.rest:
            h = F.relu(self.dropout(conv(h)))
            parts.append(h)
        return resample(torch.cat(parts, dim=1), coarse)


class UpScaler(nn.Module):
    """A convolution between two interpolations, activated twice as published."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.conv = _conv(dim, dim)

    def forward(self, h: Tensor, between: tuple[int, ...], grid: tuple[int, ...]) -> Tensor:
        return resample(F.silu(F.silu(self.conv(resample(h, between)))), grid)


class SpectralRegressor(nn.Module):
    """A linear map, two layers σ(K h + W h) with K a convolution in Fourier space, an MLP."""

    def __init__(self, in_dim: int, dim: int, out_dim: int, modes: int) -> None:
        super().__init__()
        self.lift = Linear(in_dim, dim)
        convs = [SpectralConv(dim, dim, modes=modes, space_dim=2) for _ in range(2)]
        for conv in convs:  # nearly nothing at the start
            nn.init.normal_(conv.weight, std=1 / (dim**2 * modes))
        self.spectral = nn.ModuleList(convs)
        self.pointwise = nn.ModuleList(Linear(dim, dim) for _ in range(2))
        self.project = nn.Sequential(Linear(dim, 4 * dim), nn.SiLU(), Linear(4 * dim, out_dim))

    def forward(self, h: Tensor) -> Tensor:  # (B, D, *grid) -> (B, N, C)
        grid = tuple(h.shape[2:])
        h = self.lift(h.flatten(2).mT)
        for spectral, pointwise in zip(self.spectral, self.pointwise, strict=True):
            far = spectral(h.mT.unflatten(-1, grid)).flatten(2).mT
            h = F.silu(far + pointwise(h))
        return self.project(h)


def _conv(in_dim: int, out_dim: int) -> nn.Conv2d:
    return nn.Conv2d(in_dim, out_dim, 3, padding=1, bias=False)


def resample(h: Tensor, grid: tuple[int, ...]) -> Tensor:
    """Fields (B, D, *grid) on another grid of the same corners."""
    return F.interpolate(h, grid, mode="bilinear", align_corners=True)
