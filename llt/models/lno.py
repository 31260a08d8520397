"""Latent Neural Operator: solve in a latent space entered and left once.

    z = softmax_points(S(x))ᵀ branch(x, a),    L blocks on z,    u = readout(softmax_modes(S(y)) z)

One network S scores points against modes for both ways. Only positions enter it, so the latent
solution can be read at points y other than those where the input was given. On a grid without
input fields the positions are places in the grid, and the coordinates are the input.

Shapes: B batch, N points, D width, M modes, d space dimensions.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.models.base import Operator
from llt.nn.encoding import unit_grid
from llt.nn.transformer import Attention, MixerBlock, ResidualMLP, check_sizes
from llt.problem import Problem


class LNO(Operator):
    """Encoder to M latent tokens, L transformer blocks on them, decoder to any points.

    Time is a coordinate beside those of space, as published, where all times are one sample.
    """

    paper = (
        "Wang and Wang: Latent Neural Operator for Solving Forward and Inverse PDE Problems, 2024"
    )
    summary = "softmax attention among latent tokens, entered and left once by cross-attention"

    def __init__(
        self,
        problem: Problem,
        *,
        dim: int = 128,
        num_layers: int = 4,
        heads: int = 8,
        modes: int = 256,  # M
        mlp_layers: int = 2,  # hidden layers of the pointwise networks
    ) -> None:
        super().__init__()
        check_sizes(dim=dim, heads=heads, num_layers=num_layers, modes=modes, mlp_layers=mlp_layers)
        self.problem = problem
        self.placed = problem.grid is not None and not problem.inputs
        d = problem.space_dim
        inputs = problem.in_channels + (d if self.placed else 0)
        self.trunk = ResidualMLP(d + problem.timed, dim, dim, mlp_layers)
        self.branch = ResidualMLP(d + problem.timed + inputs, dim, dim, mlp_layers)
        self.score = ResidualMLP(dim, dim, modes, mlp_layers)
        self.blocks = nn.ModuleList(
            MixerBlock(Attention(dim, heads), dim, mlp_ratio=2) for _ in range(num_layers)
        )
        self.readout = ResidualMLP(dim, dim, problem.out_channels, mlp_layers)

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
        positions, a = self._inputs(x, a, t, grid)
        scores = self._scores(positions)  # the same for both ways
        u = self._read(scores, self._solve(scores, positions, a, mask))
        return u if mask is None else u * mask.unsqueeze(-1)

    def encode(
        self,
        x: Tensor,
        a: Tensor,
        *,
        t: Tensor | None = None,
        grid: tuple[int, ...] | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        """The latent solution (B, M, D) that belongs to fields a given at points x."""
        positions, a = self._inputs(x, a, t, grid)
        return self._solve(self._scores(positions), positions, a, mask)

    def decode(self, z: Tensor, y: Tensor, *, t: Tensor | None = None) -> Tensor:
        """The output fields of a latent solution at any points y.

        Of a grid without input fields these are places in the unit box, not coordinates.
        """
        return self._read(self._scores(self._positions(y, t)), z)

    def _inputs(
        self, x: Tensor, a: Tensor, t: Tensor | None, grid: tuple[int, ...] | None
    ) -> tuple[Tensor, Tensor]:
        """What the trunk is given, and what else the branch."""
        if not self.placed:
            return self._positions(x, t), a
        place = unit_grid(self.grid_of(x, grid), x.device, x.dtype).expand(len(x), -1, -1)
        return self._positions(place, t), torch.cat((_standardized(x), a), dim=-1)

    def _positions(self, x: Tensor, t: Tensor | None) -> Tensor:
        """Without standardization all points score nearly alike at the start."""
        if self.problem.timed:
            if t is None:
                raise ValueError(f"{self.problem.name} is timed: pass the output time t")
            x = torch.cat((x, t.view(-1, 1, 1).expand(-1, x.shape[1], 1)), dim=-1)
        return _standardized(x)

    def _scores(self, positions: Tensor) -> Tensor:
        return self.score(self.trunk(positions))  # (B, N, M)

    def _solve(self, scores: Tensor, positions: Tensor, a: Tensor, mask: Tensor | None) -> Tensor:
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(-1), float("-inf"))
        branch = self.branch(torch.cat((positions, a), dim=-1))
        z = scores.softmax(dim=1).transpose(1, 2) @ branch  # (B, M, D)
        for block in self.blocks:
            z = block(z)
        return z

    def _read(self, scores: Tensor, z: Tensor) -> Tensor:
        return self.readout(scores.softmax(dim=-1) @ z)


def _standardized(x: Tensor) -> Tensor:
    """From the unit box to mean zero and variance one."""
    return (x - 0.5) * 12**0.5
