"""Local Linear Transformer.

Global linear attention for exchange across the whole mesh, beside a local path: a depthwise-
separable convolution on grids, softmax attention on a radius graph on point sets.

Shapes: B batch, N points, D width, H heads, C = D / H channels per head, K neighbors, S width
of the raw input s. Letters and names are the paper's; `docs/fidelity.md` maps its equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn

from llt import kernels
from llt.errors import ConfigError
from llt.models.base import Operator
from llt.nn.encoding import TimeEmbedding, fourier_features
from llt.nn.feedforward import SwiGLU, mlp
from llt.nn.linear import Linear
from llt.nn.norm import RMSNorm
from llt.nn.transformer import Positions
from llt.problem import Problem


class LLT(Operator):
    """Embedder, L encoder blocks, skip-connected decoder."""

    paper = "Ovadia and Turkel: Local Linear Transformer for PDE Operator Learning"
    summary = "linear attention across the mesh beside local convolution or neighbor attention"

    # the fastest, and its error is fp32's (docs/performance.md)
    precision = "fp16"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 8,
        heads: int = 8,
        alpha: float = 0.7,  # weight of the global path; the local path has 1 - alpha
        kernel: int = 3,
        reference_points: int = 8,  # R, per axis
        bands: int = 4,  # B, of the Fourier features
        conv_branch: bool = True,  # on grids: a short convolution stack replaces x and a in s
        max_neighbors: int = 32,  # K, on point sets
    ) -> None:
        super().__init__()
        _check(
            dim=dim,
            heads=heads,
            num_layers=num_layers,
            kernel=kernel,
            alpha=alpha,
            reference_points=reference_points,
        )
        self.problem, self.dim, self.heads = problem, dim, heads
        structured = problem.grid is not None
        self.taps = kernel**problem.space_dim if structured else 0
        self.max_neighbors = 0 if structured else max_neighbors
        self.embedder = Embedder(
            problem,
            dim=dim,
            reference_points=reference_points,
            bands=bands,
            conv_branch=conv_branch and structured,
        )
        self.time = TimeEmbedding(dim) if problem.timed else None
        self.blocks = nn.ModuleList(
            Block(problem, dim=dim, heads=heads, alpha=alpha, kernel=kernel)
            for _ in range(num_layers)
        )
        self.skip = Linear(self.embedder.raw_dim, dim, bias=False)  # W_skip
        self.norm = RMSNorm(dim)
        self.head = mlp(dim, 2 * dim, problem.out_channels)

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
            grid = self.grid_of(x, grid)
        elif neighbors is None:
            raise ValueError(f"{self.problem.name}: LLT on point sets needs `neighbors`")
        condition = None
        if self.time is not None:
            if t is None:
                raise ValueError(f"{self.problem.name} is timed: pass the output time t")
            condition = self.time(t)

        h, skip = self.embed(x, a, grid)
        h = self.through(cast("Sequence[Block]", self.blocks), h, condition, grid, neighbors, mask)
        u = self.decode(h, skip)
        return u if mask is None else u * mask.unsqueeze(-1)

    def embed(self, x: Tensor, a: Tensor, grid: tuple[int, ...] | None) -> tuple[Tensor, Tensor]:
        """What enters the blocks, and what is added to what leaves them."""
        if self._fused(x):
            from llt.models.llt import fused as llt_fused

            if llt_fused.can_embed(self, x, a):
                return llt_fused.embed(self, x, a, grid)
        s, h = self.embedder(x, a, grid)
        return h, self.skip(s)

    def through(self, blocks: Sequence[Block], h: Tensor, *rest: Any) -> Tensor:
        if self._fused(h):
            from llt.models.llt import fused as llt_fused

            return llt_fused.run_blocks(blocks, h, *rest)
        for block in blocks:
            h = block(h, *rest)
        return h

    def decode(self, h: Tensor, skip: Tensor) -> Tensor:
        if self._fused(h):
            from llt.models.llt import fused as llt_fused

            if llt_fused.can_decode(self):
                return llt_fused.decode(self, h, skip)
        return cast(Tensor, self.head(self.norm(h + skip)))

    def _fused(self, x: Tensor) -> bool:
        return kernels.use_fused(x, self.dim, self.heads, self.taps)


class Embedder(nn.Module):
    """Raw pointwise input s = (γ(x), x, d(x), a) and its embedding e = MLP(s)."""

    def __init__(
        self, problem: Problem, *, dim: int, reference_points: int, bands: int, conv_branch: bool
    ) -> None:
        super().__init__()
        self.bands = bands
        d, fields = problem.space_dim, problem.space_dim + problem.in_channels
        self.distances = Positions(problem, reference_points)
        self.conv = ConvBranch(fields, dim, d) if conv_branch else None
        self.raw_dim = 2 * d * bands + self.distances.dim + (dim if conv_branch else fields)
        self.mlp = mlp(self.raw_dim, 2 * dim, dim)

    def forward(self, x: Tensor, a: Tensor, grid: tuple[int, ...] | None) -> tuple[Tensor, Tensor]:
        fields = torch.cat((x, a), dim=-1)
        if self.conv is not None and grid is not None:
            fields = self.conv(fields, grid)
        positions = fourier_features(x, self.bands), self.distances(x, grid)
        # in 16 bits all of s is, as the products that read it would have it anyway
        s = torch.cat((*(z.to(fields.dtype) for z in positions), fields), dim=-1)
        return s, self.mlp(s)


class ConvBranch(nn.Module):
    """Two dense convolutions over coordinates and fields: a local bias from the first layer."""

    def __init__(self, in_dim: int, dim: int, space_dim: int) -> None:
        super().__init__()
        conv = _conv(space_dim)
        self.layers = nn.Sequential(
            conv(in_dim, dim, 3, padding=1), nn.GELU(), conv(dim, dim, 3, padding=1)
        )

    def forward(self, fields: Tensor, grid: tuple[int, ...]) -> Tensor:
        image = fields.transpose(1, 2).unflatten(-1, grid)  # (B, C, *grid)
        return self.layers(image).flatten(2).transpose(1, 2)


class Block(nn.Module):
    """h + Attention(RMSNorm(h)), then h + FFN(RMSNorm(h)); time enters by FiLM on the first."""

    def __init__(
        self, problem: Problem, *, dim: int, heads: int, alpha: float, kernel: int
    ) -> None:
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(dim), RMSNorm(dim)
        self.attention = LocalLinearAttention(
            problem, dim=dim, heads=heads, alpha=alpha, kernel=kernel
        )
        self.ffn = SwiGLU(dim, dim * 2 // 3)
        self.film = nn.Linear(dim, 2 * dim) if problem.timed else None
        if self.film is not None:
            nn.init.zeros_(self.film.weight)
            nn.init.zeros_(self.film.bias)

    def forward(
        self,
        h: Tensor,
        condition: Tensor | None,
        grid: tuple[int, ...] | None,
        neighbors: Tensor | None,
        mask: Tensor | None,
    ) -> Tensor:
        h = h + self.attention(self.normed(h, condition), h, grid, neighbors, mask)
        return h + self.ffn(self.norm2(h))

    def normed(self, h: Tensor, condition: Tensor | None) -> Tensor:
        """What the attention reads: RMSNorm(h), scaled and shifted by the time."""
        normed = self.norm1(h)
        if self.film is None or condition is None:
            return normed
        scale, shift = self.film(condition).unsqueeze(1).chunk(2, dim=-1)
        return normed * (1 + scale) + shift


class LocalLinearAttention(nn.Module):
    """W_out (g ⊙ (α LinAttn + (1 - α) Local)), with the gate g read from the block's input."""

    def __init__(
        self, problem: Problem, *, dim: int, heads: int, alpha: float, kernel: int
    ) -> None:
        super().__init__()
        self.heads, self.alpha = heads, alpha
        self.qkv = Linear(dim, 3 * dim, bias=False)
        self.local: LocalConv | LocalAttention
        if problem.grid is not None:
            self.local = LocalConv(dim, kernel, problem.space_dim)
        else:
            self.local = LocalAttention(dim, heads)
        self.gate = Linear(dim, dim)
        self.out = Linear(dim, dim)

    def forward(
        self,
        normed: Tensor,
        h: Tensor,
        grid: tuple[int, ...] | None,
        neighbors: Tensor | None,
        mask: Tensor | None,
    ) -> Tensor:
        far = kernels.attention(normed, self.qkv.weight, self.heads, mask)
        return self.mix(h, far, self.local(normed, grid, neighbors))

    def mix(self, h: Tensor, far: Tensor, near: Tensor) -> Tensor:
        return self.out(kernels.blend(self.gate(h), far, near, self.alpha))


