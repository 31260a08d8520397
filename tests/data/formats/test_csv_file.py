"""Point clouds as CSV."""

import numpy as np
import pytest

from llt.data.formats import read, times, write_like
from llt.errors import DataError

TEXT = 'x,y,"p [Pa]",U:0,U:1\n0,0,1.5,1,2\n1,0,2.5,3,4\n0,1,-1e3,5,6\n'


@pytest.fixture
def path(tmp_path):
    (tmp_path / "case.csv").write_text(TEXT)
    return tmp_path / "case.csv"


def test_columns_are_coordinates_fields_and_vectors(path):
    mesh = read(path)
    np.testing.assert_array_equal(mesh.points, [[0, 0], [1, 0], [0, 1]])
    np.testing.assert_array_equal(mesh.point_fields["p"], [1.5, 2.5, -1000])
    np.testing.assert_array_equal(mesh.point_fields["U"], [[1, 2], [3, 4], [5, 6]])
    assert mesh.point_fields.keys() == {"p", "U"} and mesh.units == {"p": "Pa"}
    assert times(path) == () and mesh.grid is None
    with pytest.raises(DataError, match="no time 1; a CSV file has none"):
        read(path, 1.0)


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize(
    "names", ["x [m],y [m],z [m]", "X (m),Y (m),Z (m)", "Points:0,Points:1,Points:2"]
)
def test_other_programs_headers(tmp_path, separator, names):
    text = f"p,{names}\r\n1,2,3,4\r\n5,6,7,8\r\n".replace(",", separator)
    (tmp_path / "case.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    mesh = read(tmp_path / "case.csv")
    np.testing.assert_array_equal(mesh.points, [[2, 3, 4], [6, 7, 8]])
    assert mesh.point_fields.keys() == {"p"}


def test_new_columns_follow_the_old_lines(path, tmp_path):
    new = {"q": np.array([0.1, 0.2, 0.3], np.float32), "V": np.arange(6.0).reshape(3, 2)}
    write_like(path, tmp_path / "out.csv", point_fields=new)
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == 'x,y,"p [Pa]",U:0,U:1,q,V:0,V:1'
    assert lines[1].startswith("0,0,1.5,1,2,") and lines[3].endswith(",4,5")
    found = read(tmp_path / "out.csv").point_fields
    np.testing.assert_array_equal(found["q"].astype(np.float32), new["q"])
    np.testing.assert_array_equal(found["V"], new["V"])


BAD = {
    "no header": ("0,0,1\n1,0,2\n", "first line is no header of names"),
    "empty": ("", "first line is no header"),
    "no y": ("x,p\n1,2\n", r"needs columns x and y \(and z\); there are x, p"),
    "a name twice": ("x,y,p,p\n1,2,3,4\n", "two columns are named 'p'"),
    "a hole": ("x,y,p\n1,2,\n", "could not convert string '' to float64 at row 0, column 3"),
    "a short line": ("x,y,p\n1,2,3\n1,2\n", "columns"),
    "too few names": ("x,y\n1,2,3\n", "3 numbers a line, 2 names above"),
    "no lines": ("x,y\n", "no lines below its header"),
    "components": ("x,y,U:1,U:0\n1,2,3,4\n", "numbered from 0, in order"),
}


@pytest.mark.parametrize("fault", BAD)
def test_one_line_says_what_is_wrong(tmp_path, fault):
    text, message = BAD[fault]
    (tmp_path / "case.csv").write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path / "case.csv")
    assert "case.csv" in str(caught.value) and "\n" not in str(caught.value)
