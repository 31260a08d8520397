"""Trained weights to begin with: what is kept, what is refused, and that a run goes on alone."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from llt.choice import Choice, model_of, resolve
from llt.cli import main
from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.errors import ConfigError
from llt.fitting import Room
from llt.models import build_model
from llt.training import resume, train
from llt.training.config import TrainConfig
from llt.training.loop import Interrupted
from llt.training.settings import read_start, read_toml
from llt.training.start import begin
from tests.conftest import darcy_like, ragged
from tests.training.test_run import stop_after

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}
CONFIG = TrainConfig(epochs=2, batch_size=4, seed=1)


@pytest.fixture
def run(darcy_file, tmp_path):
    config = TrainConfig(epochs=1, batch_size=4)
    return train(darcy_file, tmp_path / "trained", model_settings=MODEL, config=config)


def two_outputs() -> Dataset:
    data = darcy_like(seed=3)
    problem = replace(data.problem, name="own", outputs=("pressure", "flux"))
    outputs = np.concatenate([data.outputs, 2 * data.outputs], axis=-1)
    return replace(data, problem=problem, outputs=outputs)


def weights_of(run):
    return load_file(run / "best" / "model.safetensors")


def test_the_same_fields_keep_all_weights(run, darcy_data):
    network = build_model("llt", darcy_data.problem, **MODEL)
    start = begin(network, str(run))
    for name, value in network.state_dict().items():
        assert torch.equal(value, weights_of(run)[name])
    assert start.new == ()
    assert start.kept == sum(p.numel() for p in network.parameters())


def test_other_fields_get_new_layers_and_keep_the_blocks(run):
    network = build_model("llt", two_outputs().problem, **MODEL)
    before = {name: value.clone() for name, value in network.state_dict().items()}
    start = begin(network, str(run))
    found, trained = network.state_dict(), weights_of(run)
    assert start.new == ("head.2",)
    assert torch.equal(found["head.2.weight"], before["head.2.weight"])
    kept = [name for name in found if name.startswith(("blocks.", "embedder.", "skip."))]
    assert kept and all(torch.equal(found[name], trained[name]) for name in kept)
    assert "head.2" in str(start) and f"{start.kept:,}" in str(start)


@pytest.mark.parametrize(
    ("settings", "right"),
    [({"dim": 16}, "model.dim=8"), ({"num_layers": 2}, "model.num_layers=1")],
)
def test_other_sizes_are_refused_with_the_right_ones(run, darcy_data, settings, right):
    network = build_model("llt", darcy_data.problem, **(MODEL | settings))
    with pytest.raises(ConfigError, match=f"do not fit: .* --set {right}"):
        begin(network, str(run))


def test_other_meshes_and_models_are_refused(run, darcy_data):
    with pytest.raises(ConfigError, match=r"was trained on darcy: .* the data are points: "):
        begin(build_model("llt", ragged().problem, **MODEL), str(run))
    with pytest.raises(ConfigError, match="weights of llt, not of fno; use --model llt"):
        begin(build_model("fno", darcy_data.problem, dim=8, modes=3, num_layers=1), str(run))


def test_blocks_that_differ_otherwise_are_refused(run, darcy_data):
    """A setting that changes shapes is not among those that have words of their own."""
    network = build_model("llt", darcy_data.problem, **MODEL)
    network.blocks[0].attention.out = torch.nn.Linear(8, 9)
    with pytest.raises(ConfigError, match=r"blocks.0.attention.out.bias has another shape"):
        begin(network, str(run))


def test_settings_are_those_of_the_weights(run, darcy_data):
    choice, room = Choice(start=str(run)), Room.of(darcy_data, "cpu")
    _, model, config = resolve(darcy_data.problem, choice, room)
    _, _, usual = resolve(darcy_data.problem, Choice(), room)
    assert {name: model[name] for name in MODEL} == MODEL
    assert (config.lr, config.muon_lr) == (usual.lr, usual.muon_lr)
    assert usual.mean_field and not config.mean_field  # the trained weights give whole fields
    assert model_of(choice) == "llt"
    _, _, own = resolve(darcy_data.problem, replace(choice, words=["train.lr=0.5"]), room)
    assert own.lr == 0.5
    with pytest.raises(ConfigError, match=r"preset tiny: weights of .* have sizes of their own"):
        resolve(darcy_data.problem, replace(choice, preset="tiny"))


def test_a_run_goes_on_without_the_weights_it_began_with(run, darcy_file, tmp_path):
    options = {"model_settings": MODEL, "config": CONFIG, "start": str(run)}
    whole = train(darcy_file, tmp_path / "whole", **options)
    other = train(darcy_file, tmp_path / "other", model_settings=MODEL, config=CONFIG)
    with pytest.raises(Interrupted):
        train(darcy_file, tmp_path / "stopped", listener=stop_after(1), **options)
    # as if killed before its first step
    early = shutil.copytree(tmp_path / "stopped", tmp_path / "early")
    shutil.rmtree(run)
    resume(tmp_path / "stopped")
    last = [load_file(tmp_path / name / "last/model.safetensors") for name in ("whole", "stopped")]
    assert all(torch.equal(last[0][name], last[1][name]) for name in last[0])
    scratch = load_file(other / "last/model.safetensors")
    assert not all(torch.equal(last[0][name], scratch[name]) for name in scratch)
    assert (early / "state.safetensors").is_file()
    record = json.loads((whole / "env.json").read_text())["from"]
    assert record["path"] == str(run) and record["new"] == [] and record["kept"] > 0
    assert read_start(whole / "config.toml") == str(run)
    assert read_toml(whole / "config.toml")["model"]["dim"] == 8


def test_a_run_killed_before_its_first_step_begins_with_the_same_weights(
    run, darcy_file, tmp_path, monkeypatch
):
    options = {"model_settings": MODEL, "config": CONFIG, "start": str(run)}
    whole = train(darcy_file, tmp_path / "whole", **options)

    def killed(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("llt.training.run.run_epochs", killed)
        with pytest.raises(KeyboardInterrupt):
            train(darcy_file, tmp_path / "killed", **options)
    shutil.rmtree(run)
    resume(tmp_path / "killed")
    last = [load_file(tmp_path / name / "last/model.safetensors") for name in ("whole", "killed")]
    assert all(torch.equal(last[0][name], last[1][name]) for name in last[0])
    assert (whole / "config.toml").read_text() == (tmp_path / "killed/config.toml").read_text()


def test_the_command_says_what_was_kept(run, tmp_path, capsys):
    dataset_file.write(tmp_path / "own.h5", two_outputs())
    words = ["train", str(tmp_path / "own.h5"), "--from", str(run), "--device", "cpu"]
    assert main([*words, "--out", str(tmp_path / "r"), "--set", "train.epochs=1"]) == 0
    err = capsys.readouterr().err
    assert f"from {run} (darcy: permeability -> pressure" in err
    assert "parameters kept; new: head.2" in err
    again = ["train", str(tmp_path / "own.h5"), "--config", str(tmp_path / "r/config.toml")]
    assert main([*again, "--device", "cpu", "--out", str(tmp_path / "again")]) == 0
    first, second = weights_of(tmp_path / "r"), weights_of(tmp_path / "again")
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert main([*words, "--out", str(tmp_path / "no"), "--set", "model.dim=16"]) == 2
    assert "leave it out or use --set model.dim=8" in capsys.readouterr().err
    assert not (tmp_path / "no").exists()
    assert main(["train", "--resume", str(run), "--from", str(run)]) == 2
