"""Orthogonal Neural Operator.

Two streams. One learns features of the points by linear attention; whitened, they are orthonormal
functions ψ. The other holds the solution and is updated by the kernel ψ diag(μ) ψᵀ, μ > 0.
Whitening is by the Cholesky factor of the features' covariance. The paper's is a running average
over batches; here it is the sample's own, over its points: ψ is then exactly orthonormal on every
mesh, training and evaluation agree, and no sample depends on the others.

Shapes: B batch, N points, D width, P features.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.feedforward import mlp
from llt.nn.linear_attention import NormalizedAttention
from llt.nn.points import point_weights
from llt.nn.transformer import MixerBlock, PointEmbedding, Readout, check_sizes
from llt.problem import Problem


class ONO(Operator):
    """Two embeddings, L blocks that carry both streams, readout of the solution's."""

    paper = "Xiao et al.: Improved Operator Learning by Orthogonal Attention, 2023"
    summary = "attention by orthonormal features of a stream of their own"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 8,
        heads: int = 8,
        psi_dim: int = 8,
        mlp_ratio: int = 1,
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim, heads=heads, num_layers=num_layers, psi_dim=psi_dim, mlp_ratio=mlp_ratio
        )
        self.problem = problem
        in_dim = problem.space_dim + problem.in_channels
        self.features, self.solution = (
            PointEmbedding(in_dim, dim, timed=problem.timed) for _ in range(2)
        )
        self.blocks = nn.ModuleList(
            Block(dim, heads, psi_dim=psi_dim, mlp_ratio=mlp_ratio) for _ in range(num_layers)
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
        points = torch.cat((x, a), dim=-1)
        h, f = self.features(points, t), self.solution(points, t)
        for block in self.blocks:
            h, f = block(h, f, mask)
        return self.readout(f, mask)


class Block(nn.Module):
    """h by linear attention; f + ψ diag(softplus μ) ψᵀ f / n with ψ from h, then f + MLP(LN(f))."""

    def __init__(self, dim: int, heads: int, *, psi_dim: int, mlp_ratio: int) -> None:
        super().__init__()
        self.features = MixerBlock(NormalizedAttention(dim, heads), dim, mlp_ratio=mlp_ratio)
        self.project = nn.Linear(dim, psi_dim)
        self.mu = nn.Parameter(torch.rand(psi_dim))
        self.norm = nn.LayerNorm(dim)
        self.mlp = mlp(dim, mlp_ratio * dim, dim)

    def forward(self, h: Tensor, f: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        h = self.features(h, mask)
        psi = whiten(self.project(h), mask)  # (B, N, P)
        coefficients = inner_products(psi, f, mask)  # (B, P, D)
        f = f + (psi * F.softplus(self.mu)) @ coefficients
        return h, f + self.mlp(self.norm(f))


def whiten(psi: Tensor, mask: Tensor | None = None, *, jitter: float = 1e-5) -> Tensor:
    """ψ L⁻ᵀ with L Lᵀ = ψᵀ ψ / n: orthonormal over the real points of each sample (B, N, P)."""
    # in double: smooth features are nearly dependent, and autocast leaves doubles alone
    wide = psi.double()
    covariance = inner_products(wide, wide, mask)  # (B, P, P)
    size = covariance.diagonal(dim1=1, dim2=2).mean(dim=1)[:, None, None]
    identity = torch.eye(psi.shape[-1], dtype=wide.dtype, device=psi.device)
    # without the check for success, which would wait for the device
    factor = torch.linalg.cholesky_ex(covariance + jitter * size * identity).L
    # solved for P columns instead of N, the rest is a product
    inverse = torch.linalg.solve_triangular(factor, identity.expand_as(factor), upper=False)
    return (wide @ inverse.mT).to(psi.dtype)


def inner_products(psi: Tensor, f: Tensor, mask: Tensor | None = None) -> Tensor:
    """ψᵀ f / n over the n real points of each sample: (B, N, P) and (B, N, D) to (B, P, D)."""
    return (psi * point_weights(psi, mask).unsqueeze(-1)).mT @ f
