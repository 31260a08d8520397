"""The reader of the published Plasticity file, on small files of the same layout."""

import numpy as np
import pytest
from scipy.io import savemat

from llt.cli import main
from llt.data import dataset_file
from llt.data.published import plasticity, read_published
from llt.errors import DataError
from tests.data.test_published import write_matlab73

GRID, FRAMES, S = (6, 4), 5, 12


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for name, value in {"GRID": GRID, "FRAMES": FRAMES, "TRAIN": 8, "TEST": 3}.items():
        monkeypatch.setattr(plasticity, name, value)


def squashed(num=S, seed=0):
    """Blocks that follow their dies; i runs from right to left, j from the top down."""
    die = np.random.default_rng(seed).random((num, GRID[0]))
    i, j = np.meshgrid(*map(np.arange, GRID), indexing="ij")
    x = np.stack([0.35 - 0.5 * i, 14.9 - 0.5 * j], axis=-1)  # (6, 4, 2)
    height = (x[..., 1] - x[..., 1].min()) / np.ptp(x[..., 1])
    t = np.linspace(0, 1, FRAMES)[:, None]
    above = die[:, ::-1]  # at the nodes: the file has it from left to right
    down = (above - die.max(axis=1, keepdims=True) - 0.1)[:, :, None, None, None] * t
    u_y = down * height[..., None, None]
    u = np.concatenate([-0.3 * u_y, u_y], axis=-1)  # (S, 6, 4, T, 2)
    return {"input": die, "output": np.concatenate([x[:, :, None] + u, u], axis=-1)}


WRITERS = {"matlab5": savemat, "matlab73": write_matlab73}


@pytest.fixture(params=WRITERS)
def folder(request, tmp_path):
    WRITERS[request.param](tmp_path / plasticity.FILE, squashed())
    return tmp_path


def read(folder, **options):
    return read_published("plasticity", folder, **options)


def write(folder, arrays):
    savemat(folder / plasticity.FILE, arrays, do_compression=True)
    return folder


def test_nodes_frames_and_channels_are_where_the_file_has_them(folder):
    data, file = read(folder), squashed()
    assert data.problem.grid == GRID and data.problem.timed
    assert [f.unit for f in data.problem.outputs] == ["mm"] * 4
    np.testing.assert_array_equal(data.times, np.linspace(0, 1, FRAMES))
    right = np.moveaxis(file["output"], 3, 1).reshape(S, FRAMES, -1, 4)
    np.testing.assert_array_equal(data.outputs, right.astype(np.float32))


def test_a_node_is_given_its_own_place_and_the_die_above_it(folder):
    data, file = read(folder), squashed()
    points = data.points.reshape(*GRID, 2)
    np.testing.assert_allclose(points[2, 3], [0.35 - 1.0, 14.9 - 1.5], atol=1e-5)
    die = data.inputs[7].reshape(GRID)
    for j in range(GRID[1]):
        np.testing.assert_array_equal(die[:, j], file["input"][7, ::-1].astype(np.float32))


def test_the_deformed_edge_tells_in_which_direction_the_die_runs(tmp_path):
    file = squashed()
    write(tmp_path, file)
    expected = read(tmp_path)
    assert expected.provenance["die_runs_backward"]
    write(tmp_path, file | {"input": file["input"][:, ::-1]})
    data = read(tmp_path)
    assert not data.provenance["die_runs_backward"]
    np.testing.assert_array_equal(data.inputs, expected.inputs)


def test_the_first_train_the_last_test_and_those_between_validate(folder):
    splits = read(folder).splits
    assert splits.train.tolist() == [*range(8)]
    assert splits.val.tolist() == [8]
    assert splits.test.tolist() == [9, 10, 11]


