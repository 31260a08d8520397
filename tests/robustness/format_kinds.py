"""Files of simulation programs; apart from the other kinds, so that what forks here is small."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from llt.data import formats
from tests.data.formats.cases import CASES
from tests.robustness.campaign import Kind


def digest(arrays: dict[str, Any]) -> dict[str, str]:
    """Arrays as text that tells any two apart."""
    return {
        name: f"{value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
        for name, value in sorted((str(key), np.asarray(value)) for key, value in arrays.items())
    }


def _format(name: str) -> Kind:
    """A case as simulation programs write it; VTK itself works in a process of its own."""

    def make(folder: Path) -> list[Path]:
        return [*CASES[name](folder).files]

    def read(folder: Path) -> Any:
        (found,) = (path for path in _cases(folder) if formats.is_readable(path))
        mesh = formats.read(found)
        arrays = {"x": mesh.points, **mesh.point_fields, **mesh.cell_fields, **mesh.patches}
        return digest(arrays), mesh.grid, mesh.case_fields, formats.times(found)

    return Kind(f"format-{name}", make, read, checked=False)


def _cases(folder: Path) -> Iterator[Path]:
    """Files, and folders of OpenFOAM in place of the files in them."""
    for path in sorted(folder.iterdir()):
        if path.is_file() or formats.is_readable(path):
            yield path


FORMAT_KINDS = {kind.name: kind for kind in map(_format, CASES)}
