"""A U-Net on 2-D and 3-D grids."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.nn.spectral import CONV

INTERPOLATION = {2: "bilinear", 3: "trilinear"}


class UNet(nn.Module):
    """Halves the grid `levels` times while the width doubles, and goes back, joining equal sizes.

    The width stays the same at the last halving. Grids must be multiples of 2^levels.
    """

    def __init__(self, dim: int, *, space_dim: int, norm: type[nn.Module], levels: int = 4) -> None:
        super().__init__()
        convolutions = partial(double_conv, space_dim=space_dim, norm=norm)
        widths = [dim * 2**level for level in range(levels)]
        below = [*widths[1:], widths[-1]]
        self.first = convolutions(dim, dim, dim)
        self.down = nn.ModuleList(
            convolutions(width, wider, wider) for width, wider in zip(widths, below, strict=True)
        )
        self.up = nn.ModuleList(
            convolutions(2 * width, width, max(width // 2, dim)) for width in reversed(widths)
        )
        self.out = CONV[space_dim](dim, dim, 1)
        self.pool = {2: F.max_pool2d, 3: F.max_pool3d}[space_dim]
        self.interpolation = INTERPOLATION[space_dim]

    def forward(self, h: Tensor) -> Tensor:  # (B, D, *grid), both ways
        h = self.first(h)
        finer = []
        for down in self.down:
            finer.append(h)
            h = down(self.pool(h, 2))
        for up in self.up:
            skip = finer.pop()
            h = F.interpolate(h, skip.shape[2:], mode=self.interpolation, align_corners=True)
            h = up(torch.cat((skip, h), dim=1))
        return self.out(h)


def double_conv(
    in_dim: int,
    hidden: int,
    out_dim: int,
    *,
    space_dim: int = 2,
    norm: type[nn.Module],
) -> nn.Sequential:
    """Two times: convolution over neighbors, norm, ReLU."""
    layers: list[nn.Module] = []
    for a, b in pairwise((in_dim, hidden, out_dim)):
        layers += (CONV[space_dim](a, b, 3, padding=1, bias=False), norm(b), nn.ReLU())
    return nn.Sequential(*layers)
