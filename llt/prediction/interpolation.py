"""Values on the problem's grid at another resolution of it."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from llt.problem import Problem


def on_grid(values: Tensor, problem: Problem, grid: tuple[int, ...]) -> Tensor:
    """Values (N, C) on the problem's grid, interpolated to another one where needed."""
    assert problem.grid is not None
    # an exported model does not know yet which grid it will be asked on
    if not torch.compiler.is_exporting() and grid == problem.grid:
        return values
    image = values.T.reshape(1, -1, *problem.grid)
    mode = "bilinear" if len(grid) == 2 else "trilinear"
    fine = F.interpolate(image, size=grid, mode=mode, align_corners=True)
    return fine[0].flatten(1).T