class LocalConv(nn.Module):
    """Depthwise convolution over the grid, then a pointwise one across channels."""

    def __init__(self, dim: int, kernel: int, space_dim: int) -> None:
        super().__init__()
        conv = _conv(space_dim)
        self.depthwise = conv(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.pointwise = Linear(dim, dim)

    def forward(self, h: Tensor, grid: tuple[int, ...] | None, _: Tensor | None) -> Tensor:
        assert grid is not None
        image = h.transpose(1, 2).unflatten(-1, grid)  # (B, D, *grid), a view
        return self.pointwise(self.depthwise(image).flatten(2).transpose(1, 2))


class LocalAttention(nn.Module):
    """Softmax attention restricted to the radius graph, with projections of its own."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = Linear(dim, 3 * dim, bias=False)

    def forward(self, h: Tensor, _: tuple[int, ...] | None, neighbors: Tensor | None) -> Tensor:
        assert neighbors is not None
        q, k, v = self.qkv(h).unflatten(-1, (3, self.heads, -1)).unbind(2)
        return kernels.neighbor_attention(q, k, v, neighbors).flatten(2)


def _conv(space_dim: int) -> type[nn.Conv2d] | type[nn.Conv3d]:
    return nn.Conv2d if space_dim == 2 else nn.Conv3d


def _check(
    *, dim: int, heads: int, num_layers: int, kernel: int, alpha: float, reference_points: int
) -> None:
    if dim < 2 or heads < 1 or dim % heads:
        raise ConfigError(f"dim={dim} must be a positive multiple of heads={heads}")
    if num_layers < 1:
        raise ConfigError(f"num_layers={num_layers} must be at least 1")
    if kernel < 1 or kernel % 2 == 0:
        raise ConfigError(f"kernel={kernel} must be odd, so that it has a center")
    if reference_points < 1:
        raise ConfigError(f"reference_points={reference_points} must be at least 1")
    if not 0 <= alpha <= 1:
        raise ConfigError(f"alpha={alpha} must lie between 0 and 1")
