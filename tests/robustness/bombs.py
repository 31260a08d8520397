"""Files that ask for far more memory or time than they are worth."""

from __future__ import annotations

import json
import os
import resource
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch

from llt.data import dataset_file
from llt.data.arrays import read_arrays
from llt.data.published.darcy import _read_mat
from llt.data.published.source_files import load_array
from llt.errors import LltError

GIB = 2**30


def _rows(file: h5py.File) -> None:
    """Never written: a few bytes of metadata."""
    file.create_dataset("points", (10**12, 2), "f4", chunks=(1000, 2))
    file.create_dataset("outputs/u", (3, 10**12), "f4", chunks=(1, 1000))


def _offsets(file: h5py.File) -> None:
    _small(file)
    file.create_dataset("offsets", (10**12,), "i8", chunks=(1000,))


def _sample(file: h5py.File) -> None:
    """Two samples of a terabyte each."""
    file.create_dataset("points", (10**12, 2), "f4", chunks=(1000, 2))
    file.create_dataset("outputs/u", (10**12,), "f4", chunks=(1000,))
    file["offsets"] = [0, 10**11, 2 * 10**11, 10**12]


def _chunk(file: h5py.File) -> None:
    _small(file)
    file.create_dataset("inputs/a", (3, 4), "f4", maxshape=(None, None), chunks=(3, GIB // 4))


def _zeros(file: h5py.File) -> None:
    """Chunks of zeros, a thousand to one."""
    _small(file)
    array = file.create_dataset("inputs/a", (3, 2**30), "u1", chunks=(1, 2**26), compression="gzip")
    packed = zlib.compress(bytes(2**26))
    for row in range(3):
        for place in range(0, 2**30, 2**26):
            array.id.write_direct_chunk((row, place), packed)


def _attribute(file: h5py.File) -> None:
    _small(file)
    file.attrs.create("name", np.zeros(2**24, "u1"))


def _unit(file: h5py.File) -> None:
    _small(file)
    file["outputs/u"].attrs.create("unit", bytes(2**24), dtype="S16777216")


def _links(file: h5py.File) -> None:
    _small(file)
    many = file.create_group("many")
    for number in range(20_000):
        many.id.links.create_soft(b"%d" % number, b"/points")


def _circles(file: h5py.File) -> None:
    """Links that lead to themselves and to each other."""
    file["points"] = h5py.SoftLink("/points")
    file["outputs/u"], file["outputs/v"] = h5py.SoftLink("/outputs/v"), h5py.SoftLink("/outputs/u")


def _nested(file: h5py.File) -> None:
    _small(file)
    group = file
    for _ in range(20_000):
        group = group.create_group("g")


def _records(file: h5py.File) -> None:
    _small(file)
    for number in range(100):
        file.create_dataset(f"samples/{number}", (2**25,), "f8", chunks=(1000,))


def _small(file: h5py.File) -> None:
    file["points"], file["outputs/u"] = np.ones((4, 2)), np.ones((3, 4))


def _npy(shape: str, *, dtype: str = "<f4") -> bytes:
    """The head of an array, without its numbers."""
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}"
    head = head.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()


def _npz(path: Path, name: str, *pieces: bytes) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(f"{name}.npy", "w") as member,
    ):
        for piece in pieces:
            member.write(piece)


def _declared(path: Path) -> None:
    """A header that promises more than there is."""
    _npz(path, "a", _npy("(1000000000000,)"), bytes(100))


def _expanding(path: Path) -> None:
    """A thousand to one, and as large as it says."""
    _npz(path, "a", _npy(f"({GIB // 4},)"), *[bytes(2**24)] * 64)


def _understated(path: Path) -> None:
    """The directory says 100 bytes, the member expands to 256 MiB."""
    _npz(path, "a", _npy("(25,)"), *[bytes(2**24)] * 16)
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"PK\x01\x02")
    content[entry + 24 : entry + 28] = struct.pack("<I", 128 + 100)
    path.write_bytes(content)


