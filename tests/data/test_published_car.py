"""The reader of the published cars, on small files of the same layout."""

import os
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from scipy.spatial import ConvexHull

from llt.cli import main
from llt.data import dataset_file
from llt.data.formats import process
from llt.data.published import car, import_published, read_published
from llt.data.published.car_mesh import SURFACE, VOLUME, read_surface, same_places
from llt.errors import ConfigError, DataError

pv = pytest.importorskip("pyvista")

N = 4  # hexahedra along an edge of the box of air; the car is the 2 x 2 x 2 of them in its middle
NAMES = {"param0": "ba", "param3": "bcda"}  # cars of folds, in the order in which they are made


def box(seed=0):
    """Corners of crooked hexahedra and what they are made of: points (125, 3), cells (64, 8)."""
    axes = np.meshgrid(*[np.linspace(-2, 2, N + 1)] * 3, indexing="ij")
    points = np.stack(axes, axis=-1).reshape(-1, 3)
    points += np.random.default_rng(seed).uniform(-0.2, 0.2, points.shape)
    number = np.arange((N + 1) ** 3).reshape(N + 1, N + 1, N + 1)
    i, j, k = (z.reshape(-1) for z in np.meshgrid(*[np.arange(N)] * 3, indexing="ij"))
    ring = ((0, 0), (1, 0), (1, 1), (0, 1))
    cells = [number[i + a, j + b, k + c] for c in (0, 1) for a, b in ring]
    return points.astype(np.float32), np.stack(cells, axis=1), number


def car_quads(number):
    """The faces of the cube in the middle, turned any way: (24, 4)."""
    middle = number[1:4, 1:4, 1:4]
    faces = []
    for axis in range(3):
        for side in (0, 2):
            f = np.moveaxis(middle, axis, 0)[side]
            faces += [
                (f[a, b], f[a + 1, b], f[a + 1, b + 1], f[a, b + 1]) for a in (0, 1) for b in (0, 1)
            ]
    return np.array(faces)


def make_car(seed=0):
    """Surface and volume: of the 26 surface points 24 are in the volume, too; one is in no quad."""
    rng = np.random.default_rng(seed)
    points, cells, number = box(seed)
    quads = car_quads(number)
    used = np.unique(quads)
    own = np.zeros(len(points), int)
    own[used] = np.arange(len(used))
    on_car = np.concatenate([points[used], [[9, 9, 9]]]).astype(np.float32)
    surface = pv.UnstructuredGrid({9: own[quads]}, on_car)
    surface.point_data["p"] = rng.normal(size=len(on_car)).astype(np.float32)
    surface.point_data.active_scalars_name = "p"
    points[used[:2]] += np.float32(0.01)
    volume = pv.UnstructuredGrid({12: cells}, points)
    volume.point_data["v"] = rng.normal(size=points.shape).astype(np.float32)
    volume.point_data.active_vectors_name = "v"
    return surface, volume


def write_car(folder, seed=0, *, binary=True):
    folder.mkdir(parents=True)
    surface, volume = make_car(seed)
    surface.save(folder / SURFACE, binary=binary)
    volume.save(folder / VOLUME, binary=binary)


@pytest.fixture
def folder(tmp_path):
    """Two cars a fold, four in param3, and one that lacks its pressure."""
    seed = 0
    for fold in car.FOLDS:
        for name in NAMES.get(fold, "ab"):
            write_car(tmp_path / "data" / fold / name, seed, binary=seed % 2 == 0)
            seed += 1
    write_car(tmp_path / "data" / "param3" / "incomplete")
    (tmp_path / "data" / "param3" / "incomplete" / SURFACE).unlink()
    (tmp_path / "data" / "param3" / "notes.txt").write_text("not a car")
    return tmp_path / "data"


@pytest.fixture
def one_car(tmp_path):
    write_car(tmp_path / "a")
    return tmp_path / "a"


