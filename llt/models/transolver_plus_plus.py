"""Transolver++: Physics-Attention with slices that stay distinct.

    w_n = softmax((W x_n + noise) / τ_n),    τ_n = max(τ + GELU-MLP(x_n), 0.01)

Against Transolver: one projection of the points serves weights and values, and every point has
a temperature of its own. The noise has Gumbel's distribution; scores W x_n start near zero, and
training is slow until they have grown above it. The published code, which covers one problem on
point sets, draws noise in evaluation too. Here evaluation takes the mean of w_n over the noise, so
that predictions are repeatable: softmax(W x_n / τ_n) is far from that mean, and the layers never
saw it in training.

Shapes: B batch, N points, H heads, C channels per head, G slices.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.errors import ConfigError
from llt.models.transolver import Transolver
from llt.nn.linear import Linear
from llt.nn.physics_attention import PhysicsAttention
from llt.problem import Problem


class TransolverPlusPlus(Transolver):
    """Transolver whose Physics-Attention has eidetic states."""

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
        noise: float = 1.0,  # what the Gumbel noise is multiplied by; 0 for none
    ) -> None:
        if not noise >= 0:
            raise ConfigError(f"noise={noise} must be at least 0")
        self.noise = noise
        super().__init__(
            problem,
            dim=dim,
            num_layers=num_layers,
            heads=heads,
            slices=slices,
            mlp_ratio=mlp_ratio,
            reference_points=reference_points,
        )

    def _attention(self, dim: int, heads: int, slices: int) -> PhysicsAttention:
        weigh = EideticWeights(heads, dim // heads, slices, noise=self.noise)
        return PhysicsAttention(self.problem, weigh, dim=dim, heads=heads, own_values=False)


class EideticWeights(nn.Module):
    """softmax over the slices of (W x + noise) / τ, τ learned per head and moved by the point.

    In evaluation it is close to the mean over the noise, see `mean_temperature`.
    """

    def __init__(self, heads: int, head_dim: int, slices: int, *, noise: float = 1.0) -> None:
        super().__init__()
        self.noise = noise
        self.score = Linear(head_dim, slices)
        self.temperature = nn.Parameter(torch.full((heads, 1, 1), 0.5))
        self.adapt = nn.Sequential(
            Linear(head_dim, slices), nn.GELU(), Linear(slices, 1), nn.GELU()
        )

    def forward(self, points: Tensor) -> Tensor:  # (B, H, N, C) -> (B, H, N, G)
        temperature = (self.temperature + self.adapt(points)).clamp(min=0.01)  # (B, H, N, 1)
        scores = self.score(points)
        if not self.training or self.noise == 0:
            return (scores / mean_temperature(temperature, self.noise)).softmax(dim=-1)
        # minus the logarithm of an exponential variable has the Gumbel distribution; compiled
        # code draws infinity once in 2^24 times, which makes gradients NaN
        drawn = torch.empty_like(scores).exponential_().clamp(max=100).log()
        return ((scores - self.noise * drawn) / temperature).softmax(dim=-1)


def mean_temperature(temperature: Tensor, noise: float) -> Tensor:
    """σ for which softmax(s / σ) is about the mean of softmax((s + noise · Gumbel) / τ).

    Exact at both ends: for τ → 0 slices are drawn with probabilities softmax(s / noise), for
    τ → ∞ or without noise σ = τ. The cubes join them to within a few percent of sampled means.
    """
    return temperature if noise == 0 else (noise**3 + temperature**3) ** (1 / 3)
