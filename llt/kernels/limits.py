"""What a GPU offers the fused kernels, and why they cannot be used on it or for a network.

The kernels were tuned on an H200. Elsewhere they take the same tiles where these fit into shared
memory and registers, and fewer programs share a processor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from typing import NamedTuple

import torch

KILOBYTE = 1024
OLDEST = (8, 0)  # the first with bf16 products and asynchronous copies
WIDTHS, HEAD_WIDTH, TAPS = (16, 128), 32, 27
PART = 32  # hidden units of a feed-forward that does not fit whole into shared memory


class Limits(NamedTuple):
    """Of one device."""

    capability: tuple[int, int]
    shared: int  # bytes of shared memory that one program may have
    processors: int

    @property
    def small(self) -> bool:
        """Whether the tiles found best on an H200 may not fit."""
        return self.shared < H200.shared


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
    return Limits(
        (found.major, found.minor), found.shared_memory_per_block_optin, found.multi_processor_count
    )


@contextmanager
def assume(device: Limits) -> Iterator[None]:
    """Choose launches within a `with` block as if for another device."""
    _assumed.append(device)
    try:
        yield
    finally:
        _assumed.pop()


def device_refusal(device: Limits) -> str | None:
    """Why no fused kernel can be used on a device, or None."""
    if device.capability < OLDEST:
        major, minor = device.capability
        return f"compute capability {major}.{minor} is below {OLDEST[0]}.{OLDEST[1]}"
    return None


def refusal(
    device: Limits, *, dim: int, heads: int, hidden: int, taps: Sequence[int] = ()
) -> str | None:
    """Why a network cannot go through the fused kernels on a device, or None.

    `hidden` is the width of the feed-forward, `taps` the sides of the convolution's kernel.
    """
    return (
        device_refusal(device)
        or _network_refusal(dim, heads, hidden, taps)
        or _memory_refusal(device, dim, hidden)
    )


def _network_refusal(dim: int, heads: int, hidden: int, taps: Sequence[int]) -> str | None:
    """Tiles have sides that are powers of two; a point's channels must fit into registers, and so
    must the sums of all taps of a convolution."""
    low, high = WIDTHS
    if not _power_of_two(dim):
        return f"width {dim} is not a power of two"
    if not low <= dim <= high:
        return f"width {dim} is not between {low} and {high}"
    if not _power_of_two(heads):
        return f"{heads} heads are not a power of two"
    if dim // heads > HEAD_WIDTH:
        return f"head width {dim // heads} exceeds {HEAD_WIDTH}"
    if hidden > dim:
        return f"FFN width {hidden} exceeds the width {dim}"
    if prod(taps) > TAPS:
        return f"{' x '.join(map(str, taps))} taps exceed {TAPS}"
    return None


def _memory_refusal(device: Limits, dim: int, hidden: int) -> str | None:
    """The feed-forward takes the most, three matrices and a tile of 64 points or its like."""
    parts = -(-hidden // PART)
    needed = 2 * (3 * parts * PART * dim + 64 * 128)
    if needed <= device.shared:
        return None
    return (
        f"the feed-forward of width {hidden} needs {needed // KILOBYTE} KB of shared memory, "
        f"this device has {device.shared // KILOBYTE} KB"
    )


def max_points(dim: int) -> int:
    """Of one sample: offsets into its projections (N, 4 D) are 32-bit numbers."""
    return 2**31 // (4 * dim)


def _power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0
