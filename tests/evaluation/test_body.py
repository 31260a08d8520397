"""Surfaces of bodies, found from their points alone."""

import numpy as np
import pytest
from matplotlib.collections import PathCollection, PolyCollection

from llt.evaluation.body import body_triangles
from llt.evaluation.panels import Panel, field_scale, panel_figure


def on_ellipsoid(num=400, seed=0):
    x = np.random.default_rng(seed).normal(size=(num, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True) * [1.0, 0.8, 2.5] + 7


def test_triangles_close_the_surface_and_face_outward():
    x = on_ellipsoid()
    triangles = body_triangles(x)
    assert triangles.shape == (2 * len(x) - 4, 3)  # Euler's of a closed surface
    assert len(np.unique(triangles)) == len(x)
    a, b, c = np.moveaxis(x[triangles] - 7, 1, 0)
    volume = np.einsum("td,td->t", np.cross(a, b), c) / 6
    assert (volume > 0).all()
    assert volume.sum() == pytest.approx(4 / 3 * np.pi * 0.8 * 2.5, rel=0.06)


@pytest.mark.parametrize(
    "points",
    [
        np.random.default_rng(0).random((500, 3)),  # of a volume
        np.random.default_rng(0).random((500, 3)) * [1, 1, 0],  # in a plane
        on_ellipsoid(20),
        np.concatenate([on_ellipsoid(), np.full((1, 3), 7.0), [[4.5, 5, 4], [9.5, 9, 10]]]),
    ],
    ids=["volume", "plane", "few", "middle"],
)
def test_points_of_no_surface_have_no_triangles(points):
    assert body_triangles(points) is None


def kinds(panel):
    (axes, _) = panel_figure(panel).axes
    return [type(part) for part in axes.collections]


def test_a_part_of_a_mesh_in_space_is_drawn_as_a_body_where_it_is_one():
    x = on_ellipsoid()
    scale = field_scale(x[:, 0], x[:, 0])
    assert PolyCollection in kinds(Panel(x, x[:, 0], scale, dots=True))
    assert kinds(Panel(x, x[:, 0], scale)) == [PathCollection]
    loose = np.random.default_rng(0).random((500, 3))
    assert kinds(Panel(loose, loose[:, 0], scale, dots=True)) == [PathCollection]


def test_only_triangles_toward_the_viewer_are_drawn():
    x = on_ellipsoid()
    (axes, _) = panel_figure(Panel(x, x[:, 0], field_scale(x[:, 0], x[:, 0]), dots=True)).axes
    (body,) = [part for part in axes.collections if isinstance(part, PolyCollection)]
    assert 0.4 < len(body.get_paths()) / (2 * len(x) - 4) < 0.6
