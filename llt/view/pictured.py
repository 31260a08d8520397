"""What all scenes say of points, errors and times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.errors import ConfigError


def in_space(points: NDArray[Any]) -> NDArray[np.float32]:
    """(N, 3), with zeros as the third coordinate in the plane."""
    found = np.zeros((len(points), 3), np.float32)
    found[:, : points.shape[1]] = points
    return found


def box_of(points: NDArray[Any]) -> list[list[float]]:
    return [points.min(axis=0).tolist(), points.max(axis=0).tolist()]


def relative_l2(error: NDArray[Any], truth: NDArray[Any]) -> float | None:
    """Where both are numbers; None where the truth is zero."""
    there = np.isfinite(error) & np.isfinite(truth)
    size = float(np.linalg.norm(truth[there].astype(np.float64)))
    return float(np.linalg.norm(error[there].astype(np.float64))) / size if size > 0 else None


def check_moment(moment: int | None, times: list[float] | None) -> int | None:
    """The number of a time; by default the last."""
    if times is None:
        if moment not in (None, 0):
            raise ConfigError(f"time {moment}: there are no times")
        return None
    if moment is None:
        return len(times) - 1
    if not 0 <= moment < len(times):
        raise ConfigError(f"time {moment}: must be from 0 to {len(times) - 1}")
    return moment
