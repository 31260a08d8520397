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

from llt.models.transolver import Transolver
from llt.nn.physics_attention import PhysicsAttention


class TransolverPlusPlus(Transolver):
    """Transolver whose Physics-Attention has eidetic states."""

    paper = "Luo et al.: Transolver++: An Accurate Neural Solver on Million-Scale Geometries, 2025"
    summary = "Transolver with a temperature for every point and one projection per layer"

    def _attention(self, dim: int, heads: int, slices: int) -> PhysicsAttention:
        weigh = EideticWeights(heads, dim // heads, slices)
        return PhysicsAttention(self.problem, weigh, dim=dim, heads=heads, own_values=False)


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
        # minus the logarithm of an exponential variable has the Gumbel distribution; compiled
        # code draws infinity once in 2^24 times, which makes gradients NaN
        noisy = scores - torch.empty_like(scores).exponential_().clamp(max=100).log()
        return (noisy / temperature).softmax(dim=-1)


def mean_temperature(temperature: Tensor) -> Tensor:
    """σ for which softmax(s / σ) is about the mean of softmax((s + Gumbel noise) / τ).

    Exact at both ends: for τ → 0 slices are drawn with probabilities softmax(s), for τ → ∞ the
    noise averages out and σ = τ. The cubes join them to within a few percent of sampled means.
    """
    return (1 + temperature**3) ** (1 / 3)
