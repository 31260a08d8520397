"""The commands as a user types them, from nothing to a report; and what bad input says."""

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import replace

import h5py
import numpy as np
import pytest

import llt.cli
from llt.cli import main
from llt.data import dataset_file
from llt.errors import CheckpointError, ConfigError, DataError, SolverError, TrainingError
from llt.runtime.checked import write_checked

SETTINGS = ["--set", "resolution=25", "--set", "stored_resolution=13"]
TINY = ["--set", "model.dim=8", "--set", "model.num_layers=1", "--set", "train.epochs=3"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def data(folder):
    path = folder / "darcy.h5"
    assert (
        main(["generate", "darcy", "-o", str(path), "--num", "8,2,4", "--workers", "1", *SETTINGS])
        == 0
    )
    return path


@pytest.fixture(scope="module")
def run(folder, data):
    path = folder / "run"
    assert main(["train", str(data), "--out", str(path), "--device", "cpu", *TINY]) == 0
    return path


def test_generate_leaves_one_file_with_provenance(data):
    assert [p.name for p in data.parent.glob("darcy.h5*")] == ["darcy.h5"]
    with h5py.File(data) as f:
        assert f["outputs/pressure"].shape == (14, 13, 13)
        about = json.loads(f.attrs["provenance"])
    assert about["source"] == "generated"
    assert about["seed"] == 0
    assert about["settings"]["resolution"] == 25


def test_generate_counts_redraws_and_time_per_sample(folder, monkeypatch):
    from llt.solvers import generate

    solve = generate.solve_one

    def redrawn(job, index):
        solution = solve(job, index)
        solution.info["redraws"] = index % 2
        time.sleep(0.05)
        return solution

    monkeypatch.setattr(generate, "solve_one", redrawn)
    path = folder / "redrawn.h5"
    args = ["generate", "darcy", "-o", str(path), "--num", "2,2,2", "--workers", "1", "--seed", "7"]
    start = time.monotonic()
    assert main([*args, *SETTINGS]) == 0
    seconds = time.monotonic() - start
    with h5py.File(path) as f:
        about = json.loads(f.attrs["provenance"])
        assert f["samples/redraws"][()].tolist() == [0, 1, 0, 1, 0, 1]
    assert about["redraws"] == 3
    assert about["seed"] == 7
    assert 0.05 < about["seconds_per_sample"] < seconds / 6


def test_generate_seed_decides_the_samples(data, folder):
    path = folder / "seed.h5"
    args = ["generate", "darcy", "-o", str(path), "--num", "1,1,1", "--workers", "1"]
    for seed in ("0", "1"):
        assert main([*args, "--seed", seed, "--force", *SETTINGS]) == 0
        with h5py.File(path) as new, h5py.File(data) as old:
            same = np.array_equal(new["inputs/permeability"][0], old["inputs/permeability"][0])
        assert same == (seed == "0")


def test_generate_goes_on_only_when_asked(folder, capsys):
    from llt.solvers.generate import Job, generate, make_settings

    parts = folder / "again.h5.parts"
    settings = make_settings("darcy", {"resolution": 25, "stored_resolution": 13})
    generate(Job.of("darcy", 0, settings), 1, parts)
    args = ["generate", "darcy", "-o", str(folder / "again.h5"), "--num", "1,1,1", *SETTINGS]
    assert main([*args, "--workers", "1"]) == 2
    assert "again.h5.parts: left by an interrupted job; --resume it" in capsys.readouterr().err
    assert main([*args, "--workers", "1", "--resume"]) == 0
    assert not parts.exists()


def test_generate_one_number_is_split(folder):
    path = folder / "split.h5"
    assert (
        main(["generate", "darcy", "-o", str(path), "--num", "14", "--workers", "1", *SETTINGS])
        == 0
    )
    with h5py.File(path) as f:
        assert [len(f[f"splits/{k}"]) for k in ("train", "val", "test")] == [10, 2, 2]


def test_evaluate_json_is_one_object(run, capsys):
    assert main(["evaluate", str(run), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["split"] == "test"
    assert len(result["per_sample"]) == 4
    assert result["relative_l2"] == pytest.approx(np.mean(result["per_sample"]))
    assert result["seconds_per_sample"] > 0


def test_evaluate_at_other_resolutions(run, capsys):
    args = ["evaluate", str(run), "--json", "--resolutions", "7,13,25", "--samples", "4"]
    assert main(args) == 0
    result = json.loads(capsys.readouterr().out)
    rows = {row["resolution"]: row["relative_l2"] for row in result["resolutions"]}
    assert rows.keys() == {7, 13, 25}
    # the samples are solved again from their seeds: at the training resolution, the same error
    assert rows[13] == pytest.approx(result["relative_l2"], rel=1e-4)


def test_evaluate_another_file_of_the_problem(run, folder, capsys):
    from llt.data import dataset_file

    other = folder / "other-seed.h5"
    args = [
        "generate",
        "darcy",
        "-o",
        str(other),
        "--num",
        "3,2,1",
        "--workers",
        "1",
        "--seed",
        "5",
    ]
    assert main([*args, *SETTINGS]) == 0
    assert main(["evaluate", str(run), "--json", "--data", str(other), "--split", "val"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["split"] == "val"
    assert result["indices"] == [3, 4]
    assert result["data_hash"] == dataset_file.read(other).hash


def test_evaluation_of_the_test_split_is_kept_with_the_run(run, data, capsys):
    stored = run / "evaluation.json"
    stored.unlink(missing_ok=True)
    for other in (["--split", "val"], ["--data", str(data)]):
        assert main(["evaluate", str(run), *other]) == 0
        assert not stored.exists()
    capsys.readouterr()
    assert main(["evaluate", str(run)]) == 0
    kept = json.loads(stored.read_text())
    shown = capsys.readouterr().out
    assert kept["split"] == "test"
    (row,) = (line.split() for line in shown.splitlines() if line.startswith("  pressure"))
    numbers = ("relative_l2", "median", "worst", "mean_field_error")
    assert row[1:5] == [f"{kept[name]:.5f}" for name in numbers]


def test_report_is_of_the_kept_evaluation(run, capsys):
    assert main(["evaluate", str(run)]) == 0
    stored = run / "evaluation.json"
    kept = stored.read_text()
    write_checked(stored, json.loads(kept) | {"relative_l2": 0.98765})
    try:
        assert main(["report", str(run)]) == 0
    finally:
        stored.write_text(kept)
    assert "<b>98.8&#160;%</b>" in (run / "report.html").read_text()


def test_report_is_self_contained(run, capsys):
    assert main(["report", str(run)]) == 0
    page = (run / "report.html").read_text()
    assert page.count("<svg") == 3 * 4 + 3  # cases; where errors are, their histogram, curves
    assert "http" not in page.replace("http://www.w3.org/", "")  # names of SVG, never loaded
    for word in ("Best case", "Worst case", "config.toml", "smallest validation error", "seed 0"):
        assert word in page


def test_inspect_file_and_run(data, run, capsys):
    assert main(["inspect", str(data)]) == 0
    shown = capsys.readouterr().out
    assert "permeability -> pressure on a 2-D 13x13" in shown
    assert "input permeability  3 to 12\n" in shown
    assert main(["inspect", str(run), "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["model"] == "llt"
    assert about["settings"]["dim"] == 8
    assert about["parameters"] == sum(p.numel() for p in llt.load(run).model.parameters())


@pytest.mark.parametrize("kinds", [("npz", "h5"), ("h5", "npz")], ids="-to-".join)
def test_predict_npz_and_hdf5(run, data, folder, kinds, capsys):
    source, target = (folder / f"{kinds[0]}.{kind}" for kind in kinds)
    with h5py.File(data) as f:
        a, points = f["inputs/permeability"][:3], f["points"][()]
    if kinds[0] == "npz":
        np.savez(source, permeability=a, points=points)
    else:
        with h5py.File(source, "w") as f:
            f["inputs/permeability"], f["points"] = a, points
    assert main(["predict", str(run), str(source), "-o", str(target), "--force"]) == 0
    if kinds[1] == "npz":
        with np.load(target) as archive:
            pressure = archive["pressure"]
    else:
        with h5py.File(target) as f:
            pressure = f["pressure"][()]
    assert pressure.shape == (3, 13, 13)
    assert np.isfinite(pressure).all()


def test_predict_at_a_time_and_at_several(folder, capsys):
    from llt.data import dataset_file
    from llt.training import TrainConfig, train
    from tests.data.kinds import timed

    dataset_file.write(folder / "timed.h5", timed())
    settings = {"dim": 8, "num_layers": 1}
    out = folder / "timed"
    train(folder / "timed.h5", out, model_settings=settings, config=TrainConfig(epochs=1))
    args = ["predict", str(out), str(folder / "timed.h5"), "-o", str(folder / "at.npz")]
    assert main([*args, "--time", "0.4"]) == 0
    with np.load(folder / "at.npz") as archive:
        assert archive["u_y"].shape == (5, 4, 3)
        once = archive["u_y"]
    capsys.readouterr()
    for words, times in {"0.4,0.7": [0.4, 0.7], "all": np.linspace(0, 1, 6), "0.4,": None}.items():
        code = main([*args, "--force", "--time", words])
        if times is None:
            assert code == 2 and "--time 0.4,: expected a number" in capsys.readouterr().err
            continue
        assert code == 0 and "outside" not in capsys.readouterr().err
        with np.load(folder / "at.npz") as archive:
            assert archive["u_y"].shape == (5, len(times), 4, 3)
            assert archive["points"].shape == (4, 3, 2)
            np.testing.assert_allclose(archive["times"], times)
            if words != "all":
                np.testing.assert_allclose(archive["u_y"][:, 0], once, rtol=1e-4, atol=1e-6)
    assert main([*args, "--force", "--time", "0.5,1.05"]) == 0
    told = "warning: plasticity: outside of what was trained on: time 0.5 to 1.05 (trained on 0 to"
    assert told in capsys.readouterr().err


def test_predict_takes_a_dataset_file(run, data, folder):
    assert main(["predict", str(run), str(data), "-o", str(folder / "all.npz")]) == 0
    with np.load(folder / "all.npz") as archive:
        assert archive["pressure"].shape == (14, 13, 13)


def test_doctor_is_healthy(capsys):
    assert main(["doctor", "--json"]) == 0
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert set(checks.values()) == {"ok"}


def test_doctor_names_what_fails(capsys, monkeypatch):
    def broken():
        raise RuntimeError("no paper")

    monkeypatch.setitem(llt.cli.doctor.CHECKS, "printer", broken)
    assert main(["doctor", "--json"]) == 1
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert checks["printer"] == "failed: no paper"
    assert checks["files"] == "ok"


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == "0.1.0"


def test_import_published_files(folder, capsys):
    from tests.data.test_published import DARCY_FILES, fields, savemat

    for name in DARCY_FILES:
        savemat(folder / name, fields(30, 0))
    out = folder / "published.h5"
    args = ["import", "darcy", str(folder), "-o", str(out), "--set", "resolution=5"]
    assert main(args) == 0
    err = capsys.readouterr().err
    assert "sha256" in err
    assert "pressure on a 2-D 5x5, 60 samples" in err
    assert main(args) == 2
    assert "already exists; choose another -o" in capsys.readouterr().err


def test_interrupted_training_says_how_to_go_on(folder, data):
    """SIGTERM from outside: the state is saved, the message names the next command."""
    out = folder / "stopped"
    command = [sys.executable, "-m", "llt.cli", "train", str(data), "--out", str(out), *TINY,
               "--set", "train.epochs=100000", "--device", "cpu"]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not (out / "metrics.jsonl").exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 128 + signal.SIGTERM
    assert f"go on with: llt train --resume {out}" in err
    assert (out / "state.safetensors").is_file()


def bad_calls(folder, data, run):
    text = folder / "text.h5"
    text.write_text("no")
    wrong = folder / "wrong.npz"
    np.savez(wrong, conductivity=np.ones((13, 13)))
    return {
        "missing file": (["train", "none.h5"], "none.h5: no such file"),
        "not hdf5": (["train", str(text)], "text.h5: not an HDF5 file or damaged"),
        "no file": (["train"], "give a dataset file, or --resume RUN"),
        "unknown model": (
            ["train", str(data), "--model", "ltl", "--out", str(folder / "x")],
            "unknown model 'ltl'",
        ),
        "unknown preset": (
            ["train", str(data), "--preset", "darcyy"],
            "unknown preset 'darcyy'; did you mean darcy",
        ),
        "unknown setting": (
            ["train", str(data), "--set", "train.epoch=3", "--out", str(folder / "x")],
            "did you mean epochs",
        ),
        "model setting": (
            ["train", str(data), "--set", "model.dims=3", "--out", str(folder / "x")],
            "did you mean dim",
        ),
        "unknown option": (["train", str(data), "--devise", "cpu"], "No such option: --devise"),
        "unknown command": (["trian"], "Did you mean 'train'"),
        "unknown device": (
            ["train", str(data), "--device", "gpu", "--out", str(folder / "x")],
            "unknown device 'gpu'",
        ),
        "existing run": (["train", str(data), "--out", str(run), *TINY], "already exists"),
        "existing file": (["generate", "darcy", "-o", str(data)], "already exists"),
        "existing prediction": (
            ["predict", str(run), str(wrong), "-o", str(wrong)],
            "wrong.npz: already exists",
        ),
        "resume with settings": (
            ["train", "--resume", str(run), "--set", "train.lr=1.0"],
            "--resume goes on with the run's own settings; give it alone",
        ),
        "negative seed": (["generate", "darcy", "-o", "x.h5", "--seed", "-1"], "--seed -1: must"),
        "empty split": (["generate", "darcy", "-o", "x.h5", "--num", "4,0,1"], "--num 4,0,1"),
        "no value": (["generate", "darcy", "-o", "x.h5", "--set", "tau"], "expected NAME=VALUE"),
        "bad resolutions": (["evaluate", str(run), "--resolutions", "a"], "expected numbers as in"),
        "unknown problem": (["generate", "darci", "-o", "x.h5"], "did you mean darcy"),
        "bad number": (["generate", "darcy", "-o", "x.h5", "--num", "many"], "--num many"),
        "bad solver setting": (
            ["generate", "darcy", "-o", "x.h5", "--set", "resolution=1"],
            "resolution=1",
        ),
        "no run": (["evaluate", "nowhere"], "nowhere: no such run or checkpoint"),
        "bad split": (["evaluate", str(run), "--split", "tst"], "did you mean test"),
        "bad resolution": (["evaluate", str(run), "--resolutions", "8"], "choose from"),
        "wrong field": (
            ["predict", str(run), str(wrong), "-o", str(folder / "p.npz")],
            "unknown field 'permeability'",
        ),
        "settings of another model": (
            ["train", str(data), "--config", str(run / "config.toml"), "--model", "fno"],
            "config.toml: has the settings of llt, not of fno",
        ),
        "JSON of a training": (["train", str(data), "--json"], "--json of --show"),
        "show and resume": (["train", "--resume", str(run), "--show"], "--show is of a new"),
        "show an unknown setting": (
            ["train", str(data), "--show", "--set", "train.epoch=3"],
            "did you mean epochs",
        ),
        "no such folder": (["import", "darcy", "nowhere", "-o", "x.h5"], "nowhere: no such folder"),
        "resume nothing": (["train", "--resume", str(folder)], "not a run folder"),
        "nothing to inspect": (["inspect", "nowhere"], "nowhere: no such file or folder"),
    }


def test_bad_input_is_one_line_and_exit_code_2(folder, data, run, capsys):
    for case, (args, message) in bad_calls(folder, data, run).items():
        capsys.readouterr()
        assert main(args) == 2, case
        out, err = capsys.readouterr()
        assert err.startswith("llt: "), case
        assert message in err, (case, err)
        assert err.count("\n") == 1, (case, err)
        assert out == "", case


ENDS = {
    "config": (ConfigError("two\nlines"), 2, "two lines"),
    "data": (DataError("bad"), 2, "bad"),
    "checkpoint": (CheckpointError("bad"), 2, "bad"),
    "solver": (SolverError("diverged"), 1, "diverged"),
    "training": (TrainingError("nan"), 1, "nan"),
    "disk": (OSError(28, "No space left on device", "out"), 1, "out: No space left on device"),
    "ctrl-c": (KeyboardInterrupt(), 130, "interrupted"),
}


@pytest.mark.parametrize("case", ENDS)
def test_every_error_has_its_exit_code_and_one_line(case, monkeypatch, capsys):
    error, code, message = ENDS[case]

    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(llt.cli, "app", fail)
    assert main([]) == code
    assert capsys.readouterr().err == f"llt: {message}\n"


def test_a_warning_is_one_line(monkeypatch):
    before, shown = warnings.formatwarning, []

    def warn(*args, **kwargs):
        shown.append(warnings.formatwarning(UserWarning("taken\n over"), UserWarning, "x.py", 1))

    monkeypatch.setattr(llt.cli, "app", warn)
    assert main([]) == 0
    assert shown == ["llt: taken over\n"]
    assert warnings.formatwarning is before


def test_settings_come_from_preset_then_file_then_words(data, tmp_path):
    from llt.cli.train import Choice, resolve

    mine = "recipe = 'paper'\n[model]\ndim = 32\nheads = 4\n[train]\nepochs = 7\n"
    (tmp_path / "mine.toml").write_text(mine)
    words = ["model.dim=16", "train.seed=3"]
    recipe, model, config = resolve(data, Choice(config=tmp_path / "mine.toml", words=words))
    assert recipe == "paper"
    assert model == {"dim": 16, "num_layers": 8, "heads": 4}  # 8 layers: the preset of Darcy
    assert (config.epochs, config.seed, config.batch_size) == (7, 3, 4)
    _, model, config = resolve(data, Choice(recipe="paper", preset="pipe"))
    assert model == {"dim": 64, "num_layers": 6}
    assert config.schedule == "cosine"


def test_the_best_recipe_is_the_default_and_the_command_overrules_the_file(data, tmp_path):
    from llt.cli.train import Choice, resolve

    (tmp_path / "mine.toml").write_text("recipe = 'paper'\n")
    assert resolve(data, Choice(config=tmp_path / "mine.toml"))[0] == "paper"
    named = Choice(recipe="best", config=tmp_path / "mine.toml")
    assert resolve(data, named) == resolve(data, Choice())
    with pytest.raises(ConfigError, match="unknown recipe 'bets'; did you mean best"):
        resolve(data, Choice(recipe="bets"))


def test_a_users_own_problem_is_trained_with_the_defaults_of_the_model(tmp_path, ragged_data):
    from llt.cli.train import Choice, resolve
    from llt.training.config import TrainConfig

    dataset_file.write(tmp_path / "own.h5", ragged_data)
    choice = Choice(model="galerkin", recipe="paper", words=["train.epochs=2"])
    _, model, config = resolve(tmp_path / "own.h5", choice)
    assert model == {}
    assert config == TrainConfig(epochs=2)
    _, model, same = resolve(tmp_path / "own.h5", replace(choice, model="llt"))
    assert (model, same) == ({}, config)


def test_errors_of_several_fields_are_shown(tmp_path, ragged_data, capsys):
    dataset_file.write(tmp_path / "own.h5", ragged_data)
    run = tmp_path / "run"
    assert (
        main(["train", str(tmp_path / "own.h5"), "--out", str(run), "--device", "cpu", *TINY]) == 0
    )
    capsys.readouterr()
    assert main(["evaluate", str(run), "--device", "cpu"]) == 0
    shown = capsys.readouterr().out
    kept = json.loads((run / "evaluation.json").read_text())["fields"]
    assert [*kept] == ["stress", "strain"]
    for name, errors in kept.items():
        line = next(line for line in shown.splitlines() if line.strip().startswith(name))
        numbers = ("relative_l2", "median", "worst", "mean_field_error")
        assert line.split()[1:5] == [f"{errors[key]:.5f}" for key in numbers]
        worse = errors["relative_l2"] >= errors["mean_field_error"]
        assert ("worse than that" in line) == worse


def test_worst_samples_and_times_are_shown_with_all_fields(tmp_path, capsys):
    from tests.data.kinds import timed

    dataset_file.write(tmp_path / "own.h5", timed())
    run = tmp_path / "run"
    assert (
        main(["train", str(tmp_path / "own.h5"), "--out", str(run), "--device", "cpu", *TINY]) == 0
    )
    capsys.readouterr()
    assert main(["evaluate", str(run), "--split", "train", "--device", "cpu"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert main(["evaluate", str(run), "--split", "train", "--device", "cpu", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    start = next(i for i, line in enumerate(lines) if line[:2] == ["worst", "samples"])
    order = np.argsort(found["per_sample"])[::-1]
    for line, place in zip(lines[start + 1 :], order, strict=False):
        numbers = [found["per_sample"][place]]
        numbers += [errors[place] for errors in found["field_errors"].values()]
        assert line == [str(found["indices"][place]), *(f"{number:.5f}" for number in numbers)]
    start = next(i for i, line in enumerate(lines) if line[:2] == ["at", "time"])
    for line, row in zip(lines[start + 1 :], found["times"], strict=False):
        parts = (*row["fields"].values(), row["vectors"]["u"])
        numbers = (row["relative_l2"], *parts, row["mean_field_error"])
        assert line == [f"{row['t']:.6g}", *(f"{number:.5f}" for number in numbers)]
    assert len(found["times"]) == 6
    (line,) = (line for line in lines if line[:2] == ["u", "(vector)"])
    assert line[2] == f"{found['vectors']['u']['relative_l2']:.5f}"


def test_worse_than_the_mean_field_is_red(monkeypatch, capsys):
    from llt.cli.evaluate import show
    from tests.evaluation.test_verdict import EVALUATION, field

    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", "200")):
        monkeypatch.setenv(name, value)
    show(EVALUATION)
    assert "\x1b[1;31m" not in capsys.readouterr().out
    fields = {"u": field(0.01, 0.2), "v": field(0.5, 0.4)}
    show(replace(EVALUATION, fields=fields))
    lines = capsys.readouterr().out.splitlines()
    assert (
        "\x1b[1;31moff by u 1.00 %, v 50.0 %" in lines[1] and "v: worse than predicting" in lines[1]
    )
    (mean,) = (line for line in lines if line.startswith("  mean over fields"))
    assert mean.split()[3:] == ["0.25500", "-", "-", "0.30000"]
    (bad,) = (line for line in lines if "worse than that" in line)
    assert bad.startswith("\x1b[31m  v ")


def test_progress_in_a_log_counts_every_piece(capsys, monkeypatch):
    from llt.cli import display

    clock = iter([0.0, 0.0, 20.0, 21.0, 80.0])
    monkeypatch.setattr(display.time, "monotonic", lambda: next(clock))
    with display.counting("solving", 3) as advance:
        for _ in range(3):
            advance()
    assert capsys.readouterr().err.splitlines() == [
        "solving: 1/3, 20 s, 40 s left",
        "solving: 3/3, 1 min 20 s, 0 s left",
    ]


def test_training_in_a_log_tells_errors_and_time_left(capsys, monkeypatch):
    """A run resumed after two of five epochs: time left follows from its own epochs."""
    from llt.cli import display
    from llt.training.loop import Tick

    clock = iter([0.0, 1.0, 10.0, 12.0, 20.0])
    monkeypatch.setattr(display.time, "monotonic", lambda: next(clock))
    metrics = {"train_loss": 0.5, "val_error": 0.7}
    with display.training() as listener:
        listener(Tick(epoch=2, epochs=5, position=1, steps_per_epoch=1))
        for epoch in (3, 4, 5):
            listener(Tick(epoch=epoch, epochs=5, position=0, steps_per_epoch=1, metrics=metrics))
    assert capsys.readouterr().err.splitlines() == [
        "epoch 3/5: loss 0.5000, validation error 0.7000, 20 s left",
        "epoch 5/5: loss 0.5000, validation error 0.7000, 0 s left",
    ]


def test_a_log_has_a_line_before_the_first_epoch_ends(capsys, monkeypatch):
    """What is trained after the first step, then where it is, every half minute."""
    from llt.cli import display
    from llt.training.loop import Tick

    clock = iter([0.0, 1.0, 20.0, 40.0, 60.0, 80.0])
    monkeypatch.setattr(display.time, "monotonic", lambda: next(clock))
    with display.training() as listener:
        for position in range(1, 6):
            note = "llt, 9 parameters" if position == 1 else None
            listener(Tick(epoch=0, epochs=5, position=position, steps_per_epoch=9, note=note))
    lines = ["llt, 9 parameters", "epoch 1/5: step 3 of 9", "epoch 1/5: step 5 of 9"]
    assert capsys.readouterr().err.splitlines() == lines


def test_a_run_is_named_after_its_data(data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", str(data), "--device", "cpu", *TINY]) == 0
    assert (tmp_path / "runs" / "darcy" / "last").is_dir()
    assert "next: llt evaluate runs/darcy" in capsys.readouterr().err


def test_resume_may_name_the_data_again(tmp_path, monkeypatch):
    asked = []

    def resume(out, *, data_path, device, listener, team):
        asked.append((out, data_path))
        return out

    monkeypatch.setattr("llt.training.run.resume", resume)
    assert main(["train", str(tmp_path / "moved.h5"), "--resume", str(tmp_path / "run")]) == 0
    assert asked == [(tmp_path / "run", tmp_path / "moved.h5")]


def test_demo_goes_from_nothing_to_a_report_and_keeps_the_last_one(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # worker processes take seconds to start
    out = tmp_path / "demo"
    out.mkdir()
    (out / "mine.txt").write_text("precious")
    args = ["demo", "--out", str(out), "--num", "2,1,1", "--epochs", "1", "--device", "cpu"]
    assert main(args) == 0
    assert (tmp_path / "demo.1" / "mine.txt").read_text() == "precious"
    page = (out / "report.html").read_text()
    assert "<td>85 x 85</td>" in page
    assert f"open {out / 'report.html'}" in capsys.readouterr().err
    assert len((out / "metrics.jsonl").read_text().splitlines()) == 1


def test_checkpoint_of_another_problem(run, folder, capsys, ragged_data):
    from llt.data import dataset_file

    dataset_file.write(folder / "other.h5", ragged_data)
    assert main(["evaluate", str(run), "--data", str(folder / "other.h5")]) == 2
    assert "was trained on darcy: permeability -> pressure" in capsys.readouterr().err


def test_unwritable_folder_is_exit_code_1(folder, data, capsys):
    """A file stands where a folder is needed: nothing can be written below it."""
    blocker = folder / "blocker"
    blocker.write_text("here")
    assert main(["train", str(data), "--out", str(blocker / "run"), "--device", "cpu", *TINY]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Not a directory" in err
    assert blocker.read_text() == "here"


def test_full_disk_is_exit_code_1_and_loses_nothing(run, data, folder, capsys):
    """/dev/full refuses every byte, as a full disk does."""
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("no /dev/full here")
    from llt.runtime import files

    before = (run / "report.html").read_bytes() if (run / "report.html").exists() else None

    def to_full_disk(path, text):
        with open("/dev/full", "w") as file:  # noqa: PTH123
            file.write(text)

    original = files.write_text
    try:
        import llt.evaluation.report as report

        report.write_text = to_full_disk
        assert main(["report", str(run)]) == 1
    finally:
        report.write_text = original
    assert "No space left on device" in capsys.readouterr().err
    if before is not None:
        assert (run / "report.html").read_bytes() == before


def test_solver_time_counts_only_what_was_solved(folder):
    """A resumed job divides its time by the samples it solved itself."""
    out, num = folder / "solved-before.h5", ["--num", "8,2,4", "--workers", "1"]
    parts = folder / "solved-before.h5.parts"
    from llt.solvers.generate import Job, generate, make_settings

    settings = make_settings("darcy", {"resolution": 25, "stored_resolution": 13})
    generate(Job.of("darcy", 0, settings), 14, parts)
    assert main(["generate", "darcy", "-o", str(out), "--resume", *num, *SETTINGS]) == 0
    with h5py.File(out) as f:
        assert json.loads(f.attrs["provenance"])["seconds_per_sample"] is None


def test_report_follows_new_weights(run, capsys):
    """An evaluation of other weights than the present ones is made again."""
    assert main(["evaluate", str(run)]) == 0
    stored = run / "evaluation.json"
    old = json.loads(stored.read_text())
    stored.write_text(json.dumps(old | {"checkpoint": {"epoch": 99}, "relative_l2": 0.5}))
    assert main(["report", str(run)]) == 0
    assert json.loads(stored.read_text())["relative_l2"] == pytest.approx(old["relative_l2"])


@pytest.mark.parametrize("command", ["generate", "train", "predict", "report"])
def test_a_disk_that_takes_no_more_is_one_line(command, run, data, tmp_path):
    """Files may grow to eight kilobytes only: the operating system refuses the rest, for real."""
    args = {
        "generate": ["darcy", "-o", tmp_path / "new.h5", "--num", "8,2,4", *SETTINGS],
        "train": [data, "--out", tmp_path / "run", "--device", "cpu", *TINY],
        "predict": [run, data, "-o", tmp_path / "out.h5"],
        "report": [run],
    }[command]
    before = {p: p.read_bytes() for p in run.rglob("*") if p.is_file()}
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192));"
        "from llt.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", code, command, *map(str, args)]
    done = subprocess.run(words, capture_output=True, text=True)
    *_, last = done.stderr.splitlines()
    assert done.returncode == 1, done.stderr
    assert last.startswith("llt: ")
    assert "Traceback" not in done.stderr
    assert {p: p.read_bytes() for p in run.rglob("*") if p.is_file()} == before
