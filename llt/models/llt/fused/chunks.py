"""A block's two halves on chunks of a mesh, through the fused kernels; nothing is differentiated.

Shapes: n points of a chunk, M those and their halo, D width, C channels per head.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from llt.kernels.attention import EPS
from llt.kernels.attention.triton_mix import mix
from llt.kernels.attention.triton_project import project
from llt.kernels.feedforward.triton import feed_forward
from llt.models.llt.block import Block, Neighborhood
from llt.models.llt.description import Description
from llt.models.llt.fused.blocks import Settings
from llt.models.llt.fused.local import Convolution, Local, Neighbors
from llt.models.llt.fused.model import _films, _stream, _weights, narrow


class FusedHalves:
    """See `streaming.Halves`."""

    def __init__(
        self,
        about: Description,
        blocks: Sequence[Block],
        condition: Tensor | None,
        points: int,  # of the mesh
        dtype: torch.dtype,
    ) -> None:
        self.points, self.dtype = points, _stream(dtype)
        self.settings = Settings(about.heads, about.alpha, EPS, blocks[0].norm1.eps)
        with torch.autocast(blocks[0].norm1.gain.device.type, enabled=False):
            self.weights = narrow([_weights(block) for block in blocks], dtype)
            self.films = _films(blocks, condition)

    def reduce(self, index: int, h: Tensor) -> tuple[Tensor, ...]:
        """The state of h (1, n, D) as a share of the mesh's, over all points: (1, C + 1, D)."""
        _, _, parts = self._project(index, h.to(self.dtype))
        # the kernels divide by the points that they are given
        return (parts.sum(1) * (h.shape[1] / self.points),)

    def apply(self, index: int, h: Tensor, state: Sequence[Tensor], around: Neighborhood) -> Tensor:
        """The rows of h (1, M, D) after the block."""
        _, alpha, eps, norm_eps = self.settings
        h, w = h.to(self.dtype), self.weights[index]
        n, proj, _ = self._project(index, h)
        local, _ = self._path(around, h.shape[1]).forward(n, *w.local)
        h, proj, local = (around.own(z).contiguous() for z in (h, proj, local))
        eps *= h.shape[1] / self.points  # divided so, too
        middle = mix(h, proj, state[0].float(), local, w.out, w.out_bias, alpha, eps)
        return feed_forward(middle, w.second_gain, w.gate_up, w.down, norm_eps)

    def _project(self, index: int, h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        heads, _, _, norm_eps = self.settings
        w, film = self.weights[index], None if self.films is None else self.films[index]
        return project(h, w.gain, film, None, w.qkv, w.gate, w.gate_bias, heads, norm_eps)

    def _path(self, around: Neighborhood, points: int) -> Local:
        if around.neighbors is None:
            assert around.grid is not None
            return Convolution(around.grid)
        # the kernel has a list for every point that it reads; those of the halo are empty
        empty = points - around.neighbors.shape[1]
        lists = F.pad(around.neighbors, (0, 0, 0, empty), value=-1)
        return Neighbors((lists, lists, lists), self.settings.heads)
