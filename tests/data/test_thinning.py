"""Coarser grids of the same samples, in memory and in a file, and batches on several of them."""

from dataclasses import replace

import h5py
import numpy as np
import pytest
import torch

from llt.data import dataset_file
from llt.data.augmentation import Augmentation
from llt.data.sources import ThinnedSource, open_source
from llt.data.thinning import fitting_strides, stride_between, thin, thinned_grid
from llt.errors import DataError
from tests.conftest import darcy_like
from tests.data.kinds import flow, timed

CPU = torch.device("cpu")
KINDS = {
    "darcy": (lambda: darcy_like(n=9), (2, 4)),
    "flow": (lambda: flow((35,) * 5, grid=(7, 5)), (3, 2)),
    "flow-shared": (lambda: flow((35,) * 5, own_points=False, grid=(7, 5)), (3, 1)),
    "flow-timed": (lambda: flow((35,) * 5, times=2, timed_inputs=True, grid=(7, 5)), (2, 2)),
    "timed": (timed, (3, 2)),
}


def by_hand(data, stride):
    """Every k-th point by slicing the grid, as a dataset of its own."""
    grid = data.problem.grid
    keep = tuple(slice(None, None, k) for k in stride)

    def kept(array, behind):
        lead = array.shape[: array.ndim - behind - 1]
        image = array.reshape(*lead, *grid, *array.shape[array.ndim - behind :])
        image = image[(slice(None),) * len(lead) + keep]
        return image.reshape(*lead, -1, *array.shape[array.ndim - behind :])

    return replace(
        data,
        problem=replace(data.problem, grid=thinned_grid(grid, stride)),
        points=kept(data.points, 1),
        inputs=kept(data.inputs, 1),
        outputs=kept(data.outputs, 1),
        masks={name: kept(mask, 0) for name, mask in data.masks.items()},
        weights={},  # of some of the points they would give another number
    )


def places(data, folder):
    dataset_file.write(folder / "set.h5", data)
    return {"memory": data, "file": dataset_file.read(folder / "set.h5")}


