"""Readers and writers of simulation results: one case in a file, or in a folder of OpenFOAM.

    mesh = read(Path("case.vtu"))            # points, fields, patches; of the last time
    times(Path("case.case"))                 # (0.0, 0.1, ...), () where there is one state alone
    write_like(Path("case.vtu"), Path("out.vtu"), point_fields={"p_pred": p})

Libraries that may crash or hang on damaged files (VTK, meshio) work in a process of their own,
within limits of time and memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from llt.data.formats import array_file, csv_file, process, work
from llt.data.formats.kinds import FORMATS, Format, format_of, is_readable, suffix_for
from llt.data.formats.mesh import Array, Mesh
from llt.errors import ConfigError
from llt.runtime.files import replacing, replacing_folder, write_text

__all__ = [
    "FORMATS",
    "Format",
    "Mesh",
    "format_of",
    "is_readable",
    "read",
    "suffix_for",
    "times",
    "write_like",
    "write_series",
]
Fields = Mapping[str, Array]


def times(path: Path) -> tuple[float, ...]:
    """The times a file has states of, growing; () for a steady file."""
    match format_of(path).name:
        case "CSV":
            return ()
        case "NumPy" | "HDF5" | "MATLAB":
            return array_file.read_times(path)
        case _:
            return process.call(path, work.read_times, path)


def read(path: Path, time: float | None = None) -> Mesh:
    """A state of a case: at one of its times, else at the last."""
    match format_of(path).name:
        case "CSV":
            return csv_file.read(path)
        case "NumPy" | "HDF5" | "MATLAB":
            return array_file.read(path, time)
        case _:
            return process.call(path, work.read, path, time)


def write_like(
    source: Path,
    out: Path,
    *,
    point_fields: Fields | None = None,
    cell_fields: Fields | None = None,
    time: float | None = None,
) -> None:
    """The user's own mesh back: same points, cells, order and arrays, and the new arrays.

    `out` ends with `suffix_for(source)`: what cannot be written in its own format, as OpenFOAM,
    CGNS, EnSight, Gmsh and STL, is written as VTU or VTP. New arrays are (N,) or (N, C) for
    points, (M,) or (M, C) for cells, and take the place of those of the same name.
    """
    points, cells = dict(point_fields or {}), dict(cell_fields or {})
    _check_out(source, out)
    match format_of(source).name:
        case "CSV":
            csv_file.write_like(source, out, points)
        case "NumPy" | "HDF5" | "MATLAB":
            array_file.write_like(source, out, points)
        case _:
            with replacing(out) as beside:
                suffix = suffix_for(source)
                process.call(source, work.write, source, beside, suffix, time, points, cells)


def write_series(source: Path, out: Path, steps: Iterable[tuple[float, Fields, Fields]]) -> None:
    """A time series for ParaView: OUT.pvd, and the folder OUT with a file for every step.

    A step is its time and the new arrays at points and cells. A source that has times of its own
    gives the mesh and arrays of each; else its one state goes with all.
    """
    if out.suffix != ".pvd":
        raise ConfigError(f"{out}: a time series is written as .pvd; name it {out.stem}.pvd")
    own = times(source)
    suffix = suffix_for(source)
    entries = []
    with replacing_folder(out.with_suffix("")) as folder:
        for number, (time, point_fields, cell_fields) in enumerate(steps):
            file = folder / f"{number:04d}{suffix}"
            write_like(
                source,
                file,
                point_fields=point_fields,
                cell_fields=cell_fields,
                time=time if own else None,
            )
            entries.append(f'<DataSet timestep="{time!r}" file="{out.stem}/{file.name}"/>')
    lines = "\n".join(entries)
    kind = '<VTKFile type="Collection" version="0.1">'
    write_text(out, f"{kind}\n<Collection>\n{lines}\n</Collection>\n</VTKFile>\n")


def _check_out(source: Path, out: Path) -> None:
    if out.suffix != suffix_for(source):
        raise ConfigError(
            f"{out}: what is written for {source.name} is a {suffix_for(source)} file; "
            f"name it {out.with_suffix(suffix_for(source)).name}"
        )
