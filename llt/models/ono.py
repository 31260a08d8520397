"""Orthogonal Neural Operator.

Two streams. One learns features h of the points by attention; whitened, they are orthonormal
functions ψ. The other, f, holds the solution and is updated by the kernel ψ diag(μ) ψᵀ, μ > 0.
Whitening is by the Cholesky factor of the features' covariance: the authors' over the batch in
training and a running average after, here the sample's own in both, which is theirs for a batch of
one. So ψ is orthonormal on every mesh, and no sample depends on the others.

Shapes: B batch, N points, D width, H heads, C = D / H channels per head, M landmarks, P features.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.errors import ConfigError, unknown
from llt.models.base import Operator
from llt.nn.encoding import SlowTimeEmbedding
from llt.nn.feedforward import mlp
from llt.nn.linear import Linear
from llt.nn.points import point_weights
from llt.nn.transformer import (
    MixerBlock,
    Readout,
    check_sizes,
    init_truncated_normal,
    merge_heads,
    split_heads,
)
from llt.problem import Problem


class ONO(Operator):
    """One embedding for both streams, L blocks that carry them, readout of the solution's."""

    paper = "Xiao et al.: Improved Operator Learning by Orthogonal Attention, 2023"
    summary = "attention by orthonormal features of a stream of their own"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 8,
        heads: int = 8,
        psi_dim: int = 8,  # P
        mlp_ratio: int = 1,
        attention: str = "linear",  # of the features; nystrom depends on the order of points
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim, heads=heads, num_layers=num_layers, psi_dim=psi_dim, mlp_ratio=mlp_ratio
        )
        if attention not in ATTENTION:
            raise ConfigError(unknown("attention of model ono", attention, ATTENTION))
        self.problem = problem
        self.embedding = mlp(problem.space_dim + problem.in_channels, 2 * dim, 2 * dim)
        self.timestep = SlowTimeEmbedding(dim) if problem.timed else None
        self.blocks = nn.ModuleList(
            Block(
                MixerBlock(ATTENTION[attention](dim, heads), dim, mlp_ratio=mlp_ratio),
                Kernel(dim, psi_dim),
                # what would follow the last kernel is the readout
                _normed_mlp(dim, mlp_ratio) if layer < num_layers else nn.Identity(),
            )
            for layer in range(1, num_layers + 1)
        )
        self.readout = Readout(dim, problem.out_channels)
        init_truncated_normal(self)

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
        h, f = self.embedding(torch.cat((x, a), dim=-1)).chunk(2, dim=-1)
        if self.timestep is not None:
            if t is None:
                raise ValueError("the problem is timed: pass the output time t")
            h = h + self.timestep(t).unsqueeze(1)
        for block in self.blocks:
            h, f = block(h, f, mask)
        return self.readout(f, mask)


def _normed_mlp(dim: int, ratio: int) -> nn.Sequential:
    return nn.Sequential(nn.LayerNorm(dim), mlp(dim, ratio * dim, dim))


