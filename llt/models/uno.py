"""U-NO: a U-shaped neural operator.

Fourier blocks h ← σ(K h + W h) that change the grid and the width together: the grid is halved
twice while the width doubles, then both go back, joined by what stood there on the way down. K
changes the grid in Fourier space, W by interpolation.

Shapes: B batch, N points, D width.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import GRIDS, Operator
from llt.nn.encoding import TimeEmbedding
from llt.nn.feedforward import mlp
from llt.nn.norm import InstanceNorm
from llt.nn.spectral import CONV, SpectralConv, check_settings, crop, pad
from llt.problem import Problem


class UNO(Operator):
    """Lifting, two blocks down, one at the bottom, two up with skip concatenations, projection."""

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
        padding: float = 0.14,  # of each axis, with zeros; 0 for periodic fields
    ) -> None:
        super().__init__()
        check_settings(dim=dim, modes=modes, coarse_modes=coarse_modes, padding=padding)
        self.problem, self.padding = problem, padding
        d = problem.space_dim
        self.lift = nn.Sequential(mlp(d + problem.in_channels, -(-dim // 2), dim), nn.GELU())
        self.time = TimeEmbedding(dim) if problem.timed else None
        self.down1 = FourierBlock(dim, 2 * dim, modes=modes, space_dim=d)
        self.down2 = FourierBlock(2 * dim, 4 * dim, modes=coarse_modes, space_dim=d, normed=True)
        self.bottom = FourierBlock(4 * dim, 4 * dim, modes=coarse_modes, space_dim=d)
        self.up2 = FourierBlock(4 * dim, 2 * dim, modes=coarse_modes, space_dim=d, normed=True)
        self.up1 = FourierBlock(4 * dim, dim, modes=modes, space_dim=d)
        self.project = mlp(2 * dim, dim, problem.out_channels)

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
        h = self.lift(torch.cat((a, x), dim=-1))
        if self.time is not None:
            if t is None:
                raise ValueError("the problem is timed: pass the output time t")
            h = h + self.time(t).unsqueeze(1)
        h0 = pad(h.transpose(1, 2).unflatten(-1, grid), self.padding)  # (B, D, *grid)
        fine, middle, coarse = (_divided(tuple(h0.shape[2:]), by) for by in (1, 2, 4))
        h1 = self.down1(h0, middle)  # (B, 2D, *middle)
        h2 = self.bottom(self.down2(h1, coarse), coarse)  # (B, 4D, *coarse)
        h1 = torch.cat((self.up2(h2, middle), h1), dim=1)  # (B, 4D, *middle)
        h0 = torch.cat((self.up1(h1, fine), h0), dim=1)  # (B, 2D, *fine)
        return self.project(crop(h0, grid).flatten(2).transpose(1, 2))


def _divided(grid: tuple[int, ...], by: int) -> tuple[int, ...]:
    return tuple(max(n // by, 1) for n in grid)


class FourierBlock(nn.Module):
    """σ(K h + W h), moved to another grid; normalized before σ where asked for."""

    def __init__(
        self, in_dim: int, out_dim: int, *, modes: int, space_dim: int, normed: bool = False
    ) -> None:
        super().__init__()
        self.spectral = SpectralConv(in_dim, out_dim, modes=modes, space_dim=space_dim)
        nn.init.normal_(self.spectral.weight, std=0.5 / in_dim**0.5)
        self.pointwise = CONV[space_dim](in_dim, out_dim, 1)
        self.norm = InstanceNorm(out_dim) if normed else nn.Identity()

    def forward(self, h: Tensor, grid: tuple[int, ...]) -> Tensor:
        return F.gelu(self.norm(self.spectral(h, grid) + _moved(self.pointwise(h), grid)))


def _moved(h: Tensor, grid: tuple[int, ...]) -> Tensor:
    h = h.to(torch.promote_types(h.dtype, torch.float32))
    if len(grid) == 3:  # torch has no cubic interpolation there
        return F.interpolate(h, grid, mode="trilinear", align_corners=True)
    return F.interpolate(h, grid, mode="bicubic", align_corners=True, antialias=True)