@pytest.fixture
def in_process(monkeypatch):
    """A process of its own takes seconds to start."""
    monkeypatch.setattr(process, "call", lambda path, read, *args: read(*args))


def test_param0_tests_and_the_last_cars_of_the_others_validate(folder, in_process):
    data = read_published("car", folder, validation_share=0.3)
    names = [name.decode() for name in data.records["name"]]
    assert names[:2] == ["param0/a", "param0/b"] and len(names) == len(data) == 20
    of = {split: [names[i] for i in data.splits[split]] for split in ("train", "val", "test")}
    assert of["test"] == ["param0/a", "param0/b"]
    others = [fold for fold in car.FOLDS[1:] if fold != "param3"]
    assert of["val"] == sorted([*(f"{f}/b" for f in others), "param3/c", "param3/d"])
    assert of["train"] == sorted([*(f"{f}/a" for f in others), "param3/a", "param3/b"])
    assert data.provenance["skipped"] == ["param3/incomplete"]
    assert [f["name"] for f in data.provenance["files"]] == [*car.FOLDS]
    assert data.provenance["files"][3]["shape"] == [4]


def test_a_sample_has_the_air_first_then_the_car(one_car):
    sample, (surface, volume) = car.read_one(one_car), make_car(0)
    on_car = np.asarray(surface.points)
    outside = [x for x in np.asarray(volume.points) if not (x == on_car).all(axis=1).any()]
    assert (len(outside), len(on_car)) == (125 - 24, 27)
    np.testing.assert_array_equal(sample.points, [*outside, *on_car])
    np.testing.assert_array_equal(np.flatnonzero(sample.masks["surface"]), 101 + np.arange(27))
    np.testing.assert_array_equal(sample.outputs[101:, 3], surface.point_data["p"])
    velocity = {tuple(x): v for x, v in zip(volume.points, volume.point_data["v"], strict=True)}
    expected = [velocity.get(tuple(x), np.zeros(3)) for x in sample.points]
    np.testing.assert_array_equal(sample.outputs[:, :3], expected)
    assert (sample.outputs[101:, :3] == 0).all(axis=1).sum() == 3


def test_inputs_are_distance_and_direction_or_normal(one_car):
    sample, surface = car.read_one(one_car), make_car(0)[0]
    for x, a in zip(sample.points[:101], sample.inputs[:101], strict=True):
        away = np.linalg.norm(surface.points - x, axis=1)
        nearest = surface.points[away.argmin()]
        np.testing.assert_allclose(a, [away.min(), *(x - nearest) / away.min()], atol=1e-5)
    normals = sample.inputs[101:, 1:]
    assert (sample.inputs[101:, 0] == 0).all()
    assert (normals[-1] == 0).all()  # in no quad
    np.testing.assert_allclose(np.linalg.norm(normals[:-1], axis=1), 1, rtol=1e-5)
    outward = sample.points[101:-1] - sample.points[101:-1].mean(axis=0)
    assert ((normals[:-1] * outward).sum(axis=1) > 0).all()


def literatures_drag(surface, velocity, pressure):
    """Quad by quad, as the public script writes it."""
    force = 0.0
    x = np.asarray(surface.points, float)
    for quad, normal in zip(surface.quads, surface.normals, strict=True):
        (p1, p2, p3, p4), (u1, u2, u3, u4) = x[quad], velocity[quad, 2]
        one, two = np.cross(p2 - p1, p3 - p1), np.cross(p3 - p1, p4 - p1)
        area = 0.5 * (np.linalg.norm(one) + np.linalg.norm(two))
        slope = (u2 - u1 + u3 - u4) / (np.linalg.norm(p2 - p1 + p3 - p4) + 1e-8)
        slope += (u3 - u1 + u4 - u2) / (np.linalg.norm(p3 - p1 + p4 - p2) + 1e-8)
        slope += (u4 - u1 + u2 - u3) / (np.linalg.norm(p4 - p1 + p2 - p3) + 1e-8)
        force -= (pressure[quad].mean() + 1.8e-5 * slope) * area * normal[2]
    return 2 / ((72 / 3.6) ** 2 * ConvexHull(x[:, :2]).volume * 0.3) * force


