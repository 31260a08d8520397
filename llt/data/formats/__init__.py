"""Readers and writers of simulation results: one case in a file, or in a folder of OpenFOAM.

    mesh = read(Path("case.vtu"))            # points, fields, patches; of the last time
    times(Path("case.case"))                 # (0.0, 0.1, ...), () where there is one state alone
    write_like(Path("case.vtu"), Path("out.vtu"), point_fields={"p_pred": p})

Libraries that may crash or hang on damaged files (VTK, meshio) work in a process of their own,
within limits of time and memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from llt.data.formats import array_file, csv_file, process, work
from llt.data.formats.drawing import Drawing
from llt.data.formats.kinds import FORMATS, Format, format_of, is_readable, suffix_for
from llt.data.formats.mesh import Array, Mesh, Weights, is_time
from llt.errors import ConfigError, DataError
from llt.runtime.files import replacing, replacing_folder, write_text

__all__ = [
    "FORMATS",
    "Drawing",
    "Format",
    "Mesh",
    "Weights",
    "draw",
    "format_of",
    "is_readable",
    "read",
    "series_suffix",
    "suffix_for",
    "times",
    "weights",
    "write_like",
    "write_series",
]
Fields = Mapping[str, Array]
ARRAYS = ("NumPy", "HDF5", "MATLAB")  # formats of arrays by name


def times(path: Path) -> tuple[float, ...]:
    """The times a file has states of, growing; () for a steady file."""
    match format_of(path).name:
        case "CSV":
            return ()
        case name if name in ARRAYS:
            return array_file.read_times(path)
        case _:
            return process.call(path, work.read_times, path)


def read(path: Path, time: float | None = None) -> Mesh:
    """A state of a case: at one of its times, else at the last."""
    match format_of(path).name:
        case "CSV":
            if time is not None:
                raise DataError(f"{path}: no time {time:g}; a CSV file has none")
            return csv_file.read(path)
        case name if name in ARRAYS:
            return array_file.read(path, time)
        case _:
            return process.call(path, work.read, path, time)


def draw(path: Path, time: float | None = None) -> Drawing:
    """The same with what pictures are made from; files without cells have points alone."""
    if not format_of(path).extra:
        return Drawing(mesh=read(path, time))
    return process.call(path, work.draw, path, time)


def weights(path: Path, patch: str | None, *, cells: bool, time: float | None = None) -> Weights:
    """What integrals weigh the value of every point with, or that of every cell.

    Args:
        patch: None for the whole mesh, "" for all of its boundary, else a patch by name, or an
            array of points that is not zero on it.
    """
    if not format_of(path).extra:
        raise DataError(f"{path}: has no cells, which areas and volumes are those of")
    return process.call(path, work.weights, path, patch, cells, time)


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
    _check_suffix(source, out, suffix_for(source))
    if cells and not format_of(source).extra:
        raise DataError(f"{source}: has no cells, but values for them: {', '.join(cells)}")
    match format_of(source).name:
        case "CSV":
            csv_file.write_like(source, out, points)
        case name if name in ARRAYS:
            array_file.write_like(source, out, points)
        case _:
            with replacing(out) as beside:
                suffix = suffix_for(source)
                process.call(source, work.write, source, beside, suffix, time, points, cells)


def write_series(
    source: Path | Sequence[Path],
    out: Path,
    steps: Iterable[tuple[float, Fields, Fields]],
) -> None:
    """A time series: its times in order, with the new arrays at points and cells at each.

    For ParaView OUT.pvd, and the folder OUT with a file for every step. A source that has times of
    its own, or several sources, one for each step, give the mesh and arrays of each. Arrays by name
    (NumPy, HDF5, MATLAB) become one file of the source's own kind. `out` ends with
    `series_suffix(source)`.
    """
    sources = [source] if isinstance(source, Path) else [*source]
    first = sources[0]
    _check_suffix(first, out, series_suffix(first))
    if format_of(first).name in ARRAYS:
        array_file.write_series(first, out, ((time, fields) for time, fields, _ in steps))
        return
    own, entries = times(first) if len(sources) == 1 else (), []
    with replacing_folder(out.with_suffix("")) as folder:
        for number, (time, points, cells) in enumerate(steps):
            file = folder / f"{number:04d}{suffix_for(first)}"
            at = time if is_time(own, time) else None  # the last, where the source ends before
            one = sources[number] if len(sources) > 1 else first
            write_like(one, file, point_fields=points, cell_fields=cells, time=at)
            name = quoteattr(f"{out.stem}/{file.name}")
            entries.append(f'<DataSet timestep="{time!r}" file={name}/>')
    text = "\n".join(['<VTKFile type="Collection" version="0.1">', "<Collection>", *entries])
    write_text(out, f"{text}\n</Collection>\n</VTKFile>\n")


def series_suffix(source: Path) -> str:
    """The suffix of the file that `write_series` writes for a source."""
    name = format_of(source).name
    if name == "CSV":
        raise ConfigError(f"{source}: a CSV file has no times; give .npz or .vtu")
    return suffix_for(source) if name in ARRAYS else ".pvd"


def _check_suffix(source: Path, out: Path, suffix: str) -> None:
    if out.suffix != suffix:
        raise ConfigError(
            f"{out}: what is written for {source.name} is a {suffix} file; "
            f"name it {out.with_suffix(suffix).name}"
        )