class Block(nn.Module):
    """h by attention, f by the kernel of h, then an MLP of f that is not added to it."""

    def __init__(self, features: MixerBlock, kernel: Kernel, after: nn.Module) -> None:
        super().__init__()
        self.features, self.kernel, self.after = features, kernel, after

    def forward(self, h: Tensor, f: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        h = self.features(h, mask)
        return h, self.after(f + self.kernel(h, f, mask))


class Kernel(nn.Module):
    """ψ diag(softplus μ) ψᵀ f: a sum over the points, as published, where ψᵀ ψ / n = 1."""

    def __init__(self, dim: int, psi_dim: int) -> None:
        super().__init__()
        self.project = Linear(dim, psi_dim)
        self.mu = nn.Parameter(torch.zeros(psi_dim))

    def forward(self, h: Tensor, f: Tensor, mask: Tensor | None) -> Tensor:
        psi = whiten(self.project(h), mask)  # (B, N, P)
        if mask is not None:
            f = f * mask.unsqueeze(-1)
        return (psi * F.softplus(self.mu)) @ (psi.mT @ f)


def whiten(psi: Tensor, mask: Tensor | None = None) -> Tensor:
    """ψ L⁻ᵀ with L Lᵀ = ψᵀ ψ / n: orthonormal over the real points of each sample (B, N, P)."""
    # in double: smooth features are nearly dependent, and autocast leaves doubles alone
    wide = psi.double()
    covariance = (wide * point_weights(wide, mask).unsqueeze(-1)).mT @ wide  # (B, P, P)
    identity = torch.eye(psi.shape[-1], dtype=wide.dtype, device=psi.device)
    factor = torch.linalg.cholesky_ex(covariance + _jitter(covariance) * identity).L
    # solved for P columns instead of N, the rest is a product
    inverse = torch.linalg.solve_triangular(factor, identity.expand_as(factor), upper=False)
    return (wide @ inverse.mT).to(psi.dtype)


@torch.no_grad()
def _jitter(covariance: Tensor, *, size: float = 1e-6) -> Tensor:
    """Nothing, but where features depend on each other a share of their variance: (B, 1, 1).

    The authors try without, in float32, and add it when that fails. Here no answer is waited for.
    """
    share = size * covariance.diagonal(dim1=1, dim2=2).mean(dim=1)
    factor, failed = torch.linalg.cholesky_ex(covariance)
    smallest = factor.diagonal(dim1=1, dim2=2).amin(dim=1).square()
    dependent = (failed > 0) | (smallest < share)
    return torch.where(dependent, share, 0)[:, None, None]


class LinearAttention(nn.Module):
    """softmax_channels(q) (softmax_points(k)ᵀ v) / √C in every head."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = Linear(dim, 3 * dim, bias=False), Linear(dim, dim)

    def forward(self, h: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (split_heads(z, self.heads) for z in self.qkv(h).chunk(3, dim=-1))
        if mask is not None:
            k = k.masked_fill(~mask[:, None, :, None], float("-inf"))
        mixed = q.softmax(dim=-1) @ (k.softmax(dim=-2).mT @ v)
        return self.out(merge_heads(mixed * q.shape[-1] ** -0.5))


class NystromAttention(nn.Module):
    """softmax(q k_mᵀ) softmax(q_m k_mᵀ)⁺ softmax(q_m kᵀ) v, and a convolution of v, in every head.

    The landmarks q_m, k_m are means over M runs of points that follow one another, zeros ahead of
    the first filling up the runs; v is convolved along the points too. So their order matters.
    """

    def __init__(self, dim: int, heads: int, *, landmarks: int = 256, kernel: int = 33) -> None:
        super().__init__()
        self.heads, self.landmarks = heads, landmarks
        self.qkv, self.out = Linear(dim, 3 * dim, bias=False), Linear(dim, dim)
        self.near = nn.Conv2d(
            heads, heads, (kernel, 1), padding=(kernel // 2, 0), groups=heads, bias=False
        )

    def forward(self, h: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is not None:
            h = h * mask.unsqueeze(-1)  # then q, k and v are zero at padding
        q, k, v = (split_heads(z, self.heads) for z in self.qkv(h).chunk(3, dim=-1))
        q = q * q.shape[-1] ** -0.5
        means, zeros = (z.to(q.dtype) for z in self._runs(h, mask))
        q_m, k_m = means @ q, means @ k  # (B, H, M, C)
        scores = q_m @ k.mT  # (B, H, M, N)
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None], float("-inf"))
        # the zeros are keys as well: one column stands for all of them
        scores = torch.cat((scores, zeros.log().expand(*scores.shape[:3], 1)), dim=-1)
        collected = scores.softmax(dim=-1)[..., :-1] @ v
        inverse = pseudo_inverse((q_m @ k_m.mT).softmax(dim=-1))
        mixed = (q @ k_m.mT).softmax(dim=-1) @ (inverse @ collected)
        return self.out(merge_heads(mixed + self.near(v)))

    def _runs(self, h: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """The matrix of the means (B, 1, M, N); how many zeros fill up the runs (B, 1, 1, 1)."""
        counted = torch.ones_like(h[..., 0], dtype=torch.bool) if mask is None else mask
        n = counted.sum(1).view(-1, 1, 1, 1)
        length = (n + self.landmarks - 1) // self.landmarks
        zeros = length * self.landmarks - n
        run = (torch.arange(h.shape[1], device=h.device) + zeros) // length
        inside = run == torch.arange(self.landmarks, device=h.device).view(-1, 1)
        return inside / length, zeros


def pseudo_inverse(matrix: Tensor, *, steps: int = 6) -> Tensor:
    """(B, H, M, M), by the iteration of the Nyström paper; scaled per sample, not per batch."""
    rows, columns = matrix.sum(-1).amax((1, 2)), matrix.sum(-2).amax((1, 2))
    inverse = matrix.mT / (rows * columns)[:, None, None, None]
    identity = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
    with torch.autocast(matrix.device.type, enabled=False):  # 16 bits would not converge
        for _ in range(steps):
            product = matrix @ inverse
            inner = 15 * identity - product @ (7 * identity - product)
            inverse = 0.25 * inverse @ (13 * identity - product @ inner)
    return inverse


ATTENTION = {"linear": LinearAttention, "nystrom": NystromAttention}
