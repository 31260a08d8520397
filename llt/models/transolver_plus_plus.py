"""Transolver++: Physics-Attention with slices that stay distinct.

    w_n = softmax((W x_n + Gumbel noise) / τ_n),    τ_n = max(τ + GELU-MLP(x_n), 0.01)

Against Transolver: one projection of the points serves weights and values, and every point has
a temperature of its own. The published code, which covers one problem on point sets, draws noise
in evaluation too. Here evaluation takes the mean of w_n over the noise, so that predictions are
repeatable: softmax(W x_n / τ_n) is far from that mean, and the layers never saw it in training.

Shapes: B batch, N points, H heads, C channels per head, G slices.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.models.base import Operator
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


class TransolverPlusPlus(Operator):
    """Embedding, L blocks of Physics-Attention with eidetic states and MLP, linear readout."""

    paper = "Luo et al.: Transolver++: An Accurate Neural Solver on Million-Scale Geometries, 2025"
    summary = "Transolver with a temperature for every point and one projection per layer"

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
        weigh = EideticWeights(heads, dim // heads, slices)
        return PhysicsAttention(self.problem, weigh, dim=dim, heads=heads, own_values=False)

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


class EideticWeights(nn.Module):
    """softmax over the slices of (W x + noise) / τ, τ learned per head and moved by the point.

    In evaluation it is close to the mean over the noise, see `mean_temperature`.
    """

    def __init__(self, heads: int, head_dim: int, slices: int) -> None:
        super().__init__()
        self.score = nn.Linear(head_dim, slices)
        self.temperature = nn.Parameter(torch.full((heads, 1, 1), 0.5))
        self.adapt = nn.Sequential(
            nn.Linear(head_dim, slices), nn.GELU(), nn.Linear(slices, 1), nn.GELU()
        )

    def forward(self, points: Tensor) -> Tensor:  # (B, H, N, C) -> (B, H, N, G)
        temperature = (self.temperature + self.adapt(points)).clamp(min=0.01)  # (B, H, N, 1)
        scores = self.score(points)
        if not self.training:
            return (scores / mean_temperature(temperature)).softmax(dim=-1)
        # minus the logarithm of an exponential variable has the Gumbel distribution
        noisy = scores - torch.empty_like(scores).exponential_().log()
        return (noisy / temperature).softmax(dim=-1)


def mean_temperature(temperature: Tensor) -> Tensor:
    """σ for which softmax(s / σ) is about the mean of softmax((s + Gumbel noise) / τ).

    Exact at both ends: for τ → 0 slices are drawn with probabilities softmax(s), for τ → ∞ the
    noise averages out and σ = τ. The cubes join them to within a few percent of sampled means.
    """
    return (1 + temperature**3) ** (1 / 3)
