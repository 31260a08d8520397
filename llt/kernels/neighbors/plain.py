"""The definition of attention to neighbors.

Shapes: B batch, N points, M points asking, H heads, C channels per head, K neighbors.
"""

from __future__ import annotations

import torch
from torch import Tensor


def neighbor_attention(q: Tensor, k: Tensor, v: Tensor, neighbors: Tensor) -> Tensor:
    """Softmax attention of q (B, M, H, C) to its neighbors among k, v (B, N, H, C).

    `neighbors` (B, M, K) holds point indices, -1 where a point has fewer than K. A point with
    none at all, as padding has, gets zeros.
    """
    B, N, _, C = k.shape
    valid = neighbors >= 0  # (B, M, K)
    rows = neighbors.clamp(min=0) + N * torch.arange(B, device=q.device)[:, None, None]
    near_k, near_v = (z.flatten(0, 1)[rows] for z in (k, v))  # (B, M, K, H, C)
    scores = (q.unsqueeze(2) * near_k).sum(-1) / C**0.5  # (B, M, K, H)
    scores = scores.masked_fill(~valid[..., None], torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=2) * valid[..., None]
    return (weights[..., None] * near_v).sum(dim=2)
