"""A panel shows its values where they are, on a scale that says what is beyond it."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from llt.evaluation.panels import (
    OVER,
    UNDER,
    Panel,
    error_scale,
    field_scale,
    find_view,
    input_scale,
    panel_figure,
    project,
    surface,
)

RNG = np.random.default_rng(0)


def drawn(panel):
    return panel_figure(panel).axes[0].collections[0]


def test_fields_on_a_grid_are_shaded_where_the_points_are():
    y, x = np.meshgrid(np.linspace(0, 2, 4), np.linspace(0, 1, 5), indexing="ij")
    points, values = np.stack([x.ravel(), y.ravel()], axis=1), RNG.random(20)
    shown = drawn(Panel(points, values, field_scale(values, values), grid=(4, 5)))
    np.testing.assert_allclose(np.ravel(shown.get_array()), values)
    np.testing.assert_allclose(shown.get_coordinates().reshape(-1, 2), points)


def test_fields_of_few_values_are_cells_of_as_many_colors():
    y, x = np.meshgrid(np.arange(4.0), np.arange(5.0), indexing="ij")
    points, values = np.stack([x.ravel(), y.ravel()], axis=1), np.where(RNG.random(20) > 0.5, 12, 3)
    scale = input_scale(values)
    assert scale.ticks == (3.0, 12.0)
    shown = drawn(Panel(points, values, scale, grid=(4, 5)))
    corners = shown.get_coordinates()
    assert corners.shape == (5, 6, 2)  # of cells around the points
    np.testing.assert_allclose(corners[0, 0], [-0.5, -0.5])
    np.testing.assert_allclose(corners[-1, -1], [4.5, 3.5])
    assert len({to_hex(scale.colors(scale.norm(value))) for value in values.tolist()}) == 2
    assert input_scale(RNG.random(20)).ticks == ()


def test_a_prediction_beyond_the_reference_stands_out():
    reference = np.array([0.0, 1.0])
    cases = [([0, 1.005], "neither"), ([0, 1.2], "max"), ([-0.2, 1], "min"), ([-0.2, 1.2], "both")]
    for shown, extend in cases:
        scale = field_scale(reference, np.array(shown))
        assert scale.extend == extend
        assert to_hex(scale.colors(scale.norm(1.2))) == OVER
        assert to_hex(scale.colors(scale.norm(-0.2))) == UNDER
        assert to_hex(scale.colors(scale.norm(1.0))) not in (OVER, UNDER)


def test_errors_are_white_where_there_are_none():
    scale = error_scale(2.0, np.array([-1.0, 3.0]))
    assert scale.extend == "max" and (scale.norm.vmin, scale.norm.vmax) == (-2, 2)
    assert min(scale.colors(scale.norm(0.0))[:3]) > 0.95


def test_a_constant_field_has_a_scale():
    values = np.full(5, 3.0)
    assert field_scale(values, values).extend == "neither"
    assert input_scale(values).norm.vmin < input_scale(values).norm.vmax


def test_point_sets_are_surfaces_with_their_holes_open():
    points = RNG.uniform(-1, 1, (1500, 2))
    points = points[np.hypot(*points.T) > 0.5]
    mesh = surface(points)
    centers = points[mesh.triangles[~mesh.mask]].mean(axis=1)
    assert np.hypot(*centers.T).min() > 0.4
    values = points[:, 0]
    shown = drawn(Panel(points, values, field_scale(values, values)))
    assert len(shown.get_array()) == len(points)


def test_points_on_curves_are_dots():
    angle = np.linspace(0, 6.2, 60)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert surface(circle) is None
    assert surface(np.stack([angle, angle], axis=1)) is None
    assert surface(circle[:2]) is None
    scale = field_scale(angle, angle)
    np.testing.assert_allclose(drawn(Panel(circle, angle, scale)).get_offsets(), circle)
    cloud = RNG.random((60, 2))
    assert drawn(Panel(cloud, angle, scale, dots=True)).get_offsets().shape == (60, 2)


def test_in_space_near_points_are_drawn_last_and_larger():
    points = RNG.random((50, 3)) * [1, 5, 2]
    view = find_view([points])
    assert view.axes == (1, 2, 0)  # the longest lies, the shortest stands
    flat, near = project(points, view.axes)
    shown = drawn(Panel(points, near, field_scale(near, near), view=view))
    np.testing.assert_allclose(shown.get_array(), np.sort(near))
    np.testing.assert_allclose(shown.get_offsets(), flat[np.argsort(near)])
    assert (np.diff(shown.get_sizes()) >= 0).all()


def test_a_far_field_is_left_out_of_view():
    points = np.concatenate([RNG.random((99, 2)), [[40, 40]]])
    view = find_view([points], (np.zeros(2), np.ones(2)))
    np.testing.assert_allclose([view.low, view.high], [[0, 0], [1, 1]])
    whole = find_view([points[:-1]], (np.zeros(2), np.full(2, 0.5)))
    np.testing.assert_allclose([whole.low, whole.high], [points[:-1].min(0), points[:-1].max(0)])


def test_units_stand_at_the_color_scale():
    values = RNG.random(30)
    figure = panel_figure(Panel(RNG.random((30, 2)), values, field_scale(values, values), "m/s"))
    picture, bar = figure.axes
    assert bar.get_xlabel() == "m/s"
    assert (picture.get_xlabel(), picture.get_ylabel()) == ("x", "y")


@pytest.mark.parametrize("grid", [(1, 5), (5, 1)])
def test_grids_of_one_line_can_be_drawn(grid):
    points, values = np.stack([np.arange(5.0)] * 2, axis=1), np.array([1.0, 2, 1, 2, 1])
    panel_figure(Panel(points, values, input_scale(values), grid=grid)).canvas.draw()
