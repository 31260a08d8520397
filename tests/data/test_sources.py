"""Batches gathered on the device, and symmetries applied to them."""

import gc
import threading
from dataclasses import replace

import h5py
import numpy as np
import pytest
import torch

from llt.data import dataset_file, sources
from llt.data.augmentation import Augmentation
from llt.data.neighbors import radius_graph
from llt.data.sources import DeviceSource, StreamedSource
from llt.errors import ConfigError, DataError
from llt.problem import PROBLEMS, Symmetry
from tests.conftest import geometry_only
from tests.data.kinds import KINDS, flow

CPU = torch.device("cpu")


def test_items_are_the_samples_of_the_split(darcy_data):
    part = DeviceSource(darcy_data, darcy_data.split("test"), CPU)
    batch = part.batch(torch.tensor([1, 0]))
    np.testing.assert_array_equal(batch.u, darcy_data.outputs[[11, 10]])
    np.testing.assert_array_equal(batch.x[1], darcy_data.points)


def test_timed_items_count_samples_times_times():
    from tests.data.kinds import timed

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


def stored(data, folder):
    """The same data, left in a file."""
    dataset_file.write(folder / "set.h5", data)
    return dataset_file.read(folder / "set.h5")


def assert_same(got, expected):
    for name in ("x", "a", "u", "t", "neighbors", "mask"):
        one, other = getattr(got, name), getattr(expected, name)
        assert (one is None) == (other is None), name
        assert one is None or (one.dtype == other.dtype and torch.equal(one, other)), name
    assert got.masks.keys() == expected.masks.keys()
    for name, mask in got.masks.items():
        assert torch.equal(mask, expected.masks[name])


GRAPH = {"radius": 0.4, "max_neighbors": 3}


@pytest.mark.parametrize("kind", KINDS)
def test_batches_are_the_same_wherever_the_data_are(kind, tmp_path):
    data = KINDS[kind]()
    graph = GRAPH if data.problem.grid is None else {}
    indices = np.array([3, 0, 2])
    expected = DeviceSource(data, indices, CPU, **graph)
    sources = [
        StreamedSource(data, indices, CPU, **graph),
        StreamedSource(stored(data, tmp_path), indices, CPU, **graph),
        DeviceSource(stored(data, tmp_path), indices, CPU, **graph),
    ]
    for source in sources:
        for name in ("problem", "num_samples", "num_times", "num_items", "num_points"):
            assert getattr(source, name) == getattr(expected, name)
        items = torch.tensor([expected.num_items - 1, 0, 1])
        assert_same(source.batch(items), expected.batch(items))
        if data.ragged:
            smallest = torch.tensor([int(expected.counts.argmin()) * expected.num_times])
            size = int(expected.counts.min()) + 1
            assert_same(source.batch(smallest, size), expected.batch(smallest, size))


@pytest.mark.parametrize("kind", ["darcy", "flow-ragged-timed-inputs"])
def test_scheduled_batches_come_in_order_into_the_same_buffers(kind, tmp_path):
    """As a captured step needs them: at the same addresses in every step of a size."""
    data = stored(KINDS[kind](), tmp_path)
    indices = np.arange(4)
    expected = DeviceSource(data, indices, CPU)
    source = StreamedSource(data, indices, CPU)
    sizes = [None] if expected.counts is None else [9, 12]
    order = np.random.default_rng(0).integers(expected.num_items, size=(10, 2))
    plan = [sizes[step % len(sizes)] for step in range(10)]
    addresses = {}
    for _ in range(2):  # the second epoch begins before the first has ended
        source.schedule(order, plan)
        for items, points in list(zip(order, plan, strict=True))[:7]:
            source.stage(points)
            batch = source.batch(torch.zeros(2, dtype=torch.long), points)
            assert_same(batch, expected_padded(expected, items, points))
            addresses.setdefault(points, batch.u.data_ptr())
            assert batch.u.data_ptr() == addresses[points]
    source.close()


def expected_padded(source, items, points):
    """A batch with more padding than the source's own samples need."""
    batch = source.batch(torch.from_numpy(items), points)
    extra = 0 if points is None else max(0, points - batch.u.shape[1])

    def pad(z):
        return torch.nn.functional.pad(z, (0, 0, 0, extra))

    mask = None if batch.mask is None else torch.nn.functional.pad(batch.mask, (0, extra))
    masks = {n: torch.nn.functional.pad(m, (0, extra)) for n, m in batch.masks.items()}
    x, a, u = pad(batch.x), pad(batch.a), pad(batch.u)
    return replace(batch, x=x, a=a, u=u, mask=mask, masks=masks)


def test_a_step_can_be_recorded_before_the_first_epoch(darcy_data):
    source = StreamedSource(darcy_data, np.arange(4), CPU)
    source.stage()
    items = torch.tensor([2, 1])
    first = source.batch(items)
    np.testing.assert_array_equal(first.u, darcy_data.outputs[[2, 1]])
    source.schedule(np.array([[3, 0]]), [None])
    source.stage()
    again = source.batch(items)
    assert again.u.data_ptr() == first.u.data_ptr()
    np.testing.assert_array_equal(again.u, darcy_data.outputs[[3, 0]])


