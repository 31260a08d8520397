"""Attention among slices of the domain instead of among its points, as in Transolver.

    token_g = Σ_n w_ng v_n / (Σ_n w_ng + ε),    u_n = Σ_g w_ng Attention(tokens)_g

Every point belongs to G learned slices with weights w; the cost is linear in the points.

Shapes: B batch, N points, D width, H heads, C = D / H channels per head, G slices.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.nn.linear import Linear
from llt.nn.transformer import PointProjection, latent_attention, merge_heads, split_heads
from llt.problem import Problem


class PhysicsAttention(nn.Module):
    """Points to slice tokens, attention among the tokens, and back with the same weights.

    `weigh` maps the projected points (B, H, N, C) to slice weights (B, H, N, G). With
    `own_values` the tokens are made from a second projection of the points.
    """

    def __init__(
        self, problem: Problem, weigh: nn.Module, *, dim: int, heads: int, own_values: bool
    ) -> None:
        super().__init__()
        self.heads, self.weigh = heads, weigh
        self.points = PointProjection(problem, dim)
        self.values = PointProjection(problem, dim) if own_values else None
        self.qkv = Linear(dim // heads, 3 * (dim // heads), bias=False)  # the same in all heads
        self.out = Linear(dim, dim)

    def forward(self, h: Tensor, grid: tuple[int, ...] | None, mask: Tensor | None) -> Tensor:
        # contiguous, since several products read them, and would each make a copy
        points = split_heads(self.points(h, grid), self.heads).contiguous()  # (B, H, N, C)
        values = points
        if self.values is not None:
            values = split_heads(self.values(h, grid), self.heads).contiguous()
        # the largest tensor; its order of products is its authors', which compilers serve best
        weights = self.weigh(points)  # (B, H, N, G)
        q, k, v = self.qkv(slice_tokens(weights, values, mask)).chunk(3, dim=-1)  # (B, H, G, C)
        mixed = latent_attention(q, k, v)
        return self.out(merge_heads(torch.einsum("bhgc,bhng->bhnc", mixed, weights)))


def slice_tokens(
    weights: Tensor, values: Tensor, mask: Tensor | None, *, eps: float = 1e-5
) -> Tensor:
    """Weighted mean of the values in every slice: (B, H, G, C)."""
    if mask is not None:
        weights = weights * mask[:, None, :, None]
    sums = torch.einsum("bhnc,bhng->bhgc", values, weights)
    exact = torch.promote_types(weights.dtype, torch.float32)
    return sums / (weights.sum(dim=-2, dtype=exact).unsqueeze(-1) + eps)
