"""Arrays from the body of a request, and the body of an answer from arrays.

Nothing of a body names a place: it is read from, and written to, files that are called by us.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.data.arrays import read_arrays, write_arrays
from llt.data.contents import REAL
from llt.errors import DataError, LltError
from llt.serve.kinds import JSON

Arrays = dict[str, NDArray[Any]]
MOST_JSON = 8 * 2**20  # bytes: in memory a list of numbers takes many times as much


def read_body(body: bytes, kind: str) -> Arrays:
    """Real numbers by name."""
    if kind == JSON:
        return _read_json(body)
    with in_folder() as folder:
        path = folder / f"body{kind}"
        path.write_bytes(body)
        return dict(read_arrays(path))


def write_body(arrays: Mapping[str, Any], kind: str, **beside: Any) -> bytes:
    """The same names and numbers as of a file that `llt predict` writes.

    Args:
        beside: what JSON has room for besides.
    """
    if kind == JSON:
        fields = {name: _plain(value) for name, value in arrays.items()}
        return json.dumps({"fields": fields, **beside}, allow_nan=False).encode()
    with in_folder() as folder:
        write_arrays(folder / f"answer{kind}", arrays)
        return (folder / f"answer{kind}").read_bytes()


@contextmanager
def in_folder() -> Iterator[Path]:
    """A folder for one request; errors do not say where it is."""
    with tempfile.TemporaryDirectory(prefix="llt-serve-", ignore_cleanup_errors=True) as name:
        try:
            yield Path(name)
        except LltError as error:
            raise type(error)(str(error).replace(f"{name}/", "")) from None


def _read_json(body: bytes) -> Arrays:
    if len(body) > MOST_JSON:
        raise DataError(f"JSON may have {MOST_JSON:,} bytes, this has {len(body):,}; send .npz")
    try:
        found = json.loads(body, parse_constant=_no_number, object_pairs_hook=_once)
    except DataError:
        raise
    except RecursionError:
        raise DataError("JSON is nested too deeply") from None
    except ValueError as wrong:  # also of text that is no UTF-8
        raise DataError(f"not valid JSON: {wrong}") from None
    if not isinstance(found, dict):
        raise DataError(f"JSON holds {type(found).__name__}, expected an object of numbers by name")
    return {name: _numbers(name, value) for name, value in found.items()}


def _numbers(name: str, value: Any) -> NDArray[Any]:
    where = repr(name[:50])
    if not _all_numbers(value):
        raise DataError(f"{where}: expected numbers, as lists of the same length")
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError):
        raise DataError(f"{where}: rows have different lengths, or are nested too deeply") from None
    if array.dtype.kind not in REAL:  # as of integers that are too large
        raise DataError(f"{where}: expected numbers, as lists of the same length")
    return array


def _all_numbers(value: Any) -> bool:
    """Looked at before numpy does, which gives every text the room of the longest."""
    level = [value]
    while level:
        if not {*map(type, level)} <= {list, int, float, bool}:
            return False
        level = list(chain.from_iterable(one for one in level if isinstance(one, list)))
    return True


def _no_number(name: str) -> float:
    raise DataError(f"JSON has no {name}; all values must be finite")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise DataError("JSON has a name twice in one object")
    return found


def _plain(value: Any) -> Any:
    """Lists of numbers; null where there is none."""
    array = np.asarray(value)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        there = np.isfinite(array)
        array = array.astype(object)
        array[~there] = None
    return array.tolist()
