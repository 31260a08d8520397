"""U-NO: a U-shaped neural operator.

Fourier blocks h ← σ(K h + W h) that change the grid and the width together: the grid is halved
twice while the width doubles, then both go back, joined by what stood there on the way down. K
changes the grid in Fourier space, W by linear interpolation. Any grid works: its sizes are divided
by 2 and 4 and rounded up (the authors' code fixes 85, 40, 20).

Shapes: B batch, N points, D width.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import GRIDS, Operator
from llt.nn.feedforward import mlp
from llt.nn.spectral import CONV, SpectralConv, check_settings, crop, pad
from llt.nn.transformer import PointEmbedding
from llt.problem import Problem


class UNO(Operator):
    """Lifting, two blocks down, two blocks up with skip concatenations, projection."""

    paper = "Rahman, Ross and Azizzadenesheli: U-NO - U-shaped Neural Operators, 2023"
    summary = "Fourier blocks in the shape of a U that change grid size and width"
    supports = GRIDS

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 32,
        modes: int = 18,  # of either sign, per axis, of the outer blocks
        coarse_modes: int = 8,  # of the inner blocks
        padding: float = 0.06,  # of each axis, with zeros; 0 for periodic fields
    ) -> None:
        super().__init__()
        check_settings(dim=dim, modes=modes, coarse_modes=coarse_modes, padding=padding)
        self.problem, self.padding = problem, padding
        d = problem.space_dim
        self.lift = PointEmbedding(d + problem.in_channels, dim, timed=problem.timed, shift=False)
        self.down1 = FourierBlock(dim, 2 * dim, modes=modes, space_dim=d)
        self.down2 = FourierBlock(2 * dim, 4 * dim, modes=coarse_modes, space_dim=d)
        self.up2 = FourierBlock(4 * dim, 2 * dim, modes=coarse_modes, space_dim=d)
        self.up1 = FourierBlock(4 * dim, dim, modes=modes, space_dim=d)
        self.project = mlp(2 * dim, 4 * dim, problem.out_channels)

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
        grid = self.grid_of(x, grid)
        h = self.lift(torch.cat((x, a), dim=-1), t)
        h0 = pad(h.transpose(1, 2).unflatten(-1, grid), self.padding)  # (B, D, *grid)
        fine, middle, coarse = (_divided(tuple(h0.shape[2:]), by) for by in (1, 2, 4))
        h1 = self.down1(h0, middle)  # (B, 2D, *middle)
        h2 = self.down2(h1, coarse)  # (B, 4D, *coarse)
        h1 = torch.cat((self.up2(h2, middle), h1), dim=1)  # (B, 4D, *middle)
        h0 = torch.cat((self.up1(h1, fine), h0), dim=1)  # (B, 2D, *fine)
        return self.project(crop(h0, grid).flatten(2).transpose(1, 2))


def _divided(grid: tuple[int, ...], by: int) -> tuple[int, ...]:
    return tuple(math.ceil(n / by) for n in grid)


class FourierBlock(nn.Module):
    """σ(K h + W h), moved to another grid."""

    def __init__(self, in_dim: int, out_dim: int, *, modes: int, space_dim: int) -> None:
        super().__init__()
        self.spectral = SpectralConv(in_dim, out_dim, modes=modes, space_dim=space_dim)
        self.pointwise = CONV[space_dim](in_dim, out_dim, 1)
        self.interpolation = {2: "bilinear", 3: "trilinear"}[space_dim]

    def forward(self, h: Tensor, grid: tuple[int, ...]) -> Tensor:
        moved = F.interpolate(self.pointwise(h), grid, mode=self.interpolation, align_corners=True)
        return F.gelu(self.spectral(h, grid) + moved)
