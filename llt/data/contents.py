"""What an HDF5 file contains: found without following it out of the file, read within limits.

Neither links to other files nor numbers stored in them are followed, and no references. The
sizes that a file declares are compared with what may be read of it (`runtime.limits`) first.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import h5py
import numpy as np

from llt.errors import DataError, unknown

REAL = "fiub"  # kinds of numpy's types: floats, integers, unsigned ones, booleans
MOST_OBJECTS = 5_000  # that a file may have: to look at each takes time
MOST_BYTES = 2**20  # of an attribute


def objects(file: h5py.File) -> Iterator[tuple[str, h5py.HLObject]]:
    """Every group, dataset and named type once, with its name; depth first, in order."""
    seen = {_address(file)}  # groups may contain each other
    waiting: list[tuple[str, h5py.Group]] = [("", file)]
    while waiting:
        name, item = waiting.pop()
        if name:
            yield name, item
        if not isinstance(item, h5py.Group):
            continue
        if len(seen) + len(waiting) + len(item) > MOST_OBJECTS:
            raise DataError(f"holds more than {MOST_OBJECTS} groups and arrays")
        below = []
        for key in item:
            where = f"{name}/{key}".lstrip("/")
            member = _member(item, key, where)
            if member is not None and (address := _address(member)) not in seen:
                seen.add(address)
                below.append((where, member))
        waiting.extend(reversed(below))


def datasets(file: h5py.File) -> Iterator[tuple[str, h5py.Dataset]]:
    return ((name, item) for name, item in objects(file) if isinstance(item, h5py.Dataset))


def _member(group: h5py.Group, key: str, where: str) -> h5py.HLObject | None:
    """What a name in a group stands for, if it is a thing of its own."""
    link = group.get(key, getlink=True)
    if isinstance(link, h5py.ExternalLink):
        raise DataError(f"{where} is a link to another file, {link.filename}; store a copy")
    if isinstance(link, h5py.SoftLink):
        return None  # to what is, or is not, in this file
    item = group[key]
    if isinstance(item, h5py.Dataset) and (item.external or item.is_virtual):
        raise DataError(f"{where} has its numbers in other files; store a copy")
    return item


def _address(item: h5py.HLObject) -> int:
    return int(h5py.h5o.get_info(item.id).addr)


def entry(file: h5py.File, name: str, kinds: str = REAL) -> h5py.Dataset:
    """An array that must be there."""
    if name not in file:
        group, _, last = name.rpartition("/")
        raise DataError(unknown("field", last, file.get(group or "/", ())))
    found = file[name]
    if not isinstance(found, h5py.Dataset):
        raise DataError(f"{name} is a group, expected numbers")
    if found.dtype.kind not in kinds:
        raise DataError(f"{name}: values of type {found.dtype}, expected real numbers")
    return found


def members(file: h5py.File, name: str) -> list[str]:
    """Names in a group, which may be missing."""
    group = file.get(name, {})
    if not isinstance(group, h5py.Group | dict):
        raise DataError(f"{name} is an array, expected a group of them")
    return list(group)


def num_bytes(array: h5py.Dataset) -> int:
    return prod(array.shape or ()) * array.dtype.itemsize


def chunk_bytes(array: h5py.Dataset) -> int:
    """What the library allocates, however little is asked for."""
    return prod(array.chunks or ()) * array.dtype.itemsize


def attribute(item: h5py.HLObject, name: str, default: str = "") -> str:
    """A text, or a number as one."""
    if name not in item.attrs:
        return default
    where = f"attribute {name} of {item.name}"
    about = item.attrs.get_id(name)
    if prod(about.shape or ()) != 1 or about.dtype.itemsize > MOST_BYTES:
        raise DataError(f"{where} has {about.shape} of {about.dtype}, expected one text or number")
    found = np.asarray(item.attrs[name]).item()
    return found.decode() if isinstance(found, bytes) else str(found)
