"""What arrays are, told from their shapes: points on a grid or not, shared or not.

Shapes: S samples, T times, N points, d space dimensions. An array of points and one of a field
decide together: (H, W, 2) are the points of a shared grid beside fields (S, H, W), and of H point
sets beside fields (H, W).
"""

from __future__ import annotations

from llt.errors import DataError

Shape = tuple[int, ...]
DIMENSIONS = (2, 3)


def find_rows(points: Shape, field: Shape, *, when: Shape, where: str) -> Shape:
    """The shape of one sample's points: (N,), or the grid.

    Args:
        points: (N, d), (S, N, d), (*grid, d) or (S, *grid, d).
        field: (S, *when, *rows); one more axis of length 1 may follow.
        when: (T,) on timed problems, else ().
        where: the field's name, for an error.
    """
    if len(points) < 2 or points[-1] not in DIMENSIONS:
        raise DataError(
            f"{where}: points have shape {points}, expected (..., 2) or (..., 3): "
            "coordinates on the last axis"
        )
    candidates = _candidates(points)
    for rows, samples in candidates:
        right = (field[0] if field and samples is None else samples, *when, *rows)
        if field in (right, (*right, 1)):
            return rows
    if not candidates:
        d = points[-1]
        raise DataError(
            f"{where}: points have shape {points}, but a grid in {d}-D has {d} axes; "
            f"give points of a surface or a curve as (samples, points, {d})"
        )
    fits = [_words(samples, when, rows) for rows, samples in candidates]
    raise DataError(
        f"{where} has shape {field}, expected {' or '.join(fits)} "
        f"at points of shape {points}; their last axis holds the coordinates"
    )


def _candidates(points: Shape) -> list[tuple[Shape, int | None]]:
    """The shapes that a sample's points may have, with the number of samples where it is known."""
    *lead, d = points
    found: list[tuple[Shape, int | None]] = []
    if len(lead) == d:
        found.append((tuple(lead), None))
    if len(lead) == d + 1:
        found.append((tuple(lead[1:]), lead[0]))
    if len(lead) == 1:
        found.append((tuple(lead), None))
    if len(lead) == 2:
        found.append((tuple(lead[1:]), lead[0]))
    return found


def _words(samples: int | None, when: Shape, rows: Shape) -> str:
    numbers = ("samples" if samples is None else samples, *when, *rows)
    return f"({', '.join(map(str, numbers))})"
