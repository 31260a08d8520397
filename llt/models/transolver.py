"""Transolver: attention among learned slices of physical states.

The points of a slice need not be near one another: what they share is their state. Slices are
weighted means of all points, exchange by attention, and are handed back to the points.

Shapes: B batch, N points, H heads, C channels per head, G slices.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.linear import Linear
from llt.nn.physics_attention import PhysicsAttention
from llt.nn.transformer import (
    MixerBlock,
    PointEmbedding,
    Positions,
    Readout,
    check_sizes,
    has_shift,
    init_truncated_normal,
)
from llt.problem import Problem


class Transolver(Operator):
    """Embedding, L blocks of Physics-Attention and MLP, linear readout."""

    paper = "Wu et al.: Transolver: A Fast Transformer Solver for PDEs on General Geometries, 2024"
    summary = "attention among learned slices of the domain; dense convolutions on grids"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 8,
        heads: int = 8,
        slices: int = 64,  # G
        mlp_ratio: int = 1,
        reference_points: int = 0,  # per axis; distances to them replace the coordinates
    ) -> None:
        super().__init__()
        check_sizes(dim=dim, heads=heads, num_layers=num_layers, slices=slices, mlp_ratio=mlp_ratio)
        self.problem = problem
        self.positions = Positions(problem, reference_points)
        self.embedding = PointEmbedding(
            self.positions.dim + problem.in_channels,
            dim,
            timed=problem.timed,
            shift=has_shift(problem),
        )
        self.blocks = nn.ModuleList(
            MixerBlock(self._attention(dim, heads, slices), dim, mlp_ratio=mlp_ratio)
            for _ in range(num_layers)
        )
        self.readout = Readout(dim, problem.out_channels)
        init_truncated_normal(self)

    def _attention(self, dim: int, heads: int, slices: int) -> PhysicsAttention:
        weigh = SliceWeights(heads, dim // heads, slices, clamp=self.problem.grid is not None)
        return PhysicsAttention(self.problem, weigh, dim=dim, heads=heads, own_values=True)

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


class SliceWeights(nn.Module):
    """softmax over the slices of W x / τ, with a learned temperature τ per head."""

    def __init__(self, heads: int, head_dim: int, slices: int, *, clamp: bool) -> None:
        super().__init__()
        self.score = Linear(head_dim, slices)
        self.temperature = nn.Parameter(torch.full((heads, 1, 1), 0.5))
        self.clamp = clamp  # published on structured meshes only

    def forward(self, points: Tensor) -> Tensor:  # (B, H, N, C) -> (B, H, N, G)
        temperature = self.temperature.clamp(0.1, 5) if self.clamp else self.temperature
        return (self.score(points) / temperature).softmax(dim=-1)
