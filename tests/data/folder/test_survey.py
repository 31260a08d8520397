"""What a folder holds, told from some of its cases."""

import numpy as np
import pytest

from llt.data.folder.boxes import mix_ups
from llt.data.folder.cases import find_cases
from llt.data.folder.survey import survey
from llt.errors import DataError
from tests.data.folder.made import case, write, write_cases


def look_at(folder, **options):
    return survey(find_cases(folder), **options)


def test_fields_sizes_numbers_and_how_many_cases_have_them(tmp_path):
    write_cases(tmp_path, 5)
    write(tmp_path, "c9", **case(9, T=None))
    seen = look_at(tmp_path)
    found = {q.name: q for q in seen.quantities}
    assert (found["T"].num_cases, found["k"].num_cases) == (5, 6)
    assert (found["U"].components, found["T"].components) == (2, 0)
    assert found["U"].low.shape == (2,)
    assert found["T"].high[0] == pytest.approx(max(case(4, num=22)["T"]))
    assert seen.numbers == {"speed": (1.0, 10.0)}
    assert [one.num_points for one in seen.looks] == [18, 19, 20, 21, 22, 20]
    assert not seen.shared


def test_only_some_cases_are_looked_at_from_first_to_last(tmp_path):
    write_cases(tmp_path, 9)
    assert [one.name for one in look_at(tmp_path, most=3).looks] == ["c0", "c4", "c8"]


def test_a_plane_is_recognized_where_it_is_the_same_in_all_cases(tmp_path):
    def flat(seed, height=0.5):
        x = case(seed)["points"]
        return np.insert(x, 1, height, axis=1)

    for i in range(3):
        write(tmp_path, f"c{i}", **case(i, points=flat(i)))
    assert look_at(tmp_path).axes() == "xz"
    write(tmp_path, "c3", **case(3, points=flat(3, height=0.6)))
    assert look_at(tmp_path).axes() == "xyz"


def test_grids_shared_points_and_times(tmp_path):
    x = np.stack(np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 3)), axis=-1)
    for i in range(3):
        write(tmp_path, f"c{i}", points=x, T=np.full((2, 3, 4), i), times=[0.0, 1.0])
    seen = look_at(tmp_path)
    assert (seen.grid, seen.shared, seen.times) == ((3, 4), True, (0.0, 1.0))
    write(tmp_path, "c3", points=x[:2], T=np.zeros((2, 2, 4)), times=[0.0, 1.5])
    seen = look_at(tmp_path)
    assert (seen.grid, seen.shared, seen.times) == (None, False, ())


def test_ranges_are_those_of_the_finite_numbers(tmp_path):
    write_cases(tmp_path, 3)
    u = np.stack([np.full(20, np.nan), np.arange(20.0)], axis=1)
    u[4, 1] = np.inf
    write(tmp_path, "c1", **case(1, U=u))
    found = {q.name: q for q in look_at(tmp_path).quantities}
    assert np.isfinite(found["U"].low).all()
    assert found["U"].high[1] == 19.0


def test_cases_that_cannot_be_read_are_named(tmp_path):
    write_cases(tmp_path, 3)
    (tmp_path / "c1.npz").write_bytes(b"broken")
    seen = look_at(tmp_path)
    assert seen.bad.keys() == {"c1"}
    for name in ("c0", "c2"):
        (tmp_path / f"{name}.npz").write_bytes(b"broken")
    with pytest.raises(DataError, match=r"c0.npz: "):
        look_at(tmp_path)


EDGES = np.array([[4.0, 1.0, 2.0], [4.1, 1.1, 2.0], [3.9, 1.0, 2.1], [4.0, 1.0, 1.9]])


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        (EDGES[0] * 1000, "c4: its box is 1e+03 times larger than the others'; other units?"),
        (EDGES[0] / 1000, "c4: its box is 1e+03 times smaller than the others'; other units?"),
        (EDGES[0, [1, 0, 2]], "c4: its box is 1 x 4 x 2, the others' 4 x 1 x 2; other axes?"),
        (EDGES[0] * 25.4, "c4: its box is 25.4 times larger than the others'; other units?"),
        (EDGES[0] * 3, None),
        (EDGES[0] * [1, 1, 2], None),
    ],
)
def test_mix_ups_of_units_and_axes_show_in_the_boxes(edge, message):
    edges = np.vstack([EDGES, edge])
    found = mix_ups([f"c{i}" for i in range(5)], np.zeros_like(edges), edges)
    assert found == ([message] if message else [])


def test_where_sizes_differ_a_large_case_is_not_strange():
    edges = np.array([[size, size / 2] for size in (1.0, 2.0, 4.0, 8.0, 40.0)])
    assert not mix_ups([f"c{i}" for i in range(5)], np.zeros_like(edges), edges)
