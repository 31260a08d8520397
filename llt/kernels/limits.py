"""What a GPU offers the fused kernels, and whether that is enough.

The kernels were tuned on an H200. Elsewhere they take the same tiles where these fit into shared
memory and registers, and fewer programs share a processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import torch

KILOBYTE = 1024
MEASURED = ((9, 0),)  # compute capabilities that the fused kernels were measured on: H100, H200
OLDEST = (8, 0)  # the first with bf16 products and asynchronous copies
PART = 32  # hidden units of a feed-forward that does not fit whole into shared memory
TILE = 64 * 128  # numbers of its points


class Limits(NamedTuple):
    """Of one device."""

    capability: tuple[int, int]
    shared: int  # bytes of shared memory that one program may have
    processors: int

    @property
    def measured(self) -> bool:
        return self.capability in MEASURED

    @property
    def small(self) -> bool:
        """Whether the tiles found best on an H200 may not fit."""
        return self.shared < H200.shared

    def refusal(self, dim: int, hidden: int) -> str | None:
        """Why a network of width `dim`, its feed-forward `hidden` wide, has no fused kernels here;
        None where it has."""
        if self.capability < OLDEST:
            (major, minor), (least, _) = self.capability, OLDEST
            return f"compute capability {major}.{minor} is below {least}.0"
        # the feed-forward takes the most: its matrices in parts, and a tile of points
        parts = -(-hidden // PART)
        needed = 2 * (3 * parts * PART * dim + TILE)
        if needed > self.shared:
            return (
                f"the feed-forward of width {hidden} needs {needed // KILOBYTE} KB of shared "
                f"memory, this device has {self.shared // KILOBYTE} KB"
            )
        return None


H200 = Limits((9, 0), 227 * KILOBYTE, 132)
_assumed: list[Limits] = []  # by `assume`, the innermost last


def limits() -> Limits:
    """Of the device that Triton launches on, the current one; the interpreter takes an H200's."""
    if _assumed:
        return _assumed[-1]
    return limits_of(torch.cuda.current_device()) if torch.cuda.is_initialized() else H200


@cache
def limits_of(index: int) -> Limits:
    found = torch.cuda.get_device_properties(index)
    shared = found.shared_memory_per_block_optin  # type: ignore[attr-defined]
    return Limits((found.major, found.minor), shared, found.multi_processor_count)


# a compiler need not look into what never changes
@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def is_measured(index: int) -> bool:
    return limits_of(index).measured


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def gpu_refusal(index: int, dim: int, hidden: int) -> str | None:
    return limits_of(index).refusal(dim, hidden)


@contextmanager
def assume(device: Limits) -> Iterator[None]:
    """Choose launches within a `with` block as if for another device."""
    _assumed.append(device)
    try:
        yield
    finally:
        _assumed.pop()
