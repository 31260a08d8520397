"""A case and what a reader must find in it; what several of them are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

rng = np.random.default_rng(0)
START = rng.bit_generator.state
CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
HEX = np.array([0, 1, 3, 2, 4, 5, 7, 6])


@dataclass(frozen=True)
class Case:
    path: Path
    points: Any
    centers: Any = None
    point_fields: dict[str, Any] = field(default_factory=dict)
    cell_fields: dict[str, Any] = field(default_factory=dict)
    grid: tuple[int, ...] | None = None
    patches: dict[str, Any] = field(default_factory=dict)  # indices of points
    cell_patches: dict[str, Any] = field(default_factory=dict)  # of cells
    case_fields: dict[str, float] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    times: tuple[float, ...] = ()
    files: tuple[Path, ...] = ()  # that a damaged case may have damage in
