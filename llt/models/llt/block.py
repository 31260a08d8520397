"""The block of LLT: a reduction over all points and a map of each, the one definition of both.

    n = RMSNorm(h), scaled and shifted by the time
    state = Σ φ(k) vᵀ, Σ φ(k) over the points                    reduce: additive, a few KB
    h + W_out (g ⊙ (α LinAttn + (1 - α) Local)), then h + FFN     map: a point and its neighborhood

Whole meshes, chunks of them (`streaming`) and fused kernels (`fused`) run these two halves.

Shapes: B batch, N points, M those and their halo, D width, H heads, C = D / H channels per head.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from llt import kernels
from llt.kernels import State
from llt.models.llt.description import CONVOLUTION, Description
from llt.nn.feedforward import SwiGLU
from llt.nn.linear import Linear
from llt.nn.norm import RMSNorm


class Neighborhood(NamedTuple):
    """Where the local path reads. Of the points given, `rows` are computed; others are halo."""

    grid: tuple[int, ...] | None = None  # that the points given lie on
    neighbors: Tensor | None = None  # (B, N, K) of the rows, among the points given
    rows: slice | None = None  # None: all

    def own(self, z: Tensor) -> Tensor:
        """The rows of (B, M, ...)."""
        return z if self.rows is None else z[:, self.rows]


class Block(nn.Module):
    """h + Attention(RMSNorm(h)), then h + FFN(RMSNorm(h)); time enters by FiLM on the first."""

    def __init__(self, about: Description) -> None:
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(about.dim), RMSNorm(about.dim)
        self.attention = LocalLinearAttention(about)
        self.ffn = SwiGLU(about.dim, about.ffn_dim)
        self.film = nn.Linear(about.dim, 2 * about.dim) if about.timed else None
        if self.film is not None:
            nn.init.zeros_(self.film.weight)
            nn.init.zeros_(self.film.bias)

    def forward(
        self,
        h: Tensor,
        around: Neighborhood,
        condition: Tensor | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        n = self.normed(h, condition)
        # in this order, gradients of n add up as they always have, to the last bit
        return self.map(h, n, self.queries(n), self.reduce(n, mask), around)

    def normed(self, h: Tensor, condition: Tensor | None) -> Tensor:
        """What the attention reads: RMSNorm(h), scaled and shifted by the time."""
        normed = self.norm1(h)
        if self.film is None or condition is None:
            return normed
        scale, shift = self.film(condition).unsqueeze(1).chunk(2, dim=-1)
        return normed * (1 + scale) + shift

    def queries(self, n: Tensor) -> Tensor:
        q, _, _ = self.attention.qkv.weight.chunk(3)
        return kernels.linear(n, q)

    def reduce(self, n: Tensor, mask: Tensor | None = None) -> State:
        """The state of the points n (B, N, D); the states of parts of a mesh add up."""
        _, *keys_values = self.attention.qkv.weight.chunk(3)
        k, v = (kernels.linear(n, weight) for weight in keys_values)
        return kernels.attention_state(k, v, self.attention.heads, mask)

    def map(self, h: Tensor, n: Tensor, q: Tensor, state: State, around: Neighborhood) -> Tensor:
        """h (B, N, D) after the block, from n (B, M, D) of all points that the local path reads."""
        h = h + self.attention(h, kernels.attend(q, state), self.attention.local(n, around))
        return h + self.ffn(self.norm2(h))


class LocalLinearAttention(nn.Module):
    """W_out (g ⊙ (α LinAttn + (1 - α) Local)), with the gate g read from the block's input."""

    def __init__(self, about: Description) -> None:
        super().__init__()
        self.heads, self.alpha = about.heads, about.alpha
        self.qkv = Linear(about.dim, 3 * about.dim, bias=False)
        self.local: LocalConv | LocalAttention
        self.local = LocalConv(about) if about.local == CONVOLUTION else LocalAttention(about)
        self.gate = Linear(about.dim, about.dim)
        self.out = Linear(about.dim, about.dim)

    def forward(self, h: Tensor, global_: Tensor, local: Tensor) -> Tensor:
        return self.out(kernels.blend(self.gate(h), global_, local, self.alpha))


class LocalConv(nn.Module):
    """Depthwise convolution over the grid, then a pointwise one across channels."""

    def __init__(self, about: Description) -> None:
        super().__init__()
        conv = convolution(about.space_dim)
        dim, kernel = about.dim, about.kernel
        self.depthwise = conv(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.pointwise = Linear(dim, dim)

    def forward(self, n: Tensor, around: Neighborhood) -> Tensor:
        assert around.grid is not None
        image = n.transpose(1, 2).unflatten(-1, around.grid)  # (B, D, *grid), a view
        # zeros beyond a strip are right at the mesh's edge; elsewhere they reach only the halo
        return self.pointwise(around.own(self.depthwise(image).flatten(2).transpose(1, 2)))


class LocalAttention(nn.Module):
    """Softmax attention restricted to the radius graph, with projections of its own."""

    def __init__(self, about: Description) -> None:
        super().__init__()
        self.heads = about.heads
        self.qkv = Linear(about.dim, 3 * about.dim, bias=False)

    def forward(self, n: Tensor, around: Neighborhood) -> Tensor:
        assert around.neighbors is not None
        q, k, v = self.qkv(n).unflatten(-1, (3, self.heads, -1)).unbind(2)  # (B, M, H, C)
        return kernels.neighbor_attention(around.own(q), k, v, around.neighbors).flatten(2)


def convolution(space_dim: int) -> type[nn.Conv2d] | type[nn.Conv3d]:
    return nn.Conv2d if space_dim == 2 else nn.Conv3d
