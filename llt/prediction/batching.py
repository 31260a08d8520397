"""Many cases in batches of bounded memory and of few different sizes."""

from __future__ import annotations

from collections.abc import Iterator

POINTS = 2**18  # per batch: enough to fill a GPU


def cases_per_batch(points: int, neighbors: int = 0) -> int:
    """How many cases fit, a power of two, so that batches of a few sizes serve any number.

    Plain attention to neighbors gathers a key and a value for each of them, and multiplies them:
    four neighbors take about as much memory as all else of a point.
    """
    return power_of_two(int(POINTS / (points * (1 + neighbors / 4))))


def batches(start: int, stop: int, most: int) -> Iterator[slice]:
    for first in range(start, stop, most):
        yield slice(first, min(first + most, stop))


def power_of_two(count: int) -> int:
    """The largest that is not above `count`, at least 1."""
    return 1 << max(count, 1).bit_length() - 1


def room_for(count: int) -> int:
    """The smallest power of two that is not below `count`."""
    return 1 << (count - 1).bit_length()