def assert_same_samples(one, other):
    assert one.problem == other.problem and one.shared_points == other.shared_points
    assert one.num_bytes == other.num_bytes
    for index in range(len(other)):
        a, b = one.sample(index), other.sample(index)
        for name in ("points", "inputs", "outputs", "parameters", "derived"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        assert a.weights == b.weights == {}
        assert a.masks.keys() == b.masks.keys()
        for name, mask in b.masks.items():
            np.testing.assert_array_equal(a.masks[name], mask)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kth_point_is_kept(kind, tmp_path):
    make, stride = KINDS[kind]
    data = make()
    expected = by_hand(data, stride)
    for whole in places(data, tmp_path).values():
        thinned = thin(whole, stride)
        assert thinned.finer is whole and thinned.hash == data.hash
        assert_same_samples(thinned, expected)
        assert_same_samples(thinned.load(), expected)
        assert thinned.load().file is None
        np.testing.assert_array_equal(thinned.outputs[:], expected.outputs)
        for name, mask in expected.masks.items():
            np.testing.assert_array_equal(thinned.masks[name][:], mask)
        if data.times is not None:
            np.testing.assert_array_equal(thinned.sample(1, 1).outputs, expected.outputs[1, 1])


def test_thinning_twice_is_thinning_by_the_product(tmp_path):
    for whole in places(darcy_like(n=9), tmp_path).values():
        twice = thin(thin(whole, (2, 1)), (2, 4))
        assert_same_samples(twice, by_hand(darcy_like(n=9), (4, 4)))
        np.testing.assert_array_equal(twice.outputs[:], thin(whole, (4, 4)).outputs[:])


def test_a_stride_of_one_changes_nothing(darcy_data):
    assert thin(darcy_data, (1, 1)) is darcy_data


def test_damage_is_found_in_thinned_samples_too(tmp_path, darcy_data):
    dataset_file.write(tmp_path / "set.h5", darcy_data)
    with h5py.File(tmp_path / "set.h5", "r+") as file:
        file["outputs/pressure"][2, 1, 1] += 1  # a point that is not kept
    thinned = thin(dataset_file.read(tmp_path / "set.h5"), (2, 2))
    with pytest.raises(DataError, match="sample 2 has checksum"):
        thinned.sample(2)


def test_strides_keep_both_ends():
    assert fitting_strides(9) == [1, 2]  # four would leave three points
    assert fitting_strides(421)[:8] == [1, 2, 3, 4, 5, 6, 7, 10]
    assert fitting_strides(3) == [1]
    assert stride_between((421, 421), (61, 141)) == (7, 3)
    assert stride_between((421, 421), (60, 61)) is None
    assert stride_between((61, 61), (421, 421)) is None
    assert stride_between((9, 9), (9,)) is None


def test_what_does_not_fit_is_refused(darcy_data, ragged_data):
    with pytest.raises(DataError, match=r"stride \(3, 3\) does not fit the grid \(9, 9\)"):
        thin(darcy_data, (3, 3))
    with pytest.raises(DataError, match="points: a point set has no coarser grid"):
        thin(ragged_data, (2, 2))


STRIDES = ((2, 2), (1, 1), (2, 2), (4, 2))


def several(data, where):
    indices = np.array([3, 0, 2])
    parts = {k: open_source(thin(data, k), indices, CPU, where=where) for k in set(STRIDES)}
    return ThinnedSource(parts, STRIDES), indices


def assert_same_batch(got, expected):
    assert got.grid == expected.grid
    for name in ("x", "a", "u"):
        assert torch.equal(getattr(got, name), getattr(expected, name)), name
    for name, mask in expected.masks.items():
        assert torch.equal(got.masks[name], mask)


@pytest.mark.parametrize("where", ["device", "host", "file"])
def test_batches_are_those_of_thinned_datasets(where, tmp_path):
    data = darcy_like(n=9)
    whole = places(data, tmp_path)["file"]
    source, indices = several(whole, where)
    assert source.problem.grid == (5, 5) and source.num_items == 3 and source.num_points == 25
    own = {k: open_source(by_hand(data, k), indices, CPU) for k in set(STRIDES)}
    items = torch.tensor([2, 0])
    for stride, expected in own.items():
        assert_same_batch(source.batch(items, stride), expected.batch(items))
    order = np.array([[0, 1], [2, 0], [1, 2], [0, 2]])
    source.schedule(order, STRIDES)
    for row, stride in zip(order, STRIDES, strict=True):
        source.stage(stride)
        batch = source.batch(torch.from_numpy(row), stride)
        assert_same_batch(batch, own[stride].batch(torch.from_numpy(row)))


def test_a_step_of_every_stride_can_be_recorded_before_the_first_epoch(darcy_data):
    source, _ = several(darcy_data, "host")
    source.stage()
    items = torch.tensor([2, 1])
    first = {stride: source.batch(items, stride).u.data_ptr() for stride in set(STRIDES)}
    source.schedule(np.array([[0, 1], [1, 2]]), [(1, 1), (4, 2)])
    for stride in ((1, 1), (4, 2)):
        source.stage(stride)
        assert source.batch(items, stride).u.data_ptr() == first[stride]


def test_symmetries_move_thinned_batches_as_those_of_thinned_datasets():
    data = darcy_like(n=9)
    data = replace(data, outputs=data.outputs + data.inputs)  # else they are their own mirror
    source, indices = several(data, "device")
    items, choice = torch.tensor([2, 0, 1]), torch.tensor([5, 2, 7])
    for stride in ((1, 1), (2, 2)):
        expected = open_source(by_hand(data, stride), indices, CPU)
        moved = Augmentation(source.at(stride))(source.batch(items, stride), choice)
        assert_same_batch(moved, Augmentation(expected)(expected.batch(items), choice))
