"""One case by the plan: its arrays as they are, or a line that names what does not fit."""

import numpy as np
import pytest

from llt.data.folder import sample as samples
from llt.data.folder.cases import Case, find_cases
from llt.data.folder.choice import choice_of
from llt.data.folder.decide import decide
from llt.data.folder.sample import num_duplicates, read_sample
from llt.data.folder.survey import survey
from llt.data.formats import Mesh
from llt.errors import DataError
from tests.data.folder.made import case, write, write_cases


def plan_of(folder, **said):
    return decide(survey(find_cases(folder)), choice_of({"outputs": ["T", "U"], **said}))


@pytest.fixture
def plan(tmp_path):
    return plan_of(write_cases(tmp_path / "cases", 3), inputs=["k"])


def one(folder, **changes):
    return Case(name="new", files=(write(folder, "new", **case(1, **changes)),))


def test_arrays_are_those_of_the_file(tmp_path, plan):
    arrays = case(1)
    found = read_sample(one(tmp_path), plan, {})
    np.testing.assert_array_equal(found.points, arrays["points"].astype(np.float32))
    np.testing.assert_array_equal(found.inputs[:, 0], arrays["k"].astype(np.float32))
    right = np.column_stack([arrays["T"], arrays["U"]]).astype(np.float32)
    np.testing.assert_array_equal(found.outputs, right)
    assert found.parameters == [2.0]


BROKEN = np.where(np.arange(20) == 7, np.nan, 1.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"T": BROKEN}, "T holds NaN at 1 of 20 points, first 7"),
        ({"k": np.where(np.arange(20) > 17, np.inf, 1.0)}, "k holds infinity at 2 of 20 points"),
        ({"U": None}, "unknown field 'U'"),
        ({"U": np.ones((20, 3))}, "U has 3 components, expected 2"),
        ({"U": np.ones(20)}, "U has no components, expected 2"),
        ({"speed": None}, "its number 'speed' is missing"),
        ({"points": np.random.default_rng(0).random((20, 3))}, "z differs by 0.9.* taken as flat"),
    ],
)
def test_what_does_not_follow_the_plan_is_named(tmp_path, plan, changes, message):
    with pytest.raises(DataError, match=rf"new.npz: {message}"):
        read_sample(one(tmp_path, **changes), plan, {})


def test_a_flat_case_among_solid_ones_is_named(tmp_path):
    plan = plan_of(write_cases(tmp_path / "cases", 3, dim=3))
    with pytest.raises(DataError, match=r"new.npz: points in 2-D, expected x, y, z"):
        read_sample(one(tmp_path), plan, {})


def test_a_vector_that_leaves_the_plane_is_named(tmp_path):
    def lifted(seed, w):
        arrays = case(seed)
        x, u = (np.insert(arrays[name], 2, 0.0, axis=1) for name in ("points", "U"))
        u[:, 2] = w
        return arrays | {"points": x, "U": u}

    for i in range(3):
        write(tmp_path / "cases", f"c{i}", **lifted(i, 0.0))
    plan = plan_of(tmp_path / "cases")
    path = write(tmp_path, "new", **lifted(4, 0.5))
    with pytest.raises(DataError, match=r"U has a component z up to 0.5"):
        read_sample(Case(name="new", files=(path,)), plan, {})


def test_other_grids_and_times_are_named(tmp_path):
    x = np.stack(np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 3)), axis=-1)
    t = np.arange(24.0).reshape(2, 3, 4)
    for i in range(3):
        write(tmp_path / "cases", f"c{i}", points=x, T=t + i, times=[0.0, 1.0])
    plan = plan_of(tmp_path / "cases", outputs=["T"], inputs=["T"], time="all")

    def read(**arrays):
        return read_sample(Case(name="n", files=(write(tmp_path, "n", **arrays),)), plan, {})

    found = read(points=x, T=t, times=[0.0, 1.0])
    np.testing.assert_array_equal(found.outputs[..., 0], t.reshape(2, 12))
    np.testing.assert_array_equal(found.inputs[..., 0], t[0].reshape(12))  # of the first time
    with pytest.raises(DataError, match="2 times, 0 to 2, expected 2, 0 to 1; pass --time last"):
        read(points=x, T=t, times=[0.0, 2.0])
    with pytest.raises(DataError, match="grid 2 x 4, expected 3 x 4; or pass --no-grid"):
        read(points=x[:2], T=t[:, :2], times=[0.0, 1.0])


def test_steps_in_files_of_their_own_and_points_that_move(tmp_path):
    for name in ("a", "b", "c"):
        for step in range(3):
            write(tmp_path / name, f"s{step}", **case(1, T=np.full(20, float(step))))
    plan = plan_of(tmp_path, outputs=["T"], time="all")
    cases = find_cases(tmp_path).cases
    assert plan.times == (0.0, 1.0, 2.0)
    found = read_sample(cases[0], plan, {})
    np.testing.assert_array_equal(found.outputs[:, 0, 0], [0, 1, 2])
    write(tmp_path / "a", "s2", **case(1, points=case(2)["points"]))
    with pytest.raises(DataError, match="its points move with time; pass --time last"):
        read_sample(cases[0], plan, {})
    last = plan_of(tmp_path, outputs=["T"], time="last")
    np.testing.assert_array_equal(read_sample(cases[1], last, {}).outputs[:, 0], np.full(20, 2))


