"""U-FNO: Fourier layers, then Fourier layers with a U-Net beside them.

A Fourier layer is h ← σ(K h + W h), a U-Fourier layer h ← σ(K h + W h + U h), where the small
U-Net U adds the local detail that the lowest modes miss. The paper's U-Net has batch
normalization; here it is per sample, so that samples of a batch do not see each other.

Shapes: B batch, N points, D width.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import GRIDS, Operator
from llt.nn.feedforward import mlp
from llt.nn.spectral import FourierLayer, check_settings, crop, pad
from llt.nn.transformer import PointEmbedding
from llt.nn.unet import UNet
from llt.problem import Problem


class UFNO(Operator):
    """Lifting, Fourier layers, U-Fourier layers, projection."""

    paper = "Wen et al.: U-FNO - An enhanced Fourier neural operator for multiphase flow, 2022"
    summary = "Fourier layers, then Fourier layers with a small U-Net beside them"
    supports = GRIDS

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 36,
        modes: int = 10,  # of either sign, per axis
        fourier_layers: int = 3,
        unet_layers: int = 3,
        padding: float = 0.1,  # of each axis, with zeros; 0 for periodic fields
    ) -> None:
        super().__init__()
        check_settings(
            dim=dim,
            modes=modes,
            fourier_layers=fourier_layers,
            unet_layers=unet_layers,
            padding=padding,
        )
        self.problem, self.padding = problem, padding
        d = problem.space_dim
        self.lift = PointEmbedding(d + problem.in_channels, dim, timed=problem.timed, shift=False)
        self.fourier_layers = nn.ModuleList(
            FourierLayer(dim, modes=modes, space_dim=d) for _ in range(fourier_layers)
        )
        self.unet_layers = nn.ModuleList(
            UFourierLayer(dim, modes=modes, space_dim=d) for _ in range(unet_layers)
        )
        self.project = mlp(dim, 4 * dim, problem.out_channels)

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
        h = pad(h.transpose(1, 2).unflatten(-1, grid), self.padding)  # (B, D, *grid)
        for layer in (*self.fourier_layers, *self.unet_layers):
            h = F.relu(layer(h))
        return self.project(crop(h, grid).flatten(2).transpose(1, 2))


class UFourierLayer(nn.Module):
    """K h + W h + U h."""

    def __init__(self, dim: int, *, modes: int, space_dim: int) -> None:
        super().__init__()
        self.fourier = FourierLayer(dim, modes=modes, space_dim=space_dim)
        self.unet = UNet(dim, space_dim=space_dim)

    def forward(self, h: Tensor) -> Tensor:
        return self.fourier(h) + self.unet(h)
