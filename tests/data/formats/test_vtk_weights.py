"""Volumes, areas and normals of meshes, shared out among points and cells."""

import numpy as np
import pytest

from llt.data import formats
from llt.errors import DataError

pyvista = pytest.importorskip("pyvista")


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    """3 x 4 x 10, left-handed: its cells are inside out."""
    mesh = pyvista.ImageData(dimensions=(4, 5, 6), spacing=(1, 1, 2)).cast_to_unstructured_grid()
    mesh.points[:, 0] *= -1
    mesh.point_data["top"] = (mesh.points[:, 2] > 9.9).astype(float)
    path = tmp_path_factory.mktemp("box") / "box.vtu"
    mesh.save(path)
    return path


@pytest.mark.parametrize("cells", [False, True])
def test_a_volume_and_its_boundary(box, cells):
    mesh = pyvista.read(box)
    x = mesh.cell_centers().points if cells else mesh.points
    whole = formats.weights(box, None, cells=cells)
    assert whole.sizes.shape == (len(x),)
    assert whole.sizes.sum() == pytest.approx(120)
    assert whole.sizes @ x == pytest.approx([-180, 240, 600])
    outside = formats.weights(box, "", cells=cells)
    assert outside.sizes.sum() == pytest.approx(2 * (12 + 30 + 40))
    assert np.abs(outside.normals.sum(axis=0)).max() < 1e-9
    top = formats.weights(box, "top", cells=cells)
    assert top.normals.sum(axis=0) == pytest.approx([0, 0, 12])
    assert not outside.body


def test_the_divergence_theorem_holds(box):
    outside = formats.weights(box, "", cells=False)
    assert (outside.normals * pyvista.read(box).points).sum() == pytest.approx(3 * 120)


def test_the_boundary_of_a_plane_are_its_edges(tmp_path):
    mesh = pyvista.Plane(i_resolution=3, j_resolution=4, i_size=2).rotate_x(90)
    mesh.save(tmp_path / "plane.vtp")
    edges = formats.weights(tmp_path / "plane.vtp", "", cells=False)
    assert edges.sizes.sum() == pytest.approx(6)
    points = formats.read(tmp_path / "plane.vtp").points
    assert (edges.normals * points).sum() == pytest.approx(2 * 2)


@pytest.mark.parametrize("flip", [False, True])
def test_a_body_has_normals_out_of_it(tmp_path, flip):
    mesh = pyvista.Sphere(radius=2, center=(5, 0, 0))
    if flip:
        mesh.faces = mesh.faces.reshape(-1, 4)[:, [0, 1, 3, 2]].ravel()
    mesh.save(tmp_path / "body.stl")
    found = formats.weights(tmp_path / "body.stl", "", cells=False)
    points = formats.read(tmp_path / "body.stl").points
    assert found.body
    assert (found.normals * points).sum() / 3 == pytest.approx(8 * np.pi * 4 / 3, rel=0.03)


def test_points_alone_have_no_sizes(tmp_path):
    (tmp_path / "points.csv").write_text("x,y\n0,0\n1,1\n")
    with pytest.raises(DataError, match=r"points.csv: has no cells"):
        formats.weights(tmp_path / "points.csv", None, cells=False)
    pyvista.PolyData(np.random.default_rng(0).random((5, 3))).save(tmp_path / "cloud.vtp")
    with pytest.raises(DataError, match=r"cloud.vtp: .*has no cells"):
        formats.weights(tmp_path / "cloud.vtp", None, cells=False)


def test_a_patch_without_faces(tmp_path):
    mesh = pyvista.ImageData(dimensions=(4, 4, 4)).cast_to_unstructured_grid()
    mesh.point_data["inside"] = np.zeros(mesh.n_points)
    mesh.save(tmp_path / "box.vtu")
    with pytest.raises(DataError, match="no face of the boundary has all its corners on the pat"):
        formats.weights(tmp_path / "box.vtu", "inside", cells=False)