def test_several_files_of_one_mesh_are_one_case(tmp_path):
    for name in ("a", "b", "c"):
        write(tmp_path / name, "heat", **case(1, U=None, k=None))
        write(tmp_path / name, "flow", **case(1, T=None, speed=None))
    plan = plan_of(tmp_path)
    cases = find_cases(tmp_path).cases
    assert read_sample(cases[0], plan, {}).outputs.shape == (20, 3)
    write(tmp_path / "a", "flow", **case(1, num=9, T=None))
    with pytest.raises(DataError, match=r"heat.npz has other points \(20\) than flow.npz \(9\)"):
        read_sample(cases[0], plan, {})
    write(tmp_path / "b", "flow", **case(1))
    with pytest.raises(DataError, match=r"'T' is in heat.npz and in another file"):
        read_sample(cases[1], plan, {})


def test_patches_are_masks_inputs_and_where_a_field_exists(tmp_path, monkeypatch):
    wall = np.arange(20) < 5
    mesh = Mesh(
        points=case(0)["points"],
        point_fields={"T": case(0)["T"], "p": np.where(wall, 2.0, np.nan)},
        patches={"wall": wall, "inlet": ~wall},
        units={"p": "Pa"},
    )
    read = lambda path, time=None: mesh  # noqa: E731
    monkeypatch.setattr("llt.data.formats.read", read)
    write_cases(tmp_path, 3)
    plan = plan_of(tmp_path, outputs=["T", "p@wall"], inputs=["inlet"])
    assert plan.masks == ("wall", "inlet")
    assert [(f.name, f.mask, f.unit) for f in plan.problem.outputs] == [
        ("T", "", ""),
        ("p", "wall", "Pa"),
    ]
    one = find_cases(tmp_path).cases[0]
    found = read_sample(one, plan, {})
    np.testing.assert_array_equal(found.masks["wall"], wall)
    np.testing.assert_array_equal(found.inputs[:, 0], ~wall)
    np.testing.assert_array_equal(found.outputs[:, 1], np.where(wall, 2.0, 0.0))
    mesh = Mesh(points=mesh.points, point_fields=mesh.point_fields, patches={"wall": wall})
    with pytest.raises(DataError, match="unknown patch 'inlet'"):
        read_sample(one, plan, {})
    mesh = Mesh(
        points=mesh.points,
        point_fields=mesh.point_fields,
        patches={"wall": wall, "inlet": ~wall},
        units={"p": "kPa"},
    )
    with pytest.raises(DataError, match="p is in kPa, in others in Pa"):
        read_sample(one, plan, {})


def test_cells_stand_for_their_centers(tmp_path, monkeypatch):
    x = case(0)["points"]
    mesh = Mesh(points=x, cell_fields={"q": np.arange(9.0)}, centers=x[:9] + 0.1)
    monkeypatch.setattr("llt.data.formats.read", lambda path, time=None: mesh)
    write_cases(tmp_path, 3)
    plan = plan_of(tmp_path, outputs=["q"])
    assert plan.location == samples.CELLS
    found = read_sample(find_cases(tmp_path).cases[0], plan, {})
    np.testing.assert_array_equal(found.points, (x[:9] + 0.1).astype(np.float32))
    mesh = Mesh(points=x, point_fields={"q": np.arange(20.0)})
    with pytest.raises(DataError, match="no cells, while cells are asked for"):
        read_sample(find_cases(tmp_path).cases[0], plan, {})


def test_patches_of_cells_are_masks_and_inputs(tmp_path, monkeypatch):
    x, wall = case(0)["points"], np.arange(9) < 4
    mesh = Mesh(
        points=x,
        cell_fields={"q": np.where(wall, 1.0, np.nan)},
        centers=x[:9] + 0.1,
        patches={"wall": np.ones(20, bool)},
        cell_patches={"wall": wall},
    )
    monkeypatch.setattr("llt.data.formats.read", lambda path, time=None: mesh)
    write_cases(tmp_path, 3)
    plan = plan_of(tmp_path, outputs=["q@wall"], inputs=["wall"])
    found = read_sample(find_cases(tmp_path).cases[0], plan, {})
    assert plan.masks == ("wall",)
    np.testing.assert_array_equal(found.masks["wall"], wall)
    np.testing.assert_array_equal(found.inputs[:, 0], wall)
    np.testing.assert_array_equal(found.outputs[:, 0], wall)


def test_one_layer_of_cells_is_a_plane(tmp_path, monkeypatch):
    flat = np.insert(case(0)["points"], 2, 0.5, axis=1)
    thick = np.concatenate([flat + np.array([0, 0, dz]) for dz in (-0.5, 0.5)])
    fields = {"point_fields": {"T": thick[:, 0]}, "cell_fields": {"q": flat[:, 0]}}
    mesh = Mesh(points=thick, centers=flat, **fields)
    monkeypatch.setattr("llt.data.formats.read", lambda path, time=None: mesh)
    write_cases(tmp_path, 3)
    assert plan_of(tmp_path, outputs=["q"]).axes == "xy"
    assert plan_of(tmp_path, outputs=["T"]).axes == "xyz"


def test_duplicated_points_are_counted():
    assert num_duplicates(np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]])) == 1
