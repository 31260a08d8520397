"""Meshes of many blocks as one."""

import numpy as np
import pytest

from llt.data.formats.blocks import dimension, one_mesh
from llt.errors import DataError

pv = pytest.importorskip("pyvista")


def box(shift, **arrays):
    found = pv.ImageData(dimensions=(2, 2, 2), origin=(shift, 0, 0)).cast_to_unstructured_grid()
    for name, value in arrays.items():
        found.point_data[name] = np.full(8, value)
    return found


def wall(x):
    return pv.PolyData(np.array([[x, 0, 0], [x, 1, 0], [x, 1, 1], [x, 0, 1.0]]), [4, 0, 1, 2, 3])


def test_blocks_of_the_highest_dimension_are_the_mesh():
    zone = pv.MultiBlock({"a": box(0), "wall": wall(0)})
    tree = pv.MultiBlock({"zone": zone, "b": box(2)})
    found = one_mesh(tree)
    assert (found.data.n_points, found.data.n_cells) == (16, 2)
    assert [*found.patches] == ["a", "b", "wall"] and not found.left_out
    np.testing.assert_array_equal(found.data.points[found.patches["b"]], box(2).points)
    assert (found.data.points[found.patches["wall"]][:, 0] == 0).all()
    assert found.patches["wall"].sum() == 4


def test_a_patch_along_two_zones_is_one():
    tree = [
        pv.MultiBlock({"zone": box(0), "wall": wall(0)}),
        pv.MultiBlock({"zone": box(2), "wall": wall(3)}),
    ]
    found = one_mesh(pv.MultiBlock(tree))
    assert [*found.patches] == ["zone", "zone_2", "wall"]
    assert {*found.data.points[found.patches["wall"]][:, 0]} == {0.0, 3.0}


def test_what_does_not_fit_is_left_out_and_said():
    away = pv.Plane(center=(9, 9, 9))
    tree = pv.MultiBlock({"a": box(0, p=1.0, k=2.0), "b": box(2, p=3.0), "plane": away})
    found = one_mesh(tree)
    assert {*np.asarray(found.data.point_data["p"])} == {1.0, 3.0}
    assert found.left_out == {
        "k": "not in all blocks of the mesh",
        "plane": "a block of a lower dimension whose points are not the mesh's",
    }


def test_one_block_stays_what_it_is():
    grid = pv.StructuredGrid(*np.meshgrid([0.0, 1], [0.0, 1], [0.0, 1]))
    assert isinstance(one_mesh(pv.MultiBlock([pv.MultiBlock([grid])])).data, pv.StructuredGrid)
    with pytest.raises(DataError, match="no points in it"):
        one_mesh(pv.MultiBlock([pv.PolyData()]))


def test_dimensions():
    line = pv.Line()
    assert [dimension(m) for m in (box(0), pv.Plane(), line, pv.PolyData(np.eye(3)))] == [
        3,
        2,
        1,
        0,
    ]
