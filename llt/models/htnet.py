"""Hierarchical Transformer, HT-Net.

A hierarchy of token grids. Reduce merges 2 x 2 tokens into one of the next coarser level; on every
level tokens attend to each other in local windows; decompose sends each coarse token back to its
children, so that nested features of all levels meet on the finest. Pixels and patches are joined by
the same two maps. Grids of odd size are filled up with zeros, which the windows leave out.

Shapes: B batch, Ny x Nx grid of tokens, D width, H heads, C channels per head, L tokens a window.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import GRIDS, SPACE, Operator
from llt.nn.linear import Linear
from llt.nn.patching import covered, from_patches, to_patches
from llt.nn.transformer import MixerBlock, PointEmbedding, Readout, check_sizes, merge_heads
from llt.problem import Problem


class HTNet(Operator):
    """Embedding, patches, L blocks of hierarchical attention, patches back to pixels, readout."""

    paper = "Liu, Xu and Zhang: HT-Net: Hierarchical Transformer for Multiscale PDEs, 2022"
    summary = "windowed attention on every level of a hierarchy of grids"
    supports = GRIDS - {SPACE}

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 4,
        heads: int = 4,
        num_levels: int = 3,
        window: int = 8,
        patch: int = 2,
        mlp_ratio: int = 2,
    ) -> None:
        super().__init__()
        check_sizes(
            dim=dim,
            heads=heads,
            num_layers=num_layers,
            num_levels=num_levels,
            window=window,
            patch=patch,
            mlp_ratio=mlp_ratio,
        )
        self.problem = problem
        in_dim = problem.space_dim + problem.in_channels
        self.embedding = PointEmbedding(in_dim, dim, timed=problem.timed)
        self.reduce, self.decompose = Reduce(dim, patch), Decompose(dim, patch)
        self.blocks = nn.ModuleList(
            MixerBlock(
                HierarchicalAttention(
                    dim,
                    heads=heads,
                    num_levels=num_levels,
                    window=window,
                    # every other layer has its windows moved by half their size
                    before=window // 2 * (layer % 2),
                ),
                dim,
                mlp_ratio=mlp_ratio,
            )
            for layer in range(num_layers)
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
        Ny, Nx = self.grid_of(x, grid)
        pixels = self.embedding(torch.cat((x, a), dim=-1), t).unflatten(1, (Ny, Nx))
        h = self.reduce(pixels)
        for block in self.blocks:
            h = block(h)
        pixels = pixels + self.decompose(h, (Ny, Nx))
        return self.readout(pixels.flatten(1, 2), mask)


class HierarchicalAttention(nn.Module):
    """Reduce down to the coarsest level, attend on all, decompose up and add."""

    def __init__(self, dim: int, *, heads: int, num_levels: int, window: int, before: int) -> None:
        super().__init__()
        self.attention = nn.ModuleList(
            WindowAttention(dim, heads, window, before) for _ in range(num_levels)
        )
        self.reduce = nn.ModuleList(Reduce(dim, 2) for _ in range(num_levels - 1))
        self.decompose = nn.ModuleList(Decompose(dim, 2) for _ in range(num_levels - 1))

    def forward(self, h: Tensor) -> Tensor:  # (B, Ny, Nx, D)
        levels = [h]
        for reduce in self.reduce:
            levels.append(reduce(levels[-1]))
        *finer, coarsest = (
            attend(level) for attend, level in zip(self.attention, levels, strict=True)
        )
        out = coarsest
        for level, decompose in zip(reversed(finer), reversed(self.decompose), strict=True):
            out = level + decompose(out, level.shape[1:3])
        return out


class Reduce(nn.Module):
    """size x size tokens into one, by a linear map of all their channels."""

    def __init__(self, dim: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.linear = Linear(size**2 * dim, dim)

    def forward(self, h: Tensor) -> Tensor:
        return self.linear(to_patches(h, self.size).flatten(3))


class Decompose(nn.Module):
    """One token into size x size children, by a linear map to all their channels."""

    def __init__(self, dim: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.linear = Linear(dim, size**2 * dim)

    def forward(self, h: Tensor, grid: tuple[int, ...]) -> Tensor:
        return from_patches(self.linear(h).unflatten(-1, (self.size**2, -1)), grid)


class WindowAttention(nn.Module):
    """Softmax attention among the tokens of each window, which begin `before` ahead of the grid."""

    def __init__(self, dim: int, heads: int, window: int, before: int = 0) -> None:
        super().__init__()
        self.split = (3, heads, dim // heads)
        self.window, self.before = window, before
        self.qkv = Linear(dim, 3 * dim, bias=False)
        self.out = Linear(dim, dim)

    def forward(self, h: Tensor) -> Tensor:  # (B, Ny, Nx, D)
        windows = to_patches(self.qkv(h), self.window, before=self.before)  # (B, ny, nx, L, 3D)
        real = covered(h, self.window, before=self.before)  # (1, ny, nx, L)
        real = real.expand(windows.shape[:4]).flatten(0, 2)[:, None, None]  # (B ny nx, 1, 1, L)
        q, k, v = windows.flatten(0, 2).unflatten(-1, self.split).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=real)  # (B ny nx, H, L, C)
        mixed = merge_heads(mixed).unflatten(0, windows.shape[:3])
        return self.out(from_patches(mixed, h.shape[1:3], before=self.before))
