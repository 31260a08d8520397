"""A small U-Net on 2-D and 3-D grids of any size."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.nn.spectral import CONV, crop

UP: dict[int, type[nn.ConvTranspose2d] | type[nn.ConvTranspose3d]] = {
    2: nn.ConvTranspose2d,
    3: nn.ConvTranspose3d,
}


class UNet(nn.Module):
    """Halves the grid and doubles it again `levels` times, joining features of equal size.

    Halving rounds up and doubling cuts off what is too much, so the input's size comes back.
    Features are normalized per sample, not per batch: samples do not see each other.
    """

    def __init__(self, dim: int, *, space_dim: int, levels: int = 3) -> None:
        super().__init__()
        conv, up = CONV[space_dim], UP[space_dim]
        self.down = nn.ModuleList(
            _normed(conv(dim, dim, 3, stride=2, padding=1), dim) for _ in range(levels)
        )
        self.coarse = _normed(conv(dim, dim, 3, padding=1), dim)
        self.up = nn.ModuleList(
            nn.Sequential(
                up(dim if level == 0 else 2 * dim, dim, 4, stride=2, padding=1), nn.LeakyReLU(0.1)
            )
            for level in range(levels)
        )
        self.out = conv(2 * dim, dim, 3, padding=1)

    def forward(self, h: Tensor) -> Tensor:  # (B, D, *grid), both ways
        finer = []
        for down in self.down:
            finer.append(h)
            h = down(h)
        h = self.coarse(h)
        for up in self.up:
            skip = finer.pop()
            h = torch.cat((crop(up(h), tuple(skip.shape[2:])), skip), dim=1)
        return self.out(h)


def _normed(conv: nn.Module, dim: int) -> nn.Sequential:
    return nn.Sequential(conv, nn.GroupNorm(1, dim), nn.LeakyReLU(0.1))
