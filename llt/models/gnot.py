"""General Neural Operator Transformer.

Query points attend to the input function, then to themselves, by normalized linear attention;
after each a mixture of experts, whose gate reads the coordinates: a soft domain decomposition.
The input function is one set of points (x, a): this package's problems have no second one.

Shapes: B batch, N points, D width, E experts.
"""

from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.feedforward import mlp
from llt.nn.linear_attention import NormalizedAttention
from llt.nn.transformer import PointEmbedding, Readout, check_sizes
from llt.problem import Problem


class GNOT(Operator):
    """Embeddings of query points and input function, L blocks, readout."""

    paper = "Hao et al.: GNOT: A General Neural Operator Transformer for Operator Learning, 2023"
    summary = "normalized linear cross- and self-attention with geometry-gated experts"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 3,
        heads: int = 8,
        num_experts: int = 3,
        mlp_ratio: int = 2,
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim,
            heads=heads,
            num_layers=num_layers,
            num_experts=num_experts,
            mlp_ratio=mlp_ratio,
        )
        self.problem = problem
        d = problem.space_dim
        self.query = PointEmbedding(d, dim, timed=problem.timed, shift=False)
        self.function = mlp(d + problem.in_channels, 2 * dim, dim)
        self.gate = mlp(d, dim, num_experts)
        self.blocks = nn.ModuleList(
            Block(dim, heads, num_experts=num_experts, mlp_ratio=mlp_ratio)
            for _ in range(num_layers)
        )
        self.readout = Readout(dim, problem.out_channels)

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
        if self.problem.grid is not None:
            self.grid_of(x, grid)
        h, function = self.query(x, t), self.function(torch.cat((x, a), dim=-1))
        shares = self.gate(x).softmax(dim=-1)  # (B, N, E)
        for block in self.blocks:
            h = block(h, function, shares, mask)
        return self.readout(h, mask)


class Block(nn.Module):
    """Cross-attention, experts, self-attention, experts; each residual and on normed input."""

    def __init__(self, dim: int, heads: int, *, num_experts: int, mlp_ratio: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(4))
        self.function_norm = nn.LayerNorm(dim)
        self.cross, self.self_ = NormalizedAttention(dim, heads), NormalizedAttention(dim, heads)
        self.experts1, self.experts2 = (
            Experts(dim, num_experts=num_experts, mlp_ratio=mlp_ratio) for _ in range(2)
        )

    def forward(self, h: Tensor, function: Tensor, shares: Tensor, mask: Tensor | None) -> Tensor:
        norm1, norm2, norm3, norm4 = self.norms
        h = h + self.cross(norm1(h), mask, self.function_norm(function))
        h = h + self.experts1(norm2(h), shares)
        h = h + self.self_(norm3(h), mask)
        return h + self.experts2(norm4(h), shares)


class Experts(nn.Module):
    """Σ_e g_e(x) MLP_e(h) over the experts e."""

    def __init__(self, dim: int, *, num_experts: int, mlp_ratio: int) -> None:
        super().__init__()
        self.experts = nn.ModuleList(mlp(dim, mlp_ratio * dim, dim) for _ in range(num_experts))

    def forward(self, h: Tensor, shares: Tensor) -> Tensor:
        # a sum, not a product of stacked outputs (B, N, D, E): that is a tiny one for every point
        parts = zip(self.experts, shares.split(1, dim=-1), strict=True)
        return reduce(torch.add, (expert(h) * share for expert, share in parts))
