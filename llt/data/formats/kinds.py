"""The formats by name and suffix, and what a reader takes from each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from llt.errors import DataError

CONTROL = Path("system") / "controlDict"  # what makes a folder an OpenFOAM case


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """A kind of file."""

    name: str
    suffixes: tuple[str, ...]
    takes: str  # one line, for the table in docs/your-own-data.md
    written: str = ""  # suffix of what is written back; the file's own where it is empty
    extra: str = ""  # that has the library it is read with


_ALL = (
    Format(
        name="VTK unstructured",
        suffixes=(".vtu",),
        takes="cells of any kind, arrays of points and cells, one-number field data",
        extra="cae",
    ),
    Format(name="VTK surface", suffixes=(".vtp",), takes="as VTU", extra="cae"),
    Format(
        name="VTK structured",
        suffixes=(".vts", ".vtr", ".vti"),
        takes="as VTU; the grid is recognized",
        extra="cae",
    ),
    Format(
        name="VTK legacy",
        suffixes=(".vtk",),
        takes="as VTU, VTP or VTS, text or binary",
        extra="cae",
    ),
    Format(
        name="VTKHDF",
        suffixes=(".vtkhdf",),
        takes="unstructured grids and surfaces, with times",
        written=".vtu",
        extra="cae",
    ),
    Format(
        name="CGNS",
        suffixes=(".cgns",),
        takes="HDF5-based; all zones as one mesh, zones and boundary conditions as patches, times",
        written=".vtu",
        extra="cae",
    ),
    Format(
        name="OpenFOAM",
        suffixes=(".foam",),
        takes="a `.foam` file or the case folder, reconstructed; cell fields, patches, "
        "times, units",
        written=".vtu",
        extra="cae",
    ),
    Format(
        name="EnSight",
        suffixes=(".case", ".encas"),
        takes="Gold and 6, text or binary; all parts as one mesh, parts as patches, times",
        written=".vtu",
        extra="cae",
    ),
    Format(
        name="STL",
        suffixes=(".stl",),
        takes="the surface; equal corners are one point",
        written=".vtp",
        extra="cae",
    ),
    Format(
        name="Gmsh",
        suffixes=(".msh",),
        takes="versions 2 and 4; cells of the highest dimension, physical groups as patches",
        written=".vtu",
        extra="cae",
    ),
    Format(
        name="NumPy",
        suffixes=(".npz",),
        takes="`points` or `x`, `y` (`z`), fields by name, `times`; single numbers are parameters",
    ),
    Format(
        name="HDF5",
        suffixes=(".h5", ".hdf5"),
        takes="the same, in any group; attribute `unit`",
    ),
    Format(name="MATLAB", suffixes=(".mat",), takes="the same; versions 5 and 7.3"),
    Format(
        name="CSV",
        suffixes=(".csv",),
        takes="a header, columns `x`, `y` (`z`) and fields, `p [Pa]`; `U:0`, `U:1` is a vector",
    ),
)
FORMATS: Mapping[str, Format] = {suffix: one for one in _ALL for suffix in one.suffixes}
FOAM = ".foam"


def suffix_of(path: Path) -> str:
    """The suffix that names a format; .foam for the folder of an OpenFOAM case."""
    return FOAM if (path / CONTROL).is_file() else path.suffix.lower()


def is_readable(path: Path) -> bool:
    """By suffix; a folder where it is an OpenFOAM case."""
    return suffix_of(path) in FORMATS and (path.is_file() or suffix_of(path) == FOAM)


def format_of(path: Path) -> Format:
    if not path.exists():
        raise DataError(f"{path}: no such file")
    if path.is_dir() and suffix_of(path) not in FORMATS:
        raise DataError(f"{path}: a folder without {CONTROL}, so no OpenFOAM case")
    if suffix_of(path) not in FORMATS:
        raise DataError(f"{path}: unknown suffix {path.suffix!r}; known are {', '.join(FORMATS)}")
    return FORMATS[suffix_of(path)]


def suffix_for(source: Path) -> str:
    """The suffix of the file that `write_like` writes for a source."""
    return format_of(source).written or suffix_of(source)
