"""Arrays of a file as fields: NAME, NAME_pred, NAME_error and NAME_bar are parts of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.own_mesh.answer import BAR, ERROR, PREDICTED

SUFFIXES = {"prediction": PREDICTED, "error": ERROR, "bar": BAR}
AXES = "xyz"
Arrays = Mapping[str, NDArray[Any]]
Parts = dict[str, dict[str, NDArray[np.float32]]]  # by field, then truth, prediction, error, bar


def parts_of(arrays: Arrays) -> Parts:
    """Of arrays (N,) or (N, C), whose components are fields of their own."""
    found: Parts = {}
    for name, part, values in _parts(arrays):
        for field, column in components(name, values).items():
            found.setdefault(field, {}).setdefault(part, column)
    for parts in found.values():
        if "error" not in parts and {"truth", "prediction"} <= parts.keys():
            parts["error"] = parts["prediction"] - parts["truth"]
    return found


def _parts(arrays: Arrays) -> Iterator[tuple[str, str, NDArray[Any]]]:
    for name, values in arrays.items():
        yield *_field_of(name, arrays), values


def _field_of(name: str, arrays: Arrays) -> tuple[str, str]:
    """A suffix means something where a prediction is there."""
    for part, suffix in SUFFIXES.items():
        stem = name.removesuffix(suffix)
        if stem not in ("", name) and stem + PREDICTED in arrays:
            return stem, part
    return name, "truth"


def components(name: str, values: NDArray[Any]) -> dict[str, NDArray[np.float32]]:
    """U_x, U_y and U_z of U; more than three have numbers."""
    columns = values.reshape(len(values), -1).astype(np.float32).T
    if len(columns) == 1:
        return {name: columns[0]}
    ends = AXES if len(columns) <= len(AXES) else map(str, range(len(columns)))
    return {f"{name}_{end}": column for end, column in zip(ends, columns, strict=False)}


def vectors_of(arrays: Arrays) -> dict[str, list[str]]:
    """Fields that are components of one vector, by its name."""
    found: dict[str, list[str]] = {}
    for name, values in arrays.items():
        stem, _ = _field_of(name, arrays)
        if values.ndim == 2 and 2 <= values.shape[1] <= len(AXES):
            found[stem] = [f"{stem}_{axis}" for axis in AXES[: values.shape[1]]]
    return found
