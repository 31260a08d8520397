"""Where the matrices lie in a vector: those of one shape one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor


class Stack(NamedTuple):
    """Matrices of one shape."""

    num: int
    rows: int
    columns: int

    @property
    def size(self) -> int:
        return self.num * self.rows * self.columns


@dataclass(frozen=True, slots=True)
class Layout:
    stacks: tuple[Stack, ...]
    table: Tensor  # (S, 3) of every matrix its start, rows and columns, on the vector's device

    @classmethod
    def of(cls, stacks: Sequence[Stack], device: torch.device) -> Layout:
        table, start = [], 0
        for num, rows, columns in stacks:
            for _ in range(num):
                table.append((start, rows, columns))
                start += rows * columns
        return cls(tuple(stacks), torch.tensor(table, dtype=torch.int32, device=device))

    @property
    def size(self) -> int:
        """Of the vector."""
        return sum(stack.size for stack in self.stacks)

    @property
    def longest_side(self) -> int:
        return max(max(rows, columns) for _, rows, columns in self.stacks)

    def views(self, vector: Tensor) -> Iterator[Tensor]:
        """The stacks in a vector, each (num, rows, columns)."""
        pieces = vector.split([stack.size for stack in self.stacks])
        return (piece.view(stack) for piece, stack in zip(pieces, self.stacks, strict=True))
