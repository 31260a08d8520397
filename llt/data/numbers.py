"""Numbers at the door, as people have them: arrays, tensors of any kind, lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from llt.data.contents import REAL
from llt.errors import DataError


def to_array(value: Any, what: str) -> NDArray[Any]:
    """Real numbers as an array: from tensors of any device and precision, and from lists of them.

    Args:
        what: they are called in an error.
    """
    if isinstance(value, torch.Tensor):
        value = value.detach().resolve_conj().cpu()
        value = (value.float() if value.dtype == torch.bfloat16 else value).numpy()
    elif isinstance(value, list | tuple) and any(isinstance(v, torch.Tensor) for v in value):
        value = [to_array(part, what) for part in value]
    try:
        array = np.asarray(value)
    except ValueError:
        raise DataError(f"{what}: a list of arrays of different shapes, expected one") from None
    if array.dtype.kind == "c":
        raise DataError(f"{what}: complex numbers; give real and imaginary parts as two fields")
    if array.dtype.kind not in REAL:
        raise DataError(f"{what}: values of type {array.dtype}, expected numbers")
    return array


def to_floats(value: Any, what: str) -> NDArray[np.float32]:
    """The same in single precision."""
    return np.asarray(to_array(value, what), np.float32)


def to_arrays(value: Any, what: str) -> NDArray[Any] | list[NDArray[Any]]:
    """One array, or one of each sample where a list has them in different shapes."""
    if not isinstance(value, list | tuple):
        return to_array(value, what)
    parts = [to_array(part, f"{what} {index}") for index, part in enumerate(value)]
    if len({part.shape for part in parts}) > 1:
        return parts
    return np.stack(parts) if parts else np.empty(0)
