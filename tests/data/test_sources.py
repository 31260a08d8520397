"""Batches gathered on the device, and symmetries applied to them."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.data.augmentation import Augmentation
from llt.data.neighbors import radius_graph
from llt.data.sources import DeviceSource
from llt.errors import DataError
from llt.problem import PROBLEMS, Symmetry
from tests.conftest import geometry_only

CPU = torch.device("cpu")


def test_items_are_the_samples_of_the_split(darcy_data):
    part = DeviceSource(darcy_data, darcy_data.split("test"), CPU)
    batch = part.batch(torch.tensor([1, 0]))
    np.testing.assert_array_equal(batch.u, darcy_data.outputs[[11, 10]])
    np.testing.assert_array_equal(batch.x[1], darcy_data.points)


def test_timed_items_count_samples_times_times():
    from tests.data.test_dataset import timed

    data = timed()
    part = DeviceSource(data, data.split("train"), CPU)
    assert part.num_items == 18
    batch = part.batch(torch.tensor([8]))  # sample 1 at time 2
    np.testing.assert_array_equal(batch.a[0], data.inputs[1])
    np.testing.assert_array_equal(batch.u[0], data.outputs[1, 2])
    assert batch.t.item() == pytest.approx(0.4)


def test_ragged_samples_are_padded_with_mask_and_graph(ragged_data):
    part = DeviceSource(ragged_data, np.array([0, 3]), CPU, radius=0.3, max_neighbors=5)
    batch = part.batch(torch.tensor([0, 1]))
    assert batch.mask.sum(1).tolist() == [20, 29]
    assert (batch.neighbors[0, 20:] == -1).all()
    assert (batch.neighbors[:, :20, 0] == torch.arange(20)).all()
    np.testing.assert_array_equal(batch.u[0, :20], ragged_data.sample(0).outputs)


def test_ragged_samples_keep_their_own_mask_and_graph(ragged_data):
    part = DeviceSource(ragged_data, np.array([3, 0]), CPU, radius=0.3, max_neighbors=5)
    batch = part.batch(torch.tensor([1, 1, 0]))
    assert batch.mask.sum(1).tolist() == [20, 20, 29]
    for row, index in enumerate((0, 0, 3)):
        points = ragged_data.sample(index).points
        graph = radius_graph(points, 0.3, 5)
        np.testing.assert_array_equal(batch.x[row, : len(points)], points)
        np.testing.assert_array_equal(batch.neighbors[row, : len(points)], graph)


def test_points_of_every_sample_are_its_own():
    data = geometry_only()
    batch = DeviceSource(data, data.split("test"), CPU).batch(torch.tensor([1, 0]))
    np.testing.assert_array_equal(batch.x, data.points[[7, 6]])


def test_symmetry_group_of_the_square_is_closed(darcy_data):
    """Applying two symmetries one after the other gives a third, on fields and coordinates."""
    augmentation = Augmentation(DeviceSource(darcy_data, np.arange(1), CPU))
    assert augmentation.num_symmetries == 8
    orders = {tuple(row.tolist()) for row in augmentation.order}
    assert len(orders) == 8
    assert {tuple(p[q].tolist()) for p in augmentation.order for q in augmentation.order} == orders


def test_square_symmetries_leave_the_mesh_in_place(darcy_data):
    """Fields and coordinates move together, so the coordinates come back to where they were."""
    augmentation = Augmentation(DeviceSource(darcy_data, np.arange(1), CPU))
    assert not augmentation.moves_points


def test_flip_and_swap_do_what_their_names_say(darcy_data):
    part = DeviceSource(darcy_data, np.arange(8), CPU)
    augmentation = Augmentation(part)
    names = ["identity", *(s.name for s in darcy_data.problem.symmetries)]
    batch = part.batch(torch.zeros(3, dtype=torch.long))
    choice = torch.tensor([names.index(n) for n in ("left-right", "up-down", "swap")])
    image = darcy_data.inputs[0, :, 0].reshape(9, 9)
    expected = [image[:, ::-1], image[::-1], image.T]
    for got, want in zip(augmentation(batch, choice).a, expected, strict=True):
        np.testing.assert_array_equal(got.reshape(9, 9), want)


def test_coordinates_of_a_body_fitted_mesh_move_with_the_symmetry():
    """Pipe: mirrored about the axis, the mesh is that of the mirrored pipe."""
    from llt.data.collate import collate
    from llt.data.dataset import Sample
    from llt.data.splits import Splits

    i, j = np.meshgrid(np.linspace(0, 10, 129), np.linspace(-0.5, 0.5, 129), indexing="ij")

    def pipe(sign):
        x = np.stack([i, sign * np.sin(i) + j], axis=-1).reshape(-1, 2)
        u = (j + sign * 0.1 * i)[..., None].reshape(-1, 1)  # odd under the mirror, for the test
        return Sample(x, np.empty((len(x), 0)), u)

    data = collate(PROBLEMS["pipe"], [pipe(1), pipe(-1)], Splits.consecutive(2, 0, 0))
    part = DeviceSource(data, np.arange(2), CPU)
    batch = part.batch(torch.tensor([0]))
    mirrored = Augmentation(part)(batch, torch.tensor([1]))
    torch.testing.assert_close(mirrored.x[0], torch.from_numpy(data.points[1]))
    torch.testing.assert_close(mirrored.u[0], -torch.from_numpy(data.outputs[1]))


def test_square_symmetries_move_coordinates_with_the_fields(darcy_data):
    """Where samples have meshes of their own: the same square again, to rotations included."""
    points = np.broadcast_to(darcy_data.points, (12, 81, 2)).copy()
    part = DeviceSource(replace(darcy_data, points=points), np.arange(8), CPU)
    augmentation = Augmentation(part)
    assert augmentation.moves_points
    moved = augmentation(part.batch(torch.arange(8)), torch.arange(8))
    torch.testing.assert_close(moved.x, torch.from_numpy(points[:8]))


def test_point_sets_are_mirrored_in_place(ragged_data):
    """Points keep their order, so values, graph and mask stay; coordinates and signs change."""
    mirror = Symmetry(
        name="left-right",
        matrix=((-1.0, 0.0), (0.0, 1.0)),
        offset=(1.0, 0.0),
        input_signs=(-1.0,),
        output_signs=(1.0, -1.0),
    )
    data = replace(ragged_data, problem=replace(ragged_data.problem, symmetries=(mirror,)))
    part = DeviceSource(data, np.array([0, 3]), CPU, radius=0.3, max_neighbors=5)
    batch = part.batch(torch.tensor([0, 0, 1]))
    moved = Augmentation(part)(batch, torch.tensor([0, 1, 1]))
    for name in ("x", "a", "u"):
        assert torch.equal(getattr(moved, name)[0], getattr(batch, name)[0])
    torch.testing.assert_close(moved.x[1:], batch.x[1:] * torch.tensor([-1, 1]) + torch.eye(2)[0])
    assert torch.equal(moved.a[1:], -batch.a[1:])
    assert torch.equal(moved.u[1:], batch.u[1:] * torch.tensor([1, -1]))
    assert torch.equal(moved.mask, batch.mask)
    assert torch.equal(moved.neighbors, batch.neighbors)


def test_symmetry_must_fit_the_grid(darcy_data):
    data = replace(darcy_data, problem=replace(darcy_data.problem, grid=(27, 3)))
    with pytest.raises(DataError, match=r"darcy: symmetry swap does not fit \(27, 3\)"):
        Augmentation(DeviceSource(data, np.arange(1), CPU))


def test_problem_without_symmetries_cannot_be_augmented(ragged_data):
    with pytest.raises(DataError, match="points declares no symmetries"):
        Augmentation(DeviceSource(ragged_data, np.arange(2), CPU))
