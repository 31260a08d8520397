"""The local path of a block: on grids a separable convolution, on point sets neighbor attention.

Both know how to run, what their gradient needs, and how the gradients of their parameters look.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from llt.kernels.fused.depthwise import depthwise_conv, depthwise_gradient, depthwise_partials
from llt.kernels.fused.neighbors import neighbor_attention, neighbor_gradient
from llt.kernels.fused.tiles import add_up
from llt.kernels.fused.weight_gradients import Product

Kept = tuple[Tensor, ...]


class Local(Protocol):
    products: int  # of (D, D), in the gradients of the parameters

    def forward(self, n: Tensor, *parameters: Tensor) -> tuple[Tensor, Kept]:
        """near, and what its gradient needs."""

    def backward(
        self, kept: Kept, dnear: Tensor, partials: Tensor | None, *parameters: Tensor
    ) -> tuple[Tensor, list[Product]]:
        """Gradient of n, and the products that the matrices' gradients are."""

    def partials(self, n: Tensor, blocks: int, *parameters: Tensor) -> Tensor | None:
        """Room for partial sums of what is no product."""

    def added(self, square: Tensor, rows: Tensor, partials: Tensor | None) -> list[Tensor]:
        """Gradients of the parameters of all blocks."""


class Convolution(Local):
    """Parameters: the pointwise matrix and its bias, the depthwise taps (k², D) and their bias."""

    products = 1

    def __init__(self, grid: tuple[int, ...]) -> None:
        self.grid = grid

    def forward(self, n: Tensor, *parameters: Tensor) -> tuple[Tensor, Kept]:
        matrix, bias, taps, taps_bias = parameters
        c = depthwise_conv(n, taps, taps_bias, self.grid)
        near = torch.addmm(bias, c.flatten(0, 1), matrix.T)
        return near.view_as(c), (n, c)

    def backward(
        self, kept: Kept, dnear: Tensor, partials: Tensor | None, *parameters: Tensor
    ) -> tuple[Tensor, list[Product]]:
        assert partials is not None
        (n, c), (matrix, _, taps, _) = kept, parameters
        dn = depthwise_gradient(n, taps, dnear @ matrix, self.grid, partials)
        return dn, [Product(dnear, c)]

    def partials(self, n: Tensor, blocks: int, *parameters: Tensor) -> Tensor:
        return depthwise_partials(n, parameters[2], self.grid, blocks)

    def added(self, square: Tensor, rows: Tensor, partials: Tensor | None) -> list[Tensor]:
        assert partials is not None
        sums = add_up(partials)  # (blocks, 1 + taps, D)
        # as torch's convolutions have them, each channel's taps side by side
        taps = sums[:, 1:].transpose(1, 2).contiguous().transpose(1, 2)
        return [square[:, 0], rows[:, 0], taps, sums[:, 0]]


class Neighbors(Local):
    """Parameters: one matrix for q, k and v. `lists` (B, N, K), with their reverse."""

    products = 3

    def __init__(self, lists: tuple[Tensor, Tensor, Tensor], heads: int) -> None:
        self.lists, self.heads = lists, heads

    def forward(self, n: Tensor, *parameters: Tensor) -> tuple[Tensor, Kept]:
        qkv = n @ parameters[0].T
        near, lse = neighbor_attention(qkv, self.lists[0], self.heads)
        return near, (n, qkv, near, lse)

    def backward(
        self, kept: Kept, dnear: Tensor, partials: Tensor | None, *parameters: Tensor
    ) -> tuple[Tensor, list[Product]]:
        n, qkv, near, lse = kept
        dqkv = neighbor_gradient(qkv, *self.lists, near, lse, dnear)
        return dqkv @ parameters[0], [Product(left, n) for left in dqkv.chunk(3, -1)]

    def partials(self, n: Tensor, blocks: int, *parameters: Tensor) -> None:
        return None

    def added(self, square: Tensor, rows: Tensor, partials: Tensor | None) -> list[Tensor]:
        return [square.flatten(1, 2)]
