"""Attentions whose cost is linear in the number of points: the sums over points come first.

Shapes: B batch, N points, H heads, C channels per head, D = H C width.
"""

from __future__ import annotations

from torch import Tensor, nn

from llt.nn.linear import Linear
from llt.nn.points import point_weights


def galerkin_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """q (kᵀ v) / n without a softmax; all (B, N, H, C), mask (B, N) true at the n real points."""
    k = k * point_weights(k, mask)[:, :, None, None]
    kv = k.permute(0, 2, 3, 1) @ v.transpose(1, 2)  # (B, H, C, C)
    return (q.transpose(1, 2) @ kv).transpose(1, 2)


def normalized_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Weights q·k / Σ q·k, the sum over the points of k; q and k must be positive."""
    k = k * point_weights(k, mask)[:, :, None, None]
    kv = k.permute(0, 2, 3, 1) @ v.transpose(1, 2)  # (B, H, C, C)
    q = q.transpose(1, 2)  # (B, H, N, C)
    normalizer = q @ k.sum(dim=1).unsqueeze(-1)  # (B, H, N, 1)
    return ((q @ kv) / normalizer).transpose(1, 2)


class NormalizedAttention(nn.Module):
    """W_o (q + attention of q to the context), with q and k softmaxed over their channels.

    The context is h itself where none is given.
    """

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.split = (heads, dim // heads)
        self.query, self.out = Linear(dim, dim), Linear(dim, dim)
        self.key_value = Linear(dim, 2 * dim)

    def forward(
        self, h: Tensor, mask: Tensor | None = None, context: Tensor | None = None
    ) -> Tensor:
        q = self.query(h).unflatten(-1, self.split).softmax(dim=-1)  # (B, N, H, C)
        keys_values = self.key_value(h if context is None else context)
        k, v = keys_values.unflatten(-1, (2, *self.split)).unbind(2)
        mixed = q + normalized_attention(q, k.softmax(dim=-1), v, mask)
        return self.out(mixed.flatten(2))
