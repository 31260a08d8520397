"""`llt train`: what it would do, from where its settings come, and whose data have moved."""

import json
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file

from llt.choice import Choice
from llt.cli import main
from llt.cli.overview import settings_with_origin
from llt.data import dataset_file
from llt.models import build_model
from llt.problem import DARCY
from llt.training.config import TrainConfig

TINY = ["--set", "model.dim=8", "--set", "model.num_layers=1"]


@pytest.fixture
def run(darcy_file, tmp_path):
    path = tmp_path / "transolver"
    words = ["--model", "transolver", "--preset", "tiny", "--set", "train.lr=2e-3"]
    words += ["--recipe", "paper", "--device", "cpu", "--set", "train.epochs=1"]
    assert main(["train", str(darcy_file), "--out", str(path), *words]) == 0
    return path


def test_every_setting_has_its_origin(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[model]\nheads = 4\n[train]\nlr = 1e-3\n")
    choice = Choice(preset="demo", config=file, words=["train.epochs=7", "model.alpha=0.5"])
    found = settings_with_origin(DARCY, choice)
    assert [*found["train"]] == [*TrainConfig().to_dict()]
    assert [*found["model"]] == [*build_model("llt", DARCY).arguments]
    origins = {
        name: (row["value"], row["from"])
        for name, row in (found["model"] | found["train"]).items()
        if name in ("dim", "bands", "kernel", "heads", "alpha", "lr", "muon_lr", "epochs", "seed")
    }
    assert origins == {
        "dim": (32, "preset demo"),
        "bands": (4, "default"),
        "kernel": (5, "recipe best"),
        "heads": (4, str(file)),
        "alpha": (0.5, "command line"),
        "lr": (1e-3, str(file)),  # the default's value, but the file says it
        "muon_lr": (6e-3, "preset demo"),
        "epochs": (7, "command line"),
        "seed": (0, "default"),
    }
    assert found["train"]["lr"]["about"] == "peak"


@pytest.fixture
def timed(monkeypatch):
    """Every epoch takes two seconds, says the trial."""

    def trial(data, **settings):
        epochs = settings["config"].epochs
        return SimpleNamespace(epochs=epochs, seconds=2.0 * epochs, seconds_per_step=1.0)

    monkeypatch.setattr("llt.training.trial.try_training", trial)


def test_minutes_become_epochs(darcy_file, tmp_path, timed):
    out, words = tmp_path / "run", ["--device", "cpu", *TINY, "--minutes"]
    assert main(["train", str(darcy_file), "--out", str(out), *words, "0.1"]) == 0
    assert len((out / "metrics.jsonl").read_text().splitlines()) == 3
    assert main(["train", str(darcy_file), "--out", str(tmp_path / "one"), *words, "0.001"]) == 0
    assert len((tmp_path / "one" / "metrics.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--minutes", "0"], "minutes 0: expected more than 0"),
        (
            ["--minutes", "2", "--set", "train.steps=9"],
            "--minutes 2 and --set train.steps=9: give one of them",
        ),
    ],
)
def test_minutes_that_cannot_be_kept(darcy_file, tmp_path, capsys, words, message):
    assert main(["train", str(darcy_file), "--out", str(tmp_path / "run"), *words]) == 2
    assert message in capsys.readouterr().err


def test_show_tells_size_time_and_memory_and_trains_nothing(
    darcy_file, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    words = ["--device", "cpu", *TINY, "--set", "train.batch_size=2", "--set", "train.steps=5"]
    assert main(["train", str(darcy_file), "--show", "--json", *words]) == 0
    about = json.loads(capsys.readouterr().out)
    data = dataset_file.read(darcy_file)
    per_epoch = len(data.split("train")) // 2
    arguments = {name: row["value"] for name, row in about["settings"]["model"].items()}
    network = build_model("llt", data.problem, **arguments)
    assert about["parameters"] == sum(p.numel() for p in network.parameters())
    assert about["steps_per_epoch"] == per_epoch
    assert about["epochs"] == -(-5 // per_epoch)
    assert about["settings"]["train"]["epochs"]["value"] == about["epochs"]
    assert about["settings"]["train"]["epochs"]["from"] == "train.steps"
    assert about["steps"] == about["epochs"] * per_epoch
    assert about["measured_steps"] == 3
    assert about["seconds"] > about["steps"] * about["seconds_per_step"]  # it validates, too
    assert about["memory_bytes"] > 2**27  # torch alone has more
    assert main(["train", str(darcy_file), "--show", *words]) == 0
    out = capsys.readouterr().out
    assert f"into runs/{darcy_file.stem}" in out
    assert "\ntrain.batch_size          2         command line  samples per step\n" in out
    assert f"\nparameters  {about['parameters']:,}\n" in out
    assert "measured on 3 steps" in out
    assert [*tmp_path.iterdir()] == [darcy_file]


def test_a_runs_own_settings_train_the_same_again(run, darcy_file, tmp_path):
    again = tmp_path / "again"
    words = ["--config", str(run / "config.toml"), "--device", "cpu"]
    assert main(["train", str(darcy_file), "--out", str(again), *words]) == 0
    assert (again / "config.toml").read_text() == (run / "config.toml").read_text()
    mine, its = (load_file(folder / "best/model.safetensors") for folder in (again, run))
    assert mine.keys() == its.keys()
    assert all(torch.equal(mine[name], its[name]) for name in its)


@pytest.mark.parametrize("number", [8, 200])
def test_own_problems_are_trained_for_steps_whatever_their_size(number, tmp_path):
    from dataclasses import replace

    from llt.choice import resolve

    own = replace(DARCY, name="own")
    _, _, config = resolve(own, Choice())
    assert config.steps == 20_000
    budget = config.with_budget(number)
    assert budget.epochs * (number // config.batch_size) == 20_000
    _, _, config = resolve(own, Choice(words=["train.epochs=3"]))
    assert (config.steps, config.epochs) == (0, 3)  # who asks for epochs gets them
    origin = settings_with_origin(own, Choice())["train"]["steps"]["from"]
    assert origin == "own problem"
    _, _, config = resolve(DARCY, Choice())
    assert (config.steps, config.epochs) == (0, 500)


def test_a_budget_counts_the_steps_of_all_times(tmp_path):
    from llt.training.run import train
    from tests.data.kinds import timed

    dataset_file.write(tmp_path / "timed.h5", timed())
    data = dataset_file.read(tmp_path / "timed.h5")
    items = len(data.split("train")) * len(data.times)
    config = TrainConfig(steps=items, batch_size=1)
    out = train(
        tmp_path / "timed.h5",
        tmp_path / "run",
        model_settings={"dim": 8, "num_layers": 1},
        config=config,
        device="cpu",
    )
    assert len((out / "metrics.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize("command", ["evaluate", "report", "train"])
def test_data_that_have_moved_are_asked_for(command, run, tmp_path, capsys):
    import shutil

    moved = shutil.copytree(run, tmp_path / "run")
    record = json.loads((moved / "data.json").read_text())
    (moved / "data.json").write_text(json.dumps(record | {"path": str(tmp_path / "gone.h5")}))
    (moved / "evaluation.json").unlink(missing_ok=True)
    shutil.rmtree(moved / "last")  # as if it had been interrupted
    words = ["train", "--resume"] if command == "train" else [command]
    assert main([*words, str(moved)]) == 2
    err = capsys.readouterr().err
    assert "gone.h5: no such file; if " in err
    assert ("llt train FILE --resume" if command == "train" else "--data FILE") in err
    assert err.count("\n") == 1
