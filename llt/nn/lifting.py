"""The linear lifting that Fourier operators and U-Nets for PDEs begin with.

Shapes: B batch, N points, D width, d space dimensions.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from llt.nn.encoding import TimeEmbedding, unit_grid
from llt.nn.linear import Linear
from llt.problem import Problem


class Lifting(nn.Module):
    """W (coordinates, fields) + b, and the time.

    On a grid without input fields the place in the grid stands beside the coordinates, as
    published; with input fields the published problems have coordinates that are the place.
    """

    def __init__(self, problem: Problem, dim: int) -> None:
        super().__init__()
        self.placed = problem.grid is not None and not problem.inputs
        in_dim = problem.space_dim * (1 + self.placed) + problem.in_channels
        self.linear = Linear(in_dim, dim)
        self.time = TimeEmbedding(dim) if problem.timed else None

    def forward(
        self, x: Tensor, a: Tensor, t: Tensor | None = None, grid: tuple[int, ...] | None = None
    ) -> Tensor:  # (B, N, d), (B, N, Ca) -> (B, N, D)
        if self.placed and grid is not None:
            place = unit_grid(grid, x.device, x.dtype).expand(len(x), -1, -1)
            x = torch.cat((x, place), dim=-1)
        h: Tensor = self.linear(torch.cat((x, a), dim=-1))
        if self.time is None:
            return h
        if t is None:
            raise ValueError("the problem is timed: pass the output time t")
        return h + self.time(t).unsqueeze(1)