def test_scrambled_positions_are_those_of_the_public_scripts(folder):
    """Their lines: a meshgrid with the default order of axes, raveled; the die repeated."""
    data, file = read(folder, scrambled_positions=True), squashed()
    x, y = np.meshgrid(np.linspace(0, 1, GRID[0]), np.linspace(0, 1, GRID[1]))
    np.testing.assert_allclose(data.points, np.c_[x.ravel(), y.ravel()], atol=1e-7)
    theirs = file["input"].reshape(S, GRID[0], 1).repeat(GRID[1], axis=2).reshape(S, -1)
    np.testing.assert_array_equal(data.inputs[..., 0], theirs.astype(np.float32))
    np.testing.assert_array_equal(data.outputs, read(folder).outputs)


def test_the_published_size_is_the_literatures(monkeypatch):
    monkeypatch.undo()
    assert (*plasticity.GRID, plasticity.FRAMES) == (101, 31, 20)
    splits = plasticity._splits(987)
    assert [len(splits[name]) for name in ("train", "val", "test")] == [900, 7, 80]
    assert splits.test[0] == 907


def test_the_command_writes_a_dataset(folder, capsys):
    out = folder / "plasticity.h5"
    words = ["--set", "scrambled_positions=true"]
    assert main(["import", "plasticity", str(folder), "-o", str(out), *words]) == 0
    assert f"{plasticity.FILE}: [12, 6, 4, 5, 4] float64" in capsys.readouterr().err
    data = dataset_file.read(out)
    assert data.hash == read(folder, scrambled_positions=True).hash
    assert data.provenance["scrambled_positions"] is True
    assert data.provenance["files"][0]["shape"] == [S, *GRID, FRAMES, 4]


def spoiled(change):
    arrays = squashed()
    change(arrays)
    return arrays


def put(name, at, value):
    return lambda arrays: arrays[name].__setitem__(at, value)


def swap(name, turned):
    return lambda arrays: arrays.__setitem__(name, turned(arrays[name]))


BAD = {
    "another grid": (
        swap("output", lambda z: z.swapaxes(1, 2)),
        r"output has shape \(12, 4, 6, 5, 4\), expected \(samples, 6, 4, 5, 4\)",
    ),
    "another die": (swap("input", lambda z: z[:, :-1]), r"input has shape \(12, 5\), expected"),
    "fewer dies": (swap("input", lambda z: z[:-1]), r"output has shape \(12, .* expected \(sam"),
    "few samples": (
        lambda a: a.update({name: z[:11] for name, z in a.items()}),
        "holds 11 samples; 8 to train, 3 to test and some between",
    ),
    "no output": (lambda a: a.pop("output"), "unknown field 'output'"),
    "displacements first": (
        swap("output", lambda z: z[..., [2, 3, 0, 1]]),
        "frames must increase in time, from the undeformed block on",
    ),
    "x and u side by side": (
        swap("output", lambda z: z[..., [0, 2, 1, 3]]),
        r"x - u of sample 0, frame [1-4] is .* away .*; channels must be x, y, u_x, u_y",
    ),
    "y before x": (swap("output", lambda z: z[..., [1, 0, 3, 2]]), "x - u is no grid along"),
    "another mesh": (
        swap("output", lambda z: z + (np.arange(S) == 5)[:, None, None, None, None] * [1, 0, 0, 0]),
        "x - u of sample 5, frame 0 is 1 away",
    ),
    "frames backward": (swap("output", lambda z: z[:, :, :, ::-1]), "frames must increase in time"),
    "frames mixed": (
        swap("output", lambda z: z[:, :, :, [0, 2, 1, 3, 4]]),
        r"displacement is 0\.\d+ in frame 1, 0\.\d+ in frame 2",
    ),
    "NaN": (
        put("output", (3, 1, 1, 2, 3), np.nan),
        "output, frame 2, holds NaN or infinity in sample 3",
    ),
    "NaN in a die": (put("input", (4, 2), np.inf), "input holds NaN or infinity in sample 4"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said_in_one_line(tmp_path, case):
    change, message = BAD[case]
    with pytest.raises(DataError, match=message) as caught:
        read(write(tmp_path, spoiled(change)))
    assert str(tmp_path / plasticity.FILE) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_ends_early_is_found(folder):
    path = folder / plasticity.FILE
    path.write_bytes(path.read_bytes()[:-3000])
    with pytest.raises(DataError, match=plasticity.FILE):
        read(folder)
