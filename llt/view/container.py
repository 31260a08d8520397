"""Arrays for the page, in one piece that it reads without copying.

LLTV, the length of a JSON text (uint32), the text, then the numbers of all arrays; little endian,
every part at a multiple of eight bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"LLTV"
ALIGNED = 8
KINDS = ("float32", "uint32", "uint8")


@dataclass(frozen=True)
class Parcel:
    """Arrays by name, and what is to be known about them."""

    meta: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def packed(self) -> bytes:
        entries, parts, offset = [], [], 0
        for name, array in self.arrays.items():
            assert array.dtype.name in KINDS, f"{name}: {array.dtype}"
            content = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
            kind = {"name": name, "dtype": array.dtype.name, "shape": array.shape}
            entries.append(kind | {"offset": offset})
            parts.append(_padded(content, b"\0"))
            offset += len(parts[-1])
        text = to_json({"meta": self.meta, "arrays": entries})
        head = len(MAGIC) + 4
        text += b" " * (-(head + len(text)) % ALIGNED)
        return b"".join((MAGIC, len(text).to_bytes(4, "little"), text, *parts))


def to_json(value: Any) -> bytes:
    """What every browser can read: numbers that are none become null."""
    return json.dumps(_plain(value), allow_nan=False, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    match value:
        case float() | np.floating():
            number = float(value)
            return number if math.isfinite(number) else None
        case np.integer():
            return int(value)
        case Mapping():
            return {str(key): _plain(part) for key, part in value.items()}
        case list() | tuple() | Iterator():
            return [_plain(part) for part in value]
        case np.ndarray():
            return _plain(value.tolist())
        case _:
            return value


def _padded(content: bytes, filler: bytes) -> bytes:
    return content + filler * (-len(content) % ALIGNED)
