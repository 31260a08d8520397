"""The local path of a block: on grids a separable convolution, on point sets neighbor attention.

Both know how to run, what their gradient needs, and how the gradients of their parameters look.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from llt.kernels.depthwise.triton import depthwise_conv, depthwise_gradient
from llt.kernels.neighbors.triton import neighbor_attention, neighbor_gradient
from llt.kernels.triton_tiles import partial_sums
from llt.kernels.weight_gradients.triton import Product

Kept = tuple[Tensor, ...]


class Local(Protocol):
    products: int  # of (D, D), in the gradients of the parameters

    def forward(self, n: Tensor, *parameters: Tensor) -> tuple[Tensor, Kept]:
        """local, and what its gradient needs."""

    def backward(
        self, kept: Kept, dlocal: Tensor, *parameters: Tensor
    ) -> tuple[Tensor, list[Product], Tensor | None]:
        """Gradient of n; the products that the matrices' gradients are; partial sums of others."""

    def sums(self, h: Tensor, blocks: int, *parameters: Tensor) -> Tensor | None:
        """Room for the sums of all blocks that are no products."""

    def gradients(self, square: Tensor, rows: Tensor, sums: Tensor | None) -> list[Tensor]:
        """Of all blocks' parameters, from the sums of what `backward` gave."""


class Convolution(Local):
    """Parameters: the pointwise matrix and its bias, the depthwise taps (k², D) and their bias."""

    products = 1

    def __init__(self, grid: tuple[int, ...]) -> None:
        self.grid = grid

    def forward(self, n: Tensor, *parameters: Tensor) -> tuple[Tensor, Kept]:
        matrix, bias, taps, taps_bias = parameters
        c = depthwise_conv(n, taps, taps_bias, self.grid)
        local = torch.addmm(bias, c.flatten(0, 1), matrix.T)
        return local.view_as(c), (n, c)

    def backward(
        self, kept: Kept, dlocal: Tensor, *parameters: Tensor
    ) -> tuple[Tensor, list[Product], Tensor | None]:
        (n, c), (matrix, _, taps, _) = kept, parameters
        dn, partials = depthwise_gradient(n, taps, dlocal @ matrix, self.grid)
        return dn, [Product(dlocal, c)], partials

    def sums(self, h: Tensor, blocks: int, *parameters: Tensor) -> Tensor:
        taps = parameters[2]
        return partial_sums(h, blocks, len(taps) + 1, taps.shape[1])

    def gradients(self, square: Tensor, rows: Tensor, sums: Tensor | None) -> list[Tensor]:
        assert sums is not None  # (blocks, 1 + taps, D)
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
        local, lse = neighbor_attention(qkv, self.lists[0], self.heads)
        return local, (n, qkv, local, lse)

    def backward(
        self, kept: Kept, dlocal: Tensor, *parameters: Tensor
    ) -> tuple[Tensor, list[Product], None]:
        n, qkv, local, lse = kept
        dqkv = neighbor_gradient(qkv, *self.lists, local, lse, dlocal)
        return dqkv @ parameters[0], [Product(left, n) for left in dqkv.chunk(3, -1)], None

    def sums(self, h: Tensor, blocks: int, *parameters: Tensor) -> None:
        return None

    def gradients(self, square: Tensor, rows: Tensor, sums: Tensor | None) -> list[Tensor]:
        return [square.flatten(1, 2)]