def test_the_drag_is_the_literatures_and_a_weighted_sum(one_car, monkeypatch):
    monkeypatch.setattr(car, "VISCOSITY", 1.8)  # then friction is seen
    sample = car.read_one(one_car)
    mesh = read_surface(one_car / SURFACE)
    u = sample.outputs[101:].astype(float)
    smooth = literatures_drag(mesh, u * 0, u[:, 3])
    full = literatures_drag(mesh, 1e5 * u, u[:, 3])
    np.testing.assert_allclose(sample.derived, full, rtol=1e-4)
    assert abs(full - smooth) > 0.01 * abs(full)
    weights = sample.weights
    assert weights.keys() == {"drag/pressure", "drag/velocity_z"}
    total = weights["drag/pressure"] @ sample.outputs[:, 3]
    total += weights["drag/velocity_z"] @ sample.outputs[:, 2]
    np.testing.assert_allclose(total, sample.derived[0], rtol=1e-4)
    assert all((z[:101] == 0).all() for z in weights.values())


def test_a_constant_pressure_gives_no_drag(one_car):
    sample = car.read_one(one_car)
    weights = sample.weights["drag/pressure"]
    assert abs(weights.sum()) < 0.02 * np.abs(weights).sum()


def test_the_command_writes_car_by_car(folder, tmp_path, capsys):
    out = tmp_path / "car.h5"
    assert main(["import", "car", str(folder.parent), "-o", str(out)]) == 0
    told = capsys.readouterr().err
    assert "left out, since a file is missing: 1 (param3/incomplete)" in told
    data = dataset_file.read(out)
    np.testing.assert_array_equal(
        data.sample(19).outputs, car.read_one(folder / "param8" / "b").outputs
    )
    assert [len(data.splits[k]) for k in ("train", "val", "test")] == [10, 8, 2]
    with h5py.File(out) as file:
        assert file["weights/drag/pressure"].shape == (20, 128)


def test_no_more_than_one_car_is_read_at_a_time(folder, in_process, monkeypatch):
    asked = []

    def call(path, read, *args):
        asked.append(path.name)
        return read(*args)

    monkeypatch.setattr(process, "call", call)
    stream = car.read_car(folder)
    assert not asked
    next(stream.samples)
    assert asked == ["a"]
    stream.samples.close()


def test_a_car_that_crashes_vtk_is_named(folder, monkeypatch):
    """As damaged files do, some of them now and then."""
    call = process.call
    monkeypatch.setattr(process, "call", lambda path, read, *args: call(path, os.abort))
    with pytest.raises(DataError, match="param0/a: damaged; the library that reads it crashed"):
        read_published("car", folder)


def damage(path, change):
    mesh = pv.read(path)
    change(mesh)
    mesh.save(path)


def put(name, index, value):
    def change(mesh):
        mesh.point_data[name][index] = value

    return change


def shift(mesh):
    mesh.points += 0.5


def collide(mesh):
    mesh.points[5] = mesh.points[4]


def drop(mesh):
    mesh.clear_point_data()
    mesh.cell_data["q"] = np.zeros(mesh.n_cells)


def stray(mesh):
    mesh.cell_connectivity[3] = 999


def triangles(mesh):
    whole = pv.UnstructuredGrid({5: np.array([[0, 1, 2]])}, mesh.points)
    whole.point_data["p"] = mesh.point_data["p"]
    mesh.deep_copy(whole)


