"""Images cut into square patches and put together again; zeros fill what a patch has too much.

Shapes: B batch, Ny x Nx image, D channels, ny x nx patches of L = size² points.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def to_patches(image: Tensor, size: int, *, before: int = 0) -> Tensor:
    """(B, Ny, Nx, D) to (B, ny, nx, L, D); the patches begin `before` points ahead of the image."""
    Ny, Nx = image.shape[1:3]
    after_y, after_x = (-(n + before) % size for n in (Ny, Nx))
    image = F.pad(image, (0, 0, before, after_x, before, after_y))
    patches = image.unflatten(2, (-1, size)).unflatten(1, (-1, size))  # (B, ny, size, nx, size, D)
    return patches.transpose(2, 3).flatten(3, 4)


def from_patches(patches: Tensor, grid: tuple[int, ...], *, before: int = 0) -> Tensor:
    """The image (B, *grid, D) the patches were cut from."""
    size = round(patches.shape[3] ** 0.5)
    image = patches.unflatten(3, (size, size)).transpose(2, 3).flatten(3, 4).flatten(1, 2)
    return image[:, before : before + grid[0], before : before + grid[1]]


def covered(image: Tensor, size: int, *, before: int = 0) -> Tensor:
    """(1, ny, nx, L): true where a patch shows the image, false where it was filled up."""
    ones = torch.ones((1, *image.shape[1:3], 1), device=image.device)
    return to_patches(ones, size, before=before).squeeze(-1) > 0
