"""What a model is asked in one batch, as tensors in physical units.

Shapes: B cases, N points, d space dimensions, Ca input channels, K neighbors.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Floats = NDArray[np.float32]
ALIGNED = 64  # words: 256 bytes, as the device's own allocations are


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """All that a captured graph depends on besides the weights."""

    cases: int
    points: int
    space_dim: int
    in_channels: int
    neighbors: int | None = None  # K
    timed: bool = False
    masked: bool = False
    grid: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Cases:
    """One batch; see `models.base.Operator.forward`."""

    x: Tensor  # (B, N, d)
    a: Tensor  # (B, N, Ca)
    t: Tensor | None = None  # (B,)
    neighbors: Tensor | None = None  # (B, N, K)
    mask: Tensor | None = None  # (B, N)
    grid: tuple[int, ...] | None = None

    @classmethod
    def of(
        cls,
        x: Floats,
        a: Floats,
        t: Floats | None,
        graphs: NDArray[np.int32] | None,
        grid: tuple[int, ...] | None,
        device: torch.device,
    ) -> Cases:
        """From arrays, with a time for every case."""
        return cls(
            tensor(x).to(device),
            tensor(a).to(device),
            None if t is None else tensor(t).to(device),
            None if graphs is None else tensor(graphs).to(device),
            grid=grid,
        )

    @property
    def shape(self) -> Shape:
        B, N, d = self.x.shape
        return Shape(
            cases=B,
            points=N,
            space_dim=d,
            in_channels=self.a.shape[-1],
            neighbors=None if self.neighbors is None else self.neighbors.shape[-1],
            timed=self.t is not None,
            masked=self.mask is not None,
            grid=self.grid,
        )


class Packed:
    """Room for one batch in a single piece of memory, so that one copy moves all of it.

    A mask has memory of its own: it never comes from the host.
    """

    def __init__(self, shape: Shape, device: torch.device, *, pinned: bool = False) -> None:
        B, N, K = shape.cases, shape.points, shape.neighbors
        parts: dict[str, tuple[int, ...]] = {
            "x": (B, N, shape.space_dim),
            "a": (B, N, shape.in_channels),
        }
        if shape.timed:
            parts["t"] = (B,)
        if K is not None:
            parts["neighbors"] = (B, N, K)
        starts, end = {}, 0
        for name, size in parts.items():
            starts[name] = end
            end += -(-prod(size) // ALIGNED) * ALIGNED
        self.words = torch.zeros(end, device=device, pin_memory=pinned)
        views = {
            name: self.words[starts[name] :][: prod(size)].view(size)
            for name, size in parts.items()
        }
        if K is not None:
            views["neighbors"] = views["neighbors"].view(torch.int32)
        mask = torch.ones(B, N, dtype=torch.bool, device=device) if shape.masked else None
        self.cases = Cases(**views, mask=mask, grid=shape.grid)

    def fill(self, cases: Cases) -> None:
        for name in ("x", "a", "t", "neighbors", "mask"):
            value = getattr(cases, name)
            if value is not None:
                getattr(self.cases, name).copy_(value)


def tensor(values: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.require(values, requirements=["C", "W"]))  # torch may write it
