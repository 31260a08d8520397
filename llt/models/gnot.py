"""General Neural Operator Transformer.

Query points attend to the input function, then to themselves, by normalized linear attention;
after each a mixture of experts, whose gate reads the coordinates: a soft domain decomposition.
The input function is one set of points (x, a): this package's problems have no second one. Time is
what the authors call a global parameter, a number that joins the coordinates of every query.

Shapes: B batch, N points, D width, E experts.
"""

from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.feedforward import mlp
from llt.nn.linear import Linear
from llt.nn.linear_attention import NormalizedAttention
from llt.nn.transformer import ResidualMLP, check_sizes
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
        mlp_ratio: int = 4,
        mlp_layers: int = 3,  # hidden layers of the embeddings and the readout
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim,
            heads=heads,
            num_layers=num_layers,
            num_experts=num_experts,
            mlp_ratio=mlp_ratio,
            mlp_layers=mlp_layers,
        )
        self.problem = problem
        d = problem.space_dim
        self.query = ResidualMLP(d + problem.timed, dim, dim, mlp_layers)
        self.function = ResidualMLP(d + problem.in_channels, dim, dim, mlp_layers)
        self.blocks = nn.ModuleList(
            Block(dim, heads, space_dim=d, num_experts=num_experts, mlp_ratio=mlp_ratio)
            for _ in range(num_layers)
        )
        self.readout = ResidualMLP(dim, dim, problem.out_channels, mlp_layers)

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
        x = (x - 0.5) * 12**0.5  # mean zero and variance one in the unit box, as published
        h, function = self.query(self._timed(x, t)), self.function(torch.cat((x, a), dim=-1))
        for block in self.blocks:
            h = block(h, function, x, mask)
        u = self.readout(h)
        return u if mask is None else u * mask.unsqueeze(-1)

    def _timed(self, x: Tensor, t: Tensor | None) -> Tensor:
        if not self.problem.timed:
            return x
        if t is None:
            raise ValueError(f"{self.problem.name} is timed: pass the output time t")
        return torch.cat((x, t.view(-1, 1, 1).expand(-1, x.shape[1], 1)), dim=-1)


class Block(nn.Module):
    """Cross-attention, experts, self-attention, experts, all residual.

    Attention is on normed input, of the experts the mixture is normed.
    """

    def __init__(
        self, dim: int, heads: int, *, space_dim: int, num_experts: int, mlp_ratio: int
    ) -> None:
        super().__init__()
        hidden = mlp_ratio * dim
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(4))
        self.function_norm = nn.LayerNorm(dim)
        self.cross, self.self_ = NormalizedAttention(dim, heads), NormalizedAttention(dim, heads)
        self.experts1, self.experts2 = (Experts(dim, hidden, num_experts) for _ in range(2))
        self.gate = nn.Sequential(
            Linear(space_dim, hidden),
            nn.GELU(),
            Linear(hidden, hidden),
            nn.GELU(),
            Linear(hidden, num_experts),
        )

    def forward(self, h: Tensor, function: Tensor, x: Tensor, mask: Tensor | None) -> Tensor:
        norm1, norm2, norm3, norm4 = self.norms
        shares = self.gate(x).softmax(dim=-1)  # (B, N, E)
        h = h + self.cross(norm1(h), mask, self.function_norm(function))
        h = h + norm2(self.experts1(h, shares))
        h = h + self.self_(norm3(h), mask)
        return h + norm4(self.experts2(h, shares))


class Experts(nn.Module):
    """Σ_e g_e(x) MLP_e(h) over the experts e."""

    def __init__(self, dim: int, hidden: int, num_experts: int) -> None:
        super().__init__()
        self.experts = nn.ModuleList(mlp(dim, hidden, dim) for _ in range(num_experts))

    def forward(self, h: Tensor, shares: Tensor) -> Tensor:
        # a sum, not a product of stacked outputs (B, N, D, E): that is a tiny one for every point
        parts = zip(self.experts, shares.split(1, dim=-1), strict=True)
        return reduce(torch.add, (expert(h) * share for expert, share in parts))
