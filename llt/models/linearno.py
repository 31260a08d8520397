"""LinearNO: Physics-Attention reduced to linear attention.

    u = φ(Q / τ) (ψ(K / σ)ᵀ V),    φ: softmax over the M modes,    ψ: softmax over the points

Its authors read Transolver's slicing as linear attention whose queries and keys are tied, untie
them, and drop the attention among slices. Every head learns its temperatures τ and σ.

Shapes: B batch, N points, D width, H heads, C = D / H channels per head, M modes.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.errors import ConfigError
from llt.models.base import Operator
from llt.nn.feedforward import mlp
from llt.nn.linear import Linear
from llt.nn.transformer import (
    MixerBlock,
    PointEmbedding,
    PointProjection,
    Positions,
    Readout,
    check_sizes,
    has_shift,
    init_truncated_normal,
    latent_attention,
    merge_heads,
    over_points,
    split_heads,
)
from llt.problem import Problem


class LinearNO(Operator):
    """Embedding, L blocks of linear attention and MLP, linear readout."""

    paper = "Hu et al.: Transolver Is a Linear Transformer: Revisiting Physics-Attention, 2026"
    summary = "linear attention, softmax over modes and over points; dense convolutions on grids"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 8,
        heads: int = 8,
        modes: int = 64,  # M
        mlp_ratio: int = 1,
        reference_points: int = 0,  # per axis; distances to them replace the coordinates
        min_temperature: float = 0.01,
        max_temperature: float = 1.0,  # 0: no temperatures
        deep_output: bool = False,  # two layers after the attention, as on grids, on point sets too
    ) -> None:
        super().__init__()
        check_sizes(dim=dim, heads=heads, num_layers=num_layers, modes=modes, mlp_ratio=mlp_ratio)
        if max_temperature and not 0 < min_temperature <= max_temperature:
            raise ConfigError(
                f"min_temperature={min_temperature:g} must lie above 0 and not above "
                f"max_temperature={max_temperature:g}"
            )
        self.problem = problem
        self.positions = Positions(problem, reference_points)
        self.embedding = PointEmbedding(
            self.positions.dim + problem.in_channels,
            dim,
            timed=problem.timed,
            shift=has_shift(problem),
        )
        self.blocks = nn.ModuleList(
            MixerBlock(
                ModeAttention(
                    problem,
                    dim=dim,
                    heads=heads,
                    modes=modes,
                    temperatures=(min_temperature, max_temperature),
                    deep_output=deep_output or problem.grid is not None,
                ),
                dim,
                mlp_ratio=mlp_ratio,
            )
            for _ in range(num_layers)
        )
        self.readout = Readout(dim, problem.out_channels)
        init_truncated_normal(self)
        for part in self.modules():
            if isinstance(part, nn.Conv2d | nn.Conv3d) and part.bias is not None:
                nn.init.kaiming_normal_(part.weight)
                nn.init.zeros_(part.bias)

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
        h = self.embedding(torch.cat((self.positions(x, grid), a), dim=-1), t)
        for block in self.blocks:
            h = block(h, grid, mask)
        return self.readout(h, mask)


class ModeAttention(nn.Module):
    """φ(Q / τ) (ψ(K / σ)ᵀ V); maps that all heads share take Q, K and V from one projection."""

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int,
        heads: int,
        modes: int,
        temperatures: tuple[float, float],  # least and largest; (_, 0) for none
        deep_output: bool,
    ) -> None:
        super().__init__()
        self.heads, self.bounds = heads, temperatures
        head_dim = dim // heads
        self.points = PointProjection(problem, dim)
        self.q = Linear(head_dim, modes, bias=False)
        self.k = Linear(head_dim, modes, bias=False)
        self.v = Linear(head_dim, head_dim, bias=False)
        self.temperatures = (  # τ and σ
            nn.Parameter(torch.full((2, heads, 1, 1), 0.5)) if temperatures[1] else None
        )
        self.out = mlp(dim, dim, dim) if deep_output else Linear(dim, dim)

    def forward(self, h: Tensor, grid: tuple[int, ...] | None, mask: Tensor | None) -> Tensor:
        points = split_heads(self.points(h, grid), self.heads)  # (B, H, N, C)
        # the rows of the two maps are what points meet in a softmax: M latents, fixed ones
        q, k = (z.expand(*points.shape[:2], -1, -1) for z in self._latents())
        kv = latent_attention(k, points, self.v(points), over_points(mask), scale=1.0)
        return self.out(merge_heads(latent_attention(points, q, kv, scale=1.0)))

    def _latents(self) -> Tensor:
        """The maps of queries and keys over their temperatures: (2, H or 1, M, C)."""
        maps = torch.stack((self.q.weight, self.k.weight)).unsqueeze(1)
        return maps if self.temperatures is None else maps / self.temperatures.clamp(*self.bounds)
