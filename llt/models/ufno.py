"""U-FNO: Fourier layers, then Fourier layers with a U-Net beside them.

A Fourier layer is h ← σ(K h + W h), a U-Fourier layer h ← σ(K h + W h + U h), where the U-Net U
adds the local detail that the lowest modes miss; the last has no σ. This is Neural-Solver-Library's
version for 2-D problems; the authors' is made for one in space and time. As there, the U-Net has
batch normalization on steady problems and that of instances on others.

Shapes: B batch, N points, D width.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from llt.models.base import GRIDS, Operator
from llt.nn.feedforward import mlp
from llt.nn.norm import InstanceNorm
from llt.nn.spectral import FourierLayer, check_settings, crop
from llt.nn.transformer import PointEmbedding, Positions
from llt.nn.unet import UNet
from llt.problem import Problem

BATCH_NORM = {2: nn.BatchNorm2d, 3: nn.BatchNorm3d}


class UFNO(Operator):
    """Lifting, Fourier layers, U-Fourier layers, projection."""

    paper = "Wen et al.: U-FNO - An enhanced Fourier neural operator for multiphase flow, 2022"
    summary = "Fourier layers, then Fourier layers with a U-Net beside them"
    supports = GRIDS

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 32,
        modes: int = 12,  # of either sign, per axis
        fourier_layers: int = 2,
        unet_layers: int = 2,
        num_levels: int = 4,  # of the U-Nets; zeros fill the grid up to a multiple of 2^num_levels
        reference_points: int = 0,  # per axis; distances to them replace the coordinates
    ) -> None:
        super().__init__()
        counts = {"fourier_layers": fourier_layers, "unet_layers": unet_layers}
        check_settings(dim=dim, modes=modes, num_levels=num_levels, **counts)
        self.problem, self.multiple = problem, 2**num_levels
        d = problem.space_dim
        self.positions = Positions(problem, reference_points)
        self.lift = PointEmbedding(
            self.positions.dim + problem.in_channels, dim, timed=problem.timed, shift=False
        )
        layers = [
            FourierLayer(dim, modes=modes, space_dim=d) for _ in range(fourier_layers + unet_layers)
        ]
        for layer in layers:
            nn.init.uniform_(layer.spectral.weight, 0, dim**-2)
        self.layers = nn.ModuleList(layers)
        norm = InstanceNorm if problem.timed else BATCH_NORM[d]
        self.unets = nn.ModuleList(
            UNet(dim, space_dim=d, norm=norm, levels=num_levels) for _ in range(unet_layers)
        )
        self.project = mlp(dim, dim, problem.out_channels)

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
        h = self.lift(torch.cat((self.positions(x, grid), a), dim=-1), t)
        h = self._filled(h.transpose(1, 2).unflatten(-1, grid))  # (B, D, *grid)
        without = len(self.layers) - len(self.unets)
        for number, layer in enumerate(self.layers):
            new = layer(h) if number < without else layer(h) + self.unets[number - without](h)
            h = new if number == len(self.layers) - 1 else F.gelu(new)
        return self.project(crop(h, grid).flatten(2).transpose(1, 2))

    def _filled(self, h: Tensor) -> Tensor:
        """Zeros behind the end of every axis."""
        amounts = [(0, -n % self.multiple) for n in reversed(h.shape[2:])]
        return F.pad(h, [amount for pair in amounts for amount in pair])
