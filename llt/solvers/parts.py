"""Finished samples of a job, one file each, so that an interrupted job goes on where it stopped.

A part is an .npz file with the arrays of a solution and a checksum of them, of the job and of the
sample's key: a part that is taken again is exactly what was made, or it is made again.
"""

from __future__ import annotations

import hashlib
import json
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from llt.errors import DataError
from llt.runtime.files import remove_abandoned, replacing, write_json
from llt.runtime.reading import read_json, reading
from llt.solvers.base import Solution

GROUPS = ("inputs", "outputs", "masks", "parameters", "derived", "weights", "info")
CHECKSUM, SIGNED = "checksum", "signed"
Key = int | str  # of a sample within its job
K = TypeVar("K", bound=Key)


@dataclass(frozen=True)
class Parts:
    """The parts folder of a job, with a record `job.json` of whose it is."""

    folder: Path
    job: Mapping[str, Any]
    others: str = "another seed, setting or solver version"  # how jobs may differ

    def claim(self, keys: Iterable[K]) -> list[K]:
        """Make the folder this job's own; which of these samples are still to be made."""
        remove_abandoned(self.folder)  # by workers that were killed
        if not self.record.is_file():
            write_json(self.record, {**self.job, SIGNED: True})
        elif _read_record(self.record)[0] != json.loads(json.dumps(self.job)):
            raise DataError(
                f"{self.folder}: holds samples of {self.others}; "
                "remove the folder or choose another -o"
            )
        wanted = [*keys]
        there = [key for key in wanted if self.path(key).is_file()]
        damaged = self._damaged(there)
        if damaged:
            names = ", ".join(self.path(key).name for key in damaged[:3])
            more = f" and {len(damaged) - 3} more" if len(damaged) > 3 else ""
            warnings.warn(
                f"{self.folder}: damaged or of another job, made again: {names}{more}",
                stacklevel=3,
            )
        whole = {*there} - {*damaged}
        return [key for key in wanted if key not in whole]

    @property
    def record(self) -> Path:
        return self.folder / "job.json"

    def path(self, key: Key) -> Path:
        return self.folder / (f"{key:06d}.npz" if isinstance(key, int) else f"{key}.npz")

    def write(self, key: Key, solution: Solution) -> None:
        members = {name: _encoded(array) for name, array in _arrays(solution).items()}
        members[CHECKSUM] = self._checksum(key, members)
        with replacing(self.path(key)) as beside, zipfile.ZipFile(beside, "w") as archive:
            for name, content in members.items():
                archive.writestr(f"{name}.npy", content)

    def read(self, key: Key) -> Solution:
        """A sample; `DataError` where the file is not what was written for it."""
        _, signed = _read_record(self.record)
        with reading(self.path(key)):
            members = _members(self.path(key))
            written = members.pop(CHECKSUM, None)
            if (signed or written) and written != self._checksum(key, members):
                raise DataError("damaged or of another job; --resume makes it again")
            return _solution({name: _decoded(content) for name, content in members.items()})

    def _checksum(self, key: Key, members: Mapping[str, bytes]) -> bytes:
        digest = hashlib.sha256(json.dumps([self.job, key], sort_keys=True).encode())
        for name, content in sorted(members.items()):
            digest.update(f"\n{name} {len(content)}\n".encode())
            digest.update(content)
        return _encoded(np.array(digest.hexdigest()[:16].encode()))

    def _damaged(self, there: list[K]) -> list[K]:
        found: dict[K, frozenset[str]] = {}
        for key in there:
            try:
                found[key] = frozenset(_arrays(self.read(key)))
            except DataError:
                continue
        # of older versions, without a checksum, the odd one out is of another job
        usual = Counter(found.values()).most_common(1)
        return [key for key in there if key not in found or found[key] != usual[0][0]]


def _read_record(path: Path) -> tuple[dict[str, Any], bool]:
    """The job, and whether all its parts have checksums: older versions wrote none."""
    try:
        record = read_json(path)
    except DataError as error:
        raise DataError(f"{error}; remove {path.parent} and begin anew, without --resume") from None
    signed = record.pop(SIGNED, False)
    return record, bool(signed)


def _arrays(solution: Solution) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"points": solution.points}
    if solution.times is not None:
        arrays["times"] = solution.times
    for group in GROUPS:
        for name, value in getattr(solution, group).items():
            arrays[f"{group}.{name}"] = np.asarray(value)
    return arrays


def _solution(arrays: dict[str, NDArray[Any]]) -> Solution:
    groups: dict[str, dict[str, Any]] = {group: {} for group in GROUPS}
    points, times = arrays.pop("points"), arrays.pop("times", None)
    for key, value in arrays.items():
        group, _, name = key.partition(".")
        groups[group][name] = value if value.ndim else float(value)
    if not groups["outputs"]:
        raise ValueError("no outputs")
    return Solution(points=points, times=times, **groups)


def _members(path: Path) -> dict[str, bytes]:
    """The files in an archive, which must not be compressed: then they are not larger than it."""
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
        if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
            raise ValueError("compressed")
        return {info.filename.removesuffix(".npy"): archive.read(info) for info in infos}


def _encoded(array: NDArray[Any]) -> bytes:
    stream = BytesIO()
    npy.write_array(stream, array, allow_pickle=False)
    return stream.getvalue()


def _decoded(content: bytes) -> NDArray[Any]:
    """An array of numbers; its size is that of the content, whatever it declares."""
    stream = BytesIO(content)
    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read(stream)
    start = stream.tell()
    size = prod(shape) * dtype.itemsize
    if dtype.kind not in "fiub" or min(shape, default=0) < 0 or size != len(content) - start:
        raise ValueError("it declares what it does not hold")
    values = np.frombuffer(content, dtype, offset=start)
    return values.reshape(shape, order="F" if fortran else "C")