def _other_packing(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.npy", _npy("(25,)") + bytes(100))


def _matlab(*variables: bytes) -> bytes:
    return b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"".join(variables)


def _matrix(shape: tuple[int, ...], promised: int, content: bytes) -> bytes:
    dims = struct.pack(f"<{len(shape)}i", *shape)
    inner = struct.pack("<4I", 6, 8, 6, 0) + struct.pack("<2I", 5, len(dims)) + dims
    inner += bytes(-len(dims) % 8) + struct.pack("<2I", 1, 5) + b"coeff\0\0\0"
    inner += struct.pack("<2I", 9, promised) + content
    return struct.pack("<2I", 14, len(inner)) + inner


def _matlab_shape(path: Path) -> None:
    path.write_bytes(_matlab(_matrix((10**6, 10**5, 1), 800, bytes(800))))


def _matlab_size(path: Path) -> None:
    path.write_bytes(_matlab(_matrix((2, 2, 2), 2**32 - 8, bytes(64))))


def _matlab_packed(path: Path) -> None:
    """A small shape, and a gigabyte behind it."""
    packer = zlib.compressobj()
    packed = packer.compress(_matrix((2, 2, 2), GIB, b""))
    packed += b"".join(packer.compress(bytes(2**24)) for _ in range(64)) + packer.flush()
    path.write_bytes(_matlab(struct.pack("<2I", 15, len(packed)) + packed))


def _array(path: Path) -> None:
    path.write_bytes(_npy("(1000000000000,)") + bytes(100))


def _read_question(path: Path) -> None:
    read_arrays(path)


def _read_matlab(path: Path) -> None:
    _read_mat(path, ("coeff", "sol"), 2)


def _read_numpy(path: Path) -> None:
    load_array(path, (None,))


def _read_dataset(path: Path) -> None:
    data = dataset_file.read(path)
    for index in range(len(data)):
        data.sample(index)


ARRAYS = (_rows, _offsets, _sample, _chunk, _records, _links, _nested)
DATASETS = (*ARRAYS, _attribute, _unit, _circles)
NPZ = (_declared, _expanding, _understated, _other_packing)
MATLAB = (_matlab_shape, _matlab_size, _matlab_packed)
BOMBS = {
    f"{read.__name__[1:]} {make.__name__[1:]}": (make, suffix, read)
    for makers, suffix, read in (
        (DATASETS, ".h5", _read_dataset),
        ((*ARRAYS, _zeros), ".h5", _read_question),
        (NPZ, ".npz", _read_question),
        (MATLAB, ".mat", _read_matlab),
        ((_array,), ".npy", _read_numpy),
    )
    for make in makers
}


def measure(name: str, folder: Path) -> dict[str, Any]:
    """What reading a bomb ends in and takes, in a child, since memory only ever grows."""
    make, suffix, read = BOMBS[name]
    path = folder / f"{name}{suffix}"
    if suffix == ".h5":
        with h5py.File(path, "w", libver="latest") as file:
            make(file)
    else:
        make(path)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, json.dumps(_attempt(read, path)).encode())
        os._exit(0)
    os.close(writer)
    content = b"".join(iter(lambda: os.read(reader, 65536), b""))
    os.close(reader)
    os.waitpid(child, 0)
    path.unlink()
    return json.loads(content or b"{}")


def _attempt(read: Callable[[Path], object], path: Path) -> dict[str, Any]:
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    before, start = _resident(), _seconds()
    try:
        read(path)
        message = ""
    except LltError as error:
        message = str(error)
    except Exception as error:
        message = repr(error)
    return {"message": message, "bytes": _resident() - before, "seconds": _seconds() - start}


def _resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _seconds() -> float:
    """Of computing, also by children: the machine may be busy."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(who)[:2]) for who in whose)


def main() -> None:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        found = {name: measure(name, Path(folder)) for name in BOMBS}
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
