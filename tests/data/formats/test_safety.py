"""Damaged and hostile files: one line, within limits, and nothing from outside of the case."""

import gzip
from random import Random

import h5py
import numpy as np
import pytest

from llt.data.formats import process, read, times
from llt.errors import DataError
from tests.data.formats.cases import CASES
from tests.robustness.mutations import mutate

pv = pytest.importorskip("pyvista")
pytest.importorskip("meshio")
TRIALS = 12


@pytest.mark.parametrize("name", CASES)
def test_damage_is_read_or_refused_in_one_line(name, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(process, "SECONDS", 10.0)
    case = CASES[name](tmp_path)
    for trial in range(TRIALS):
        rng = Random(f"{name} {trial}")
        path = rng.choice(case.files)
        content = path.read_bytes()
        path.write_bytes(mutate(rng, content))
        try:
            times(case.path)
            mesh = read(case.path)
        except DataError as error:
            assert "\n" not in str(error) and str(tmp_path) in str(error)
        else:
            assert np.isfinite(mesh.points).all()
            assert all(len(value) == len(mesh.points) for value in mesh.point_fields.values())
        path.write_bytes(content)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["vtk", "vtk-text", "vtk-grid", "vtu", "vtu-text", "vts", "cgns"])
def test_a_file_that_ends_early_gives_no_numbers_that_are_not_in_it(name, tmp_path):
    case = CASES[name](tmp_path)
    content = case.path.read_bytes()
    whole = read(case.path)
    known = {**whole.point_fields, **whole.cell_fields}
    refused = 0
    for end in np.linspace(10, len(content) - 40, 30).astype(int):
        case.path.write_bytes(content[:end])
        try:
            mesh = read(case.path)
        except DataError:
            refused += 1
            continue
        for key, value in {**mesh.point_fields, **mesh.cell_fields}.items():
            # of text the last number may have lost digits
            np.testing.assert_array_equal(value.reshape(-1)[:-1], known[key].reshape(-1)[:-1])
    assert refused > 20


@pytest.mark.parametrize("name", ["vtkhdf", "cgns", "h5"])
def test_links_to_other_files_are_refused(name, tmp_path):
    case = CASES[name](tmp_path)
    (tmp_path / "secret").mkdir()
    other = CASES[name](tmp_path / "secret")
    with h5py.File(case.path, "r+") as file:
        place = {"vtkhdf": "VTKHDF/PointData/p", "cgns": "Base/left", "h5": "p"}[name]
        del file[place]
        file[place] = h5py.ExternalLink(str(other.path), f"/{place}")
    with pytest.raises(DataError, match="is a link to another file"):
        read(case.path)


def test_a_case_of_ensight_names_no_files_elsewhere(tmp_path):
    (tmp_path / "inner").mkdir()
    case = CASES["ensight"](tmp_path / "inner")
    text = case.path.read_text()
    (tmp_path / "cube.geo").write_bytes((tmp_path / "inner" / "cube.geo").read_bytes())
    for name in ("../cube.geo", str(tmp_path / "cube.geo")):
        case.path.write_text(text.replace("cube.geo", name))
        with pytest.raises(DataError, match=r"cube.case names .*cube.geo, which is not in"):
            read(case.path)
    case.path.write_text(text)
    (tmp_path / "inner" / "cube.p0001").unlink()
    (tmp_path / "inner" / "cube.p0001").symlink_to(tmp_path / "cube.geo")
    with pytest.raises(DataError, match=r"which is not in"):
        read(case.path)


INCLUDES = ('"../../secret"', '"$HOME/secret"', '"~/secret"', '"/etc/hostname"', "<etc>/caseDicts")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", INCLUDES)
def test_a_case_of_openfoam_includes_nothing_from_elsewhere(tmp_path, name, packed):
    case = CASES["openfoam"](tmp_path)
    path = case.path / "10" / "p"
    content = f"#include {name}\n".encode() + path.read_bytes()
    if packed:
        path.unlink()
        path.with_suffix(".gz").write_bytes(gzip.compress(content))
    else:
        path.write_bytes(content)
    with pytest.raises(DataError, match=r"which is not in|in the case's folder"):
        read(case.path)


def test_a_case_of_openfoam_may_include_its_own_files(tmp_path):
    case = CASES["openfoam"](tmp_path)
    path = case.path / "10" / "p"
    head, _, tail = path.read_text().partition("dimensions [0 2 -2 0 0 0 0];")
    (case.path / "10" / "include").mkdir()
    (case.path / "10" / "include" / "units").write_text("dimensions [0 2 -2 0 0 0 0];\n")
    path.write_text(f'{head}#include "include/units"\n{tail}')
    np.testing.assert_array_equal(read(case.path).cell_fields["p"], case.cell_fields["p"])


def test_a_case_of_openfoam_is_not_somewhere_else(tmp_path):
    case = CASES["openfoam"](tmp_path)
    path = case.path / "10" / "p"
    path.replace(tmp_path / "p")
    path.symlink_to(tmp_path / "p")
    with pytest.raises(DataError, match="which is not in"):
        read(case.path)


def test_a_decomposed_case_says_what_to_run(tmp_path):
    case = CASES["openfoam"](tmp_path)
    (case.path / "processor0").mkdir()
    (case.path / "constant" / "polyMesh").rename(case.path / "processor0" / "polyMesh")
    with pytest.raises(DataError, match="decomposed; run reconstructPar"):
        read(case.path)


def test_too_much_memory_says_how_to_allow_it(tmp_path, monkeypatch):
    path = tmp_path / "image.vti"
    pv.ImageData(dimensions=(160, 160, 160)).save(path)  # its points are not in the file
    read(CASES["vti"](tmp_path).path)  # loads the libraries
    monkeypatch.setattr(process, "LIBRARIES", 0)
    monkeypatch.setenv("LLT_READ_LIMIT", "64M")
    with pytest.raises(DataError, match=r"image.vti: .*memory.*LLT_READ_LIMIT"):
        read(path)
    monkeypatch.setenv("LLT_READ_LIMIT", "2G")
    assert len(read(path).points) == 160**3


def test_sizes_are_not_believed(tmp_path):
    """A few hundred bytes that declare gigabytes."""
    path = tmp_path / "case.vtk"
    path.write_text(
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_POINTS\n"
        "DIMENSIONS 2000 2000 2000\nORIGIN 0 0 0\nSPACING 1 1 1\n"
        "POINT_DATA 8000000000\nSCALARS p double\nLOOKUP_TABLE default\n1\n"
    )
    with pytest.raises(DataError, match=r"case.vtk: ") as caught:
        read(path)
    assert "\n" not in str(caught.value)