def test_what_goes_wrong_while_reading_ahead_reaches_the_training(darcy_file):
    with h5py.File(darcy_file, "r+") as file:
        file["outputs/pressure"][2] += 1
    source = StreamedSource(dataset_file.read(darcy_file), np.arange(4), CPU)
    source.schedule(np.array([[0, 1], [2, 3]]), [None, None])
    source.stage()
    with pytest.raises(DataError, match="sample 2 has checksum"):
        source.stage()
    source.close()


def test_more_batches_than_scheduled_are_a_mistake(darcy_data):
    source = StreamedSource(darcy_data, np.arange(4), CPU)
    source.schedule(np.array([[0, 1]]), [None])
    source.stage()
    with pytest.raises(IndexError, match="all scheduled batches are taken"):
        source.stage()


def test_the_reading_thread_ends_with_its_source(darcy_data):
    source = StreamedSource(darcy_data, np.arange(4), CPU)
    before = {*threading.enumerate()}  # some of them may end meanwhile
    source.schedule(np.zeros((100, 2), dtype=np.int64), [None] * 100)
    (reading,) = {*threading.enumerate()} - before
    assert reading.is_alive()
    del source
    gc.collect()
    assert not reading.is_alive()


@pytest.mark.parametrize(
    ("free", "lazy", "expected"),
    [
        (1e9, True, DeviceSource),
        (1e9, False, DeviceSource),
        (10_000, False, StreamedSource),
        (10_000, True, StreamedSource),
    ],
)
def test_data_are_kept_as_near_as_they_fit(darcy_data, tmp_path, monkeypatch, free, lazy, expected):
    monkeypatch.setattr(sources, "free_memory", lambda device: free)
    data = stored(darcy_data, tmp_path) if lazy else darcy_data
    source = sources.open_source(data, np.arange(8), CPU)
    assert type(source) is expected
    if lazy and expected is StreamedSource:
        assert source._reader.data.file is not None


def test_host_memory_is_taken_before_the_file(darcy_data, tmp_path, monkeypatch):
    """Where the device is too small and the host is not."""
    data = stored(darcy_data, tmp_path)
    monkeypatch.setattr(
        sources, "free_memory", lambda device: 1e9 if device == torch.device("cpu") else 1
    )
    assert sources._nearest(data, np.arange(8), torch.device("meta"), 0) == "host"
    source = sources.open_source(data, np.arange(8), CPU, where="host")
    assert type(source) is StreamedSource
    assert source._reader.data.file is None


def test_unknown_places_are_named(darcy_data):
    with pytest.raises(ConfigError, match="unknown place for the data 'disk'; choose from auto"):
        sources.open_source(darcy_data, np.arange(2), CPU, where="disk")
    with pytest.raises(ConfigError, match="darcy: the data are in memory already; use host"):
        sources.open_source(darcy_data, np.arange(2), CPU, where="file")


def test_case_parameters_are_constant_channels_behind_the_fields():
    data = flow()
    batch = DeviceSource(data, np.array([4, 2]), CPU).batch(torch.tensor([1, 0]))
    np.testing.assert_array_equal(batch.a[0, :, :2], data.inputs[2])
    for point in range(7):
        np.testing.assert_array_equal(batch.a[0, point, 2:], data.parameters[2])


def test_weights_are_mask_times_weight():
    """FLOW: pressure on the surface alone and three times, velocity everywhere."""
    data = flow((5, 7, 4, 9, 6))
    batch = DeviceSource(data, np.array([2, 1]), CPU).batch(torch.tensor([0, 1]))
    weights = batch.weights(data.problem)
    assert weights.shape == batch.u.shape
    surface = data.sample(2).masks["surface"]
    np.testing.assert_array_equal(weights[0, :4, 0], 3.0 * surface)
    np.testing.assert_array_equal(weights[0, :4, 1], np.ones(4))
    assert not weights[0, 4:].any()


def test_nothing_is_weighted_where_all_counts_alike(darcy_data, ragged_data):
    batch = DeviceSource(darcy_data, np.arange(2), CPU).batch(torch.tensor([0, 1]))
    assert batch.weights(darcy_data.problem) is None
    batch = DeviceSource(ragged_data, np.arange(2), CPU).batch(torch.tensor([0, 1]))
    weights = batch.weights(ragged_data.problem)
    assert torch.equal(weights, batch.mask.unsqueeze(-1).float())


def test_masks_move_with_the_symmetry():
    data = flow((12,) * 5, own_points=False, grid=(4, 3))
    mirror = Symmetry(
        name="left-right", matrix=((-1.0, 0.0), (0.0, 1.0)), offset=(0.0, 0.0), flip=(1,)
    )
    data = replace(data, problem=replace(data.problem, symmetries=(mirror,)))
    part = DeviceSource(data, np.arange(2), CPU)
    batch = part.batch(torch.tensor([0, 1]))
    moved = Augmentation(part)(batch, torch.tensor([1, 0]))
    surface = batch.masks["surface"].reshape(2, 4, 3)
    assert torch.equal(moved.masks["surface"][0].reshape(4, 3), surface[0].flip(1))
    assert not torch.equal(surface[0].flip(1), surface[0])
    assert torch.equal(moved.masks["surface"][1].reshape(4, 3), surface[1])
