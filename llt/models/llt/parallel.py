"""LLT on a part of a mesh, the other parts on other processes.

As in `streaming`, a block needs of the other parts the sum of its state, a few KB, and the points
that its local path reads there, the halo. Both are asked for at once: while the halo is under way,
the state is formed. Embedding and decoder read what every process has of the whole mesh.

Shapes: B batch, N points of the mesh, n own points, M those and their halo, d space dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from llt.kernels import State
from llt.models.llt.block import Neighborhood
from llt.models.llt.definition import LLT
from llt.nn.encoding import unit_grid
from llt.runtime.collectives import Halo, summed


@dataclass(frozen=True, slots=True)
class Part:
    """A process's part of the meshes of a batch."""

    group: Any
    halo: Halo
    around: Neighborhood  # its rows are the own points
    points: slice | Tensor  # which points of the mesh are read: in a row, or (B, M) of each
    whole: tuple[int, ...] | None = None  # the grid of the mesh
    own: slice | None = None  # where the own points stand on it
    mask: Tensor | None = None  # (B, n), false on padding

    def cut(self, z: Tensor) -> Tensor:
        """Of z (B, N, ...) what is read: (B, M, ...)."""
        if isinstance(self.points, slice):
            return z[:, self.points]
        rows = self.points.reshape(*self.points.shape, *[1] * (z.ndim - 2))
        return z.gather(1, rows.expand(-1, -1, *z.shape[2:]))


def forward(model: LLT, part: Part, x: Tensor, a: Tensor, t: Tensor | None) -> Tensor:
    """What the model gives for the own points, (B, n, Cu), from x and a of those that are read."""
    around, places = part.around, None
    if part.whole is not None:
        places = unit_grid(part.whole, x.device, x.dtype)[part.own].expand(len(x), -1, -1)
    s = model.embedder.raw(x, model.given(a, part.whole), around, places)
    h, skip = model.embed_raw(s)
    condition = model.condition(t)
    for block in model.layers:
        n = block.normed(h, condition)
        coming = part.halo.begin(n)
        state = _whole_state(block.reduce(n, part.mask), part.group)
        q = block.queries(n)
        h = block.map(h, part.halo.join(n, coming), q, state, around)
    u = model.decode(h, skip)
    return u if part.mask is None else u * part.mask.unsqueeze(-1)


def _whole_state(state: State, group: Any) -> State:
    """The sum over all parts, in one message."""
    kv, z = state
    both = summed(torch.cat((kv.flatten(), z.flatten())), group)
    first, second = both.split((kv.numel(), z.numel()))
    return State(first.view_as(kv), second.view_as(z))
