"""The verbs of the package in Python: from own arrays to predictions by name."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch

import llt
from llt.checkpoint import read_weights
from llt.cli import main
from llt.errors import CheckpointError, ConfigError
from llt.training import TrainConfig
from llt.training import train as train_run
from tests.data.folder.made import case, write_cases
from tests.data.folder.made import write as write_case
from tests.data.test_from_arrays import CASES, S
from tests.data.test_own_file import write
from tests.own_mesh.made import surrogate_of

TINY = {"preset": "tiny", "device": "cpu"}


@pytest.mark.parametrize("kind", ["shared grid", "grids", "point sets", "ragged"])
def test_from_arrays_to_predictions_by_name(kind, tmp_path):
    arrays = CASES[kind]
    x, a = arrays["points"], arrays["inputs"]["load"]
    data = llt.Dataset.from_arrays("plate", **arrays)
    path = data.save(tmp_path / "plate.h5")
    run = llt.train(str(path), str(tmp_path / "runs/plate"), steps=2, **TINY)
    with warnings.catch_warnings():  # test samples are no new questions
        warnings.simplefilter("error", llt.RangeWarning)
        result = llt.evaluate(run, device="cpu")
    assert result.relative_l2 > 0 and result.fields.keys() == {"u", "v"}
    assert len(result.per_sample) == 1 and result.data_hash == data.hash
    surrogate = llt.load(run)
    fields = surrogate.predict(
        x if kind == "shared grid" else x[0], {"load": a[0]}, parameters={"angle": 0.3}
    )
    assert fields.keys() == {"u", "v"}
    assert all(field.shape == a[0].shape for field in fields.values())
    surrogate.save(str(tmp_path / "saved"))
    assert llt.load(tmp_path / "saved").problem == data.problem


def test_a_dataset_in_memory_is_kept_with_its_run(tmp_path):
    data = llt.Dataset.from_arrays("plate", **CASES["ragged"])
    run = llt.train(data, tmp_path / "run", epochs=1, **TINY)
    assert llt.open(run / "data.h5").hash == data.hash
    assert json.loads((run / "data.json").read_text())["hash"] == data.hash
    assert llt.evaluate(run, device="cpu").data_hash == data.hash


def test_a_file_in_the_folder_is_never_replaced(tmp_path, darcy_data):
    path = llt.Dataset.from_arrays("plate", **CASES["grids"]).save(tmp_path / "run/data.h5")
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="run: already exists"):
        llt.train(darcy_data, tmp_path / "run", epochs=1, **TINY)
    assert path.read_bytes() == before


def test_a_run_that_was_killed_as_it_began_begins_again(tmp_path, darcy_data):
    darcy_data.save(tmp_path / "run/data.h5")
    (tmp_path / "run/env.json").write_text("{}")
    run = llt.train(darcy_data, tmp_path / "run", epochs=1, **TINY)
    assert (run / "last").is_dir()


def test_a_dataset_of_a_file_stays_there(tmp_path, darcy_file):
    run = llt.train(llt.open(darcy_file), tmp_path / "run", epochs=1, **TINY)
    assert not (run / "data.h5").exists()
    assert json.loads((run / "data.json").read_text())["path"] == str(darcy_file.resolve())


def test_training_from_memory_and_from_a_file_are_the_same(tmp_path, darcy_file):
    weights = []
    for name, data in (("file", darcy_file), ("memory", llt.open(darcy_file).load())):
        run = llt.train(data, tmp_path / name, epochs=1, **TINY)
        weights.append(read_weights(run / "last")[0])
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_old_versions_in_memory_are_found_again(tmp_path, darcy_data):
    data = replace(darcy_data, version=1)
    run = llt.train(data, tmp_path / "run", epochs=1, **TINY)
    assert llt.evaluate(run, device="cpu", symmetrize=False).data_hash == darcy_data.hash


def test_a_failed_start_leaves_no_folder(tmp_path, darcy_data):
    for settings in ({"train.lr": -1.0}, {"model.dim": 7, "model.heads": 2}):
        with pytest.raises(ConfigError):
            llt.train(darcy_data, tmp_path / "run", epochs=1, settings=settings, **TINY)
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("kind", ["shared grid", "ragged"])
def test_a_file_written_with_h5py_alone_trains_and_is_never_touched(kind, tmp_path):
    path = tmp_path / "own.h5"
    write(path, CASES[kind])
    before = path.read_bytes()
    run = llt.train(path, tmp_path / "run", steps=1, **TINY)
    record = json.loads((run / "data.json").read_text())
    assert record["hash"] == llt.open(path).hash == llt.evaluate(run, device="cpu").data_hash
    assert path.read_bytes() == before
    write(path, CASES[kind] | {"parameters": {"angle": np.zeros(S)}})
    with pytest.raises(CheckpointError, match="now holds"):
        llt.evaluate(run, device="cpu")


def test_settings_have_the_names_of_the_command(tmp_path, darcy_file):
    settings = {"train.lr": 5e-4, "train.strides": (), "model.dim": 12}
    run = llt.train(darcy_file, tmp_path / "run", epochs=1, settings=settings, **TINY)
    text = (run / "config.toml").read_text()
    assert "lr = 0.0005" in text and "dim = 12" in text and 'recipe = "best"' in text
    assert "epochs = 1\n" in text


BAD = {
    "both budgets": ({"steps": 2, "epochs": 2}, "steps=2 and epochs=2: give one of them"),
    "time, too": ({"steps": 2, "minutes": 2}, "steps=2 and minutes=2: give one of them"),
    "no time": ({"minutes": -1}, "minutes -1: expected more than 0"),
    "no section": ({"settings": {"lr": 1}}, "setting 'lr': expected a name such as 'train.lr'"),
    "section": ({"settings": {"trian.lr": 1}}, "did you mean train"),
    "name": ({"settings": {"train.rl": 1}}, "unknown setting of train 'rl'"),
    "recipe": ({"recipe": "bets"}, "unknown recipe 'bets'; did you mean best"),
    "steps": ({"steps": 2.5}, "train.steps=2.5 must be of type int"),
}


@pytest.mark.parametrize("fault", BAD)
def test_wrong_settings_are_one_line(fault, tmp_path, darcy_file):
    given, message = BAD[fault]
    with pytest.raises(ConfigError) as caught:
        llt.train(darcy_file, tmp_path / "run", **{**TINY, **given})
    assert message in str(caught.value) and not (tmp_path / "run").exists()


def test_training_tells_its_progress(tmp_path, darcy_file):
    ticks = []
    llt.train(darcy_file, tmp_path / "run", epochs=2, progress=ticks.append, **TINY)
    assert ticks[-1].epoch == 2 and ticks[-1].metrics["val_error"] > 0


def test_an_interrupted_run_goes_on(tmp_path, darcy_file):
    class StopError(Exception):
        pass

    def stop(tick):
        if tick.epoch == 1:
            raise StopError

    config = TrainConfig(epochs=2, batch_size=4, checkpoint_seconds=0)
    with pytest.raises(StopError):
        train_run(
            darcy_file, tmp_path / "run", config=config, model_settings={"dim": 8}, listener=stop
        )
    run = llt.resume(str(tmp_path / "run"), device="cpu")
    assert (run / "last").is_dir()


def test_generating_tells_its_progress(tmp_path):
    told = []
    data = llt.generate(
        "darcy",
        str(tmp_path / "darcy.h5"),
        num=4,
        workers=1,
        settings={"resolution": 13, "stored_resolution": 7},
        progress=lambda *numbers: told.append(numbers),
    )
    assert [len(data.splits[name]) for name in ("train", "val", "test")] == [2, 1, 1]
    assert told == [(i, 4) for i in range(1, 5)]
    with pytest.raises(ConfigError, match=r"num=\(1, 2\): expected \(train, val, test\)"):
        llt.generate("darcy", tmp_path / "other.h5", num=(1, 2))


def test_files_are_predicted_as_the_command_does(tmp_path):
    cases = write_cases(tmp_path / "cases")
    run = tmp_path / "run"
    surrogate_of(cases, outputs=("T",), inputs=("k",)).save(run)
    counts = []
    done = llt.predict_files(
        run,
        cases,
        tmp_path / "out",
        parameters={"speed": 2.5},
        device="cpu",
        progress=lambda *count: counts.append(count),
    )
    assert [one.name for one in done] == [f"c{i}" for i in range(7)] and counts[-1] == (7, 7)
    told = ["predict", str(run), str(cases / "c3.npz"), "-o", str(tmp_path / "c3.npz")]
    assert main([*told, "--param", "speed=2.5", "--device", "cpu"]) == 0
    mine, theirs = np.load(tmp_path / "out" / "c3.npz"), np.load(tmp_path / "c3.npz")
    np.testing.assert_array_equal(mine["T_pred"], theirs["T_pred"])
    assert done[3].errors["T"] > 0


def test_files_that_cannot_be_predicted_are_named_or_warned_of(tmp_path):
    surrogate = surrogate_of(write_cases(tmp_path / "cases"), outputs=("T",), inputs=("k",))
    write_cases(tmp_path / "new", 2)
    write_case(tmp_path / "new", "far", **case(9, points=1e4 * case(9)["points"]))
    (tmp_path / "new" / "bad.npz").write_text("nothing")
    with (
        pytest.warns(llt.RangeWarning, match="times larger"),
        pytest.raises(llt.LltError, match=r"1 of 4 cases cannot be predicted: .*bad.npz"),
    ):
        llt.predict_files(surrogate, tmp_path / "new", tmp_path / "a")
    assert (tmp_path / "a" / "far.npz").is_file()
    with pytest.warns(UserWarning, match="1 of 4 cases cannot be predicted"):
        done = llt.predict_files(surrogate, tmp_path / "new", tmp_path / "b", skip_bad=True)
    assert len(done) == 3