BROKEN = {
    "a corner of the car": (SURFACE, stray, "cells have corners 0 to 999, there are 27 points"),
    "a corner in the air": (VOLUME, stray, "cells have corners 0 to 999, there are 125 points"),
    "triangles": (SURFACE, triangles, "1 cells of VTK's types 5 with 3 corners, expected quads"),
    "nan pressure": (SURFACE, put("p", 3, np.nan), "pressure has NaN or infinity at 1 points"),
    "infinite velocity": (VOLUME, put("v", 7, np.inf), "at 1 points, first 7"),
    "another car": (VOLUME, shift, "none of the 125 points of hexvelo_smpl.vtk lie on the 27 of"),
    "a place twice": (SURFACE, collide, "points 4 and 5 are at the same place"),
    "a place twice in the air": (VOLUME, collide, "points 4 and 5 are at the same place"),
    "no pressure": (SURFACE, drop, "no pressure, SCALARS of POINT_DATA; arrays there: none"),
    "no velocity": (VOLUME, drop, "no velocity, VECTORS of POINT_DATA; arrays there: none"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_file_is_named_with_its_fault(one_car, fault):
    name, change, message = BROKEN[fault]
    damage(one_car / name, change)
    with pytest.raises(DataError) as caught:
        car.read_one(one_car)
    assert message in str(caught.value) and str(one_car) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("name", [SURFACE, VOLUME])
def test_a_truncated_file_is_never_read_as_numbers(tmp_path, name, binary, capfd):
    """VTK itself fills in what happens to be in memory."""
    whole = tmp_path / "whole"
    write_car(whole, binary=binary)
    content = (whole / name).read_bytes()
    for share in (0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98):
        (whole / name).write_bytes(content[: int(share * len(content))])
        with pytest.raises(DataError) as caught:
            car.read_one(whole)
        assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_no_file_at_all_is_read_in_any_other_way(tmp_path):
    write_car(tmp_path / "a")
    (tmp_path / "a" / SURFACE).write_text(
        "# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\n"
    )
    with pytest.raises(DataError, match="no legacy VTK file of an unstructured grid"):
        car.read_one(tmp_path / "a")


def test_missing_folds_and_empty_ones_are_named(folder, tmp_path):
    for path in (folder / "param5").iterdir():
        for file in path.iterdir():
            file.unlink()
    with pytest.raises(DataError, match=r"param5: no folder with quadpress_smpl.vtk and hexvelo"):
        read_published("car", folder)
    for path in (folder / "param5").iterdir():
        path.rmdir()
    (folder / "param5").rmdir()
    with pytest.raises(DataError, match="param5: no such folder; the benchmark consists of param0"):
        read_published("car", folder)
    with pytest.raises(DataError, match="param0: no such folder"):
        read_published("car", tmp_path / "data" / "param1")


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
def test_some_cars_must_validate_and_some_train(folder, share):
    with pytest.raises(ConfigError, match=r"validation_share=.* must be between 0 and 1"):
        read_published("car", folder, validation_share=share)
    with pytest.raises(DataError, match="18 cars validate, none is left to train"):
        read_published("car", folder, validation_share=0.99)


def test_without_pyvista_one_line_says_what_to_install(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyvista", None)
    assert main(["import", "car", str(folder), "-o", str(tmp_path / "car.h5")]) == 2
    told = capsys.readouterr().err.strip()
    assert "pip install 'llt[cae]'" in told and "\n" not in told
    assert not Path(tmp_path / "car.h5").exists()


def test_a_damaged_car_leaves_no_file(folder, in_process, tmp_path):
    (folder / "param8" / "b" / VOLUME).write_text("nothing")
    with pytest.raises(DataError, match="param8/b"):
        import_published("car", folder, tmp_path / "car.h5")
    assert not (tmp_path / "car.h5").exists()


def test_places_are_the_same_only_where_all_coordinates_are():
    a = np.array([[0.0, 0, 0], [1, 2, 3], [4, 5, 6]])
    b = np.array([[4.0, 5, 6], [1, 2, 3.0000001], [-0.0, 0, 0]])
    assert same_places(a, b).tolist() == [2, -1, 0]
