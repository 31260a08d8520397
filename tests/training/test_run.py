"""Training runs: they learn, they resume bitwise, they never overwrite."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import llt
from llt.checkpoint import read_weights
from llt.data import dataset_file
from llt.data.neighbors import training_radius
from llt.data.sources import open_source
from llt.data.splits import Splits
from llt.errors import BusyError, CheckpointError, ConfigError, DataError, TrainingError
from llt.models import build_model
from llt.presets import find_preset
from llt.problem import DARCY
from llt.runtime.device import find_device
from llt.runtime.lock import NAME as LOCK
from llt.runtime.signals import STOPPING
from llt.training import loop, resume, setup, train
from llt.training.config import TrainConfig
from llt.training.loop import Interrupted
from llt.training.schedule import learning_rates
from llt.training.settings import read_toml
from llt.training.setup import LADDERS, _capture, with_precision
from llt.training.step import TrainingStep
from llt.training.validation import Errors, sample_errors
from tests.training.test_step import KINDS

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}
CONFIG = TrainConfig(epochs=4, batch_size=3, lr=3e-3, augment=True)


def weights(run):
    return load_file(run / "last" / "model.safetensors")


def assert_same(run, other):
    for name, value in weights(run).items():
        assert torch.equal(value, weights(other)[name]), name


def stop_after(steps, signum=signal.SIGINT):
    """A listener that asks the run to stop after so many steps."""
    count = 0

    def listener(tick):
        nonlocal count
        count += tick.metrics is None
        if count == steps:
            os.kill(os.getpid(), signum)

    return listener


def test_the_loss_falls(darcy_file, tmp_path):
    config = replace(CONFIG, epochs=40, lr=1e-2, augment=False)
    run = train(darcy_file, tmp_path / "run", model_settings=MODEL, config=config)
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == list(range(1, 41))
    assert lines[-1]["train_loss"] < 0.2 * lines[0]["train_loss"]


def test_run_folder_says_what_was_trained_on_what(darcy_file, tmp_path, darcy_data):
    run = train(darcy_file, tmp_path / "run", model_settings=MODEL, config=CONFIG)
    assert {p.name for p in run.iterdir()} == {
        "config.toml", "env.json", "data.json", "metrics.jsonl", "best", "last",
    }  # fmt: skip
    record = json.loads((run / "data.json").read_text())
    assert record["hash"] == darcy_data.hash
    assert record["split_hash"] == darcy_data.splits.hash
    assert json.loads((run / "env.json").read_text())["packages"]["torch"] == torch.__version__


def test_metrics_are_means_over_the_samples(darcy_file, tmp_path, darcy_data):
    """With a rate of nothing, every epoch sees the same model: the one that is saved."""
    config = TrainConfig(epochs=2, batch_size=4, lr=1e-30, weight_decay=0.0)
    run = train(darcy_file, tmp_path / "run", model_settings=MODEL, config=config)
    surrogate = llt.load(run / "last")

    def mean_error(split):
        errors = []
        for sample in map(darcy_data.sample, darcy_data.split(split)):
            u = torch.from_numpy(surrogate.predict(sample.points, sample.inputs))
            target = torch.from_numpy(sample.outputs)
            errors.append(((u - target).norm() / target.norm()).item())
        return sum(errors) / len(errors)

    rates, _ = learning_rates("onecycle", 4, 1e-30)
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    for epoch, line in enumerate(lines):
        assert line["train_loss"] == pytest.approx(mean_error("train"), rel=1e-4)
        assert line["val_error"] == pytest.approx(mean_error("val"), rel=1e-4)
        assert line["lr"] == pytest.approx(rates[2 * epoch + 1], rel=1e-9, abs=0)


@pytest.mark.parametrize("mean_field", [False, True])
def test_a_run_that_gets_worse_keeps_the_mean(darcy_file, tmp_path, darcy_data, mean_field):
    config = TrainConfig(epochs=2, batch_size=4, lr=1.0, mean_field=mean_field)
    run = train(darcy_file, tmp_path / "run", model_settings=MODEL, config=config)
    sample = darcy_data.sample(darcy_data.split("test")[0])
    u = llt.load(run).predict(sample.points, sample.inputs)
    train_outputs = darcy_data.outputs[darcy_data.split("train")]
    mean = train_outputs.mean(0) if mean_field else np.full_like(u, train_outputs.mean())
    assert u == pytest.approx(mean, rel=1e-5, abs=1e-7)
    moved = llt.load(run / "last").predict(sample.points, sample.inputs)
    assert np.abs(moved - mean).max() > 1e-3 * np.abs(mean).max()


def test_a_budget_in_steps_is_whole_epochs(darcy_file, tmp_path, darcy_data):
    per_epoch = len(darcy_data.split("train")) // 4
    config = TrainConfig(steps=per_epoch + 1, batch_size=4)
    run = train(darcy_file, tmp_path / "run", model_settings=MODEL, config=config)
    assert [line["epoch"] for line in untimed_metrics(run)] == [1, 2]


def test_much_validation_is_not_after_every_epoch(tmp_path, darcy_data):
    few = replace(darcy_data, splits=Splits.of([0, 1], [2, 3, 4, 5, 6], [7]))
    dataset_file.write(tmp_path / "few.h5", few)
    config = TrainConfig(epochs=7, batch_size=2)
    run = train(tmp_path / "few.h5", tmp_path / "run", model_settings=MODEL, config=config)
    assert [line["epoch"] for line in untimed_metrics(run)] == [3, 6, 7]


@pytest.mark.parametrize("derivative", [0.0, 0.1])
@pytest.mark.parametrize("exponent", [-80, 80], ids=["1e-24", "1e24"])
def test_units_do_not_matter(tmp_path, darcy_data, exponent, derivative):
    """Permeabilities of 1e-18 m², pressures of 1e9 Pa: float32 has no room for such squares."""
    config = TrainConfig(epochs=2, batch_size=4, derivative=derivative)
    errors = []
    for name, factor in (("plain", 1.0), ("scaled", 2.0**exponent)):
        data = replace(darcy_data, outputs=darcy_data.outputs * np.float32(factor))
        dataset_file.write(tmp_path / f"{name}.h5", data)
        run = train(tmp_path / f"{name}.h5", tmp_path / name, model_settings=MODEL, config=config)
        errors.append([line["val_error"] for line in untimed_metrics(run)])
    assert errors[1] == pytest.approx(errors[0], rel=1e-4)


UNFIT = {
    "wide": ({"dim": 200_000, "heads": 8}, r"parameters needs [\d.]+ GiB to be trained, cpu has"),
    "deep": ({"num_layers": 10**6}, "model.num_layers=1000000 must be between 0 and 1000"),
    "negative": ({"bands": -1}, "model.bands=-1 must be between 0 and"),
    "no number of this machine": ({"ffn_dim": 10**20}, f"model.ffn_dim={10**20} must be between"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_a_network_that_cannot_be_trained_is_refused(darcy_file, tmp_path, case):
    settings, message = UNFIT[case]
    with pytest.raises(ConfigError, match=message):
        train(darcy_file, tmp_path / "run", model_settings=settings, config=CONFIG, device="cpu")
    assert not (tmp_path / "run").exists()


def test_the_display_is_told_every_step_and_epoch(darcy_file, tmp_path):
    ticks = []
    config = replace(CONFIG, epochs=2)
    train(darcy_file, tmp_path / "r", model_settings=MODEL, config=config, listener=ticks.append)
    assert ticks[0].note is not None and not any(tick.note for tick in ticks[1:])
    assert "parameters, on cpu in fp32; cpu kernels: the CPU has no fused ones" in ticks[0].note
    told = [(t.epoch, t.position, t.metrics is not None) for t in ticks]
    assert told == [
        (0, 1, False), (0, 2, False), (1, 0, True), (1, 1, False), (1, 2, False), (2, 0, True),
    ]  # fmt: skip
    assert {(t.epochs, t.steps_per_epoch) for t in ticks} == {(2, 2)}


def test_seed_decides_the_first_weights(darcy_file, tmp_path, monkeypatch):
    monkeypatch.setattr("llt.training.run._run", lambda out, setup, *rest: setup.step.surrogate)
    first = [
        train(darcy_file, tmp_path / str(i), config=replace(CONFIG, seed=seed)).model.skip.weight
        for i, seed in enumerate((0, 1, 1))
    ]
    assert torch.equal(first[1], first[2])
    assert not torch.equal(first[0], first[1])


def test_point_sets_are_trained_with_the_papers_radius(tmp_path, ragged_data):
    dataset_file.write(tmp_path / "set.h5", ragged_data)
    config = TrainConfig(epochs=1)
    run = train(tmp_path / "set.h5", tmp_path / "run", model_settings=MODEL, config=config)
    assert llt.load(run).radius == training_radius(ragged_data)


def test_a_run_finds_its_data_from_anywhere(darcy_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = replace(CONFIG, epochs=1)
    run = train(Path(darcy_file.name), tmp_path / "run", model_settings=MODEL, config=config)
    assert json.loads((run / "data.json").read_text())["path"] == str(darcy_file.resolve())


def test_signal_handlers_are_put_back(darcy_file, tmp_path):
    before = [signal.getsignal(s) for s in STOPPING]
    with pytest.raises(Interrupted):
        train(
            darcy_file,
            tmp_path / "run",
            model_settings=MODEL,
            config=CONFIG,
            listener=stop_after(1),
        )
    assert [signal.getsignal(s) for s in STOPPING] == before


def one_error(value):
    one, row = torch.tensor([value]), torch.tensor([[value]])
    return Errors(total=one, fields=row, times=row, field_times=row[None], squares=row[None, None])


@pytest.mark.parametrize("stop", [None, 5], ids=["whole", "interrupted"])
def test_best_weights_are_those_of_the_smallest_validation_error(
    darcy_file, tmp_path, monkeypatch, stop
):
    """Errors as given here, smallest after the second epoch; an interruption changes nothing."""
    errors = iter([0.9, 0.5, 0.2, 0.4, 0.3])  # the first is the mean's, before all epochs
    monkeypatch.setattr(loop, "sample_errors", lambda *args, **named: one_error(next(errors)))
    kept = {}

    def remember(tick):
        if tick.metrics:
            kept[tick.epoch] = (tmp_path / "run/best/model.safetensors").read_bytes()

    stopper = stop_after(stop)

    def interrupt(tick):
        remember(tick)
        stopper(tick)

    options = {"model_settings": MODEL, "config": CONFIG}
    if stop:
        with pytest.raises(Interrupted):
            train(darcy_file, tmp_path / "run", listener=interrupt, **options)
        resume(tmp_path / "run", listener=remember)
    else:
        train(darcy_file, tmp_path / "run", listener=remember, **options)
    assert kept[1] != kept[2] == kept[3] == kept[4]
    _, metadata = read_weights(tmp_path / "run/best")
    assert metadata == {"epoch": 2, "val_error": pytest.approx(0.2)}
    _, metadata = read_weights(tmp_path / "run/last")
    assert metadata == {"epoch": 4, "val_error": pytest.approx(0.3)}


def test_a_run_says_which_precision_it_has(darcy_file, tmp_path):
    train(darcy_file, tmp_path / "run", model_settings=MODEL, config=CONFIG, device="cpu")
    assert read_toml(tmp_path / "run" / "config.toml")["train"]["precision"] == "fp32"


@pytest.mark.parametrize(
    ("model", "asked", "device", "precision"),
    [
        ("llt", "auto", "cuda", "fp16"),
        ("fno", "auto", "cuda", "tf32"),
        ("llt", "auto", "cpu", "fp32"),
        ("llt", "bf16", "cuda", "bf16"),
    ],
)
def test_precision_is_the_models_unless_asked_for(model, asked, device, precision):
    network = build_model(model, DARCY, **find_preset("tiny", model).model)
    config = TrainConfig(precision=asked, seed=3)
    expected = replace(config, precision=precision)
    assert with_precision(config, network, torch.device(device)) == expected


def test_validation_has_the_precision_of_the_training(darcy_file, tmp_path, monkeypatch):
    seen = []

    def watched(*words, **named):
        seen.append(torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu"))
        return one_error(1.0)

    monkeypatch.setattr(loop, "sample_errors", watched)
    options = {"model_settings": MODEL, "config": replace(CONFIG, epochs=1)}
    train(darcy_file, tmp_path / "full", **options)
    half = lambda step: torch.autocast("cpu", torch.bfloat16)  # noqa: E731
    monkeypatch.setattr(TrainingStep, "autocast", half)
    train(darcy_file, tmp_path / "half", **options)
    assert seen == 2 * [False] + 2 * [torch.bfloat16]


@pytest.mark.parametrize("data_name", ["darcy", "ragged", "timed", "geometry"])
def test_every_kind_of_data_trains(data_name, tmp_path, darcy_data, ragged_data):
    from tests.conftest import geometry_only
    from tests.data.kinds import timed

    data = {
        "darcy": darcy_data,
        "ragged": ragged_data,
        "timed": timed(),
        "geometry": geometry_only(),
    }[data_name]
    dataset_file.write(tmp_path / "set.h5", data)
    config = replace(CONFIG, epochs=2, augment=False)
    run = train(tmp_path / "set.h5", tmp_path / "run", model_settings=MODEL, config=config)
    assert llt.load(run).problem == data.problem


@pytest.mark.parametrize("average", [0.0, 0.8], ids=["", "averaged"])
@pytest.mark.parametrize("steps", [1, 4, 5])
def test_interrupted_run_resumes_bitwise(darcy_file, tmp_path, steps, average):
    """Eight training samples in batches of three: two steps an epoch, stopped in several places."""
    config = replace(CONFIG, seed=3, average=average)
    options = {"model_settings": MODEL | {"alpha": 0.2}, "config": config}
    whole = train(darcy_file, tmp_path / "whole", **options)
    with pytest.raises(Interrupted):
        train(darcy_file, tmp_path / "broken", listener=stop_after(steps), **options)
    broken = resume(tmp_path / "broken")
    assert_same(whole, broken)
    assert untimed_metrics(whole) == untimed_metrics(broken)
    assert {p.name for p in broken.iterdir()} == {p.name for p in whole.iterdir()}


@pytest.mark.parametrize("place", ["host", "file"])
@pytest.mark.parametrize("kind", ["darcy", "ragged", "timed"])
def test_where_the_data_are_changes_nothing(kind, place, tmp_path):
    """Neither does an interruption in the middle of an epoch."""
    dataset_file.write(tmp_path / "set.h5", KINDS[kind]())
    config = replace(CONFIG, augment=kind == "darcy", batch_size=2, epochs=2)
    near, far = (
        {"model_settings": MODEL, "config": replace(config, data=p)} for p in ("device", place)
    )
    whole = train(tmp_path / "set.h5", tmp_path / "device", **near)
    straight = train(tmp_path / "set.h5", tmp_path / place, **far)
    with pytest.raises(Interrupted):
        train(tmp_path / "set.h5", tmp_path / "broken", listener=stop_after(3), **far)
    for run in (straight, resume(tmp_path / "broken")):
        assert_same(whole, run)
        assert untimed_metrics(whole) == untimed_metrics(run)


def test_a_run_with_muon_resumes_bitwise(darcy_file, tmp_path):
    options = {"model_settings": MODEL, "config": replace(CONFIG, optimizer="muon")}
    whole = train(darcy_file, tmp_path / "whole", **options)
    with pytest.raises(Interrupted):
        train(darcy_file, tmp_path / "broken", listener=stop_after(3), **options)
    assert_same(whole, resume(tmp_path / "broken"))


@pytest.mark.parametrize("model", ["transolver_plus_plus", "oformer", "lsm"])
def test_a_model_with_noise_dropout_or_batch_norm_resumes_bitwise(darcy_file, tmp_path, model):
    options = {"model": model, "model_settings": find_preset("tiny", model).model, "config": CONFIG}
    whole = train(darcy_file, tmp_path / "whole", **options)
    with pytest.raises(Interrupted):
        train(darcy_file, tmp_path / "broken", listener=stop_after(3), **options)
    torch.rand(7)  # what else happens in between does not matter
    assert_same(whole, resume(tmp_path / "broken"))


def test_a_state_of_earlier_versions_resumes(darcy_file, tmp_path):
    """Without random state; in fp16 the steps since an overflow had another name."""
    options = {"model_settings": MODEL, "config": CONFIG}
    whole = train(darcy_file, tmp_path / "whole", **options)
    broken = tmp_path / "broken"
    with pytest.raises(Interrupted):
        train(darcy_file, broken, listener=stop_after(3), **options)
    path = broken / "state.safetensors"
    with safe_open(path, framework="pt") as state:
        about = json.loads(state.metadata()["about"])
    metadata = {"progress": json.dumps(about["progress"])}
    tensors = {k: v for k, v in load_file(path).items() if not k.startswith("random.")}
    assert {"optimizer.flat", "optimizer.first", "optimizer.second", "loss_sum"} <= {*tensors}
    save_file(tensors | {"optimizer.calm": torch.zeros(1)}, path, metadata)
    assert_same(whole, resume(broken))


def test_the_average_is_validated_and_saved_while_training_goes_on_with_the_weights(
    darcy_file, tmp_path, monkeypatch
):
    """A decay of nothing is the weights themselves; one of nearly 1 the mean of all steps."""
    seen = {}
    for decay in (0.0, 1e-9, 0.999):
        name, steps = str(decay), []
        original = TrainingStep._run

        def remember(step, size=None, original=original, steps=steps):
            original(step, size)
            steps.append(step.optimizer.parameters.flat.clone())

        with monkeypatch.context() as patch:
            patch.setattr(TrainingStep, "_run", remember)
            config = replace(CONFIG, average=decay)
            train(darcy_file, tmp_path / name, model_settings=MODEL, config=config)
        seen[decay] = torch.stack(steps)
    for decay in (1e-9, 0.999):  # validation left no trace in the training
        assert torch.equal(seen[decay], seen[0.0])
    assert_same(tmp_path / "0.0", tmp_path / "1e-09")
    assert untimed_metrics(tmp_path / "0.0") == untimed_metrics(tmp_path / "1e-09")
    saved = [p.detach() for p in llt.load(tmp_path / "0.999" / "last").model.parameters()]
    mean = seen[0.0].double().mean(0).float()
    torch.testing.assert_close(
        torch.cat([p.reshape(-1) for p in saved]), mean, rtol=1e-2, atol=1e-5
    )
    errors = [m["val_error"] for m in untimed_metrics(tmp_path / "0.999")]
    surrogate = llt.load(tmp_path / "0.999" / "last")
    data = dataset_file.read(darcy_file)
    part = open_source(data, data.split("val"), torch.device("cpu"))
    assert errors[-1] == pytest.approx(sample_errors(surrogate, part).total.mean().item())


def test_fields_have_their_own_errors_in_the_metrics(tmp_path, ragged_data):
    dataset_file.write(tmp_path / "set.h5", ragged_data)
    config = replace(CONFIG, epochs=1, augment=False)
    run = train(tmp_path / "set.h5", tmp_path / "run", model_settings=MODEL, config=config)
    (line,) = untimed_metrics(run)
    assert [*line["val_fields"]] == ["stress", "strain"]
    low, high = sorted(line["val_fields"].values())
    assert low < line["val_error"] < high


def test_lines_of_epochs_that_are_trained_again_are_dropped(darcy_file, tmp_path):
    """Killed after the second epoch, the state saved in the middle of it."""
    options = {"model_settings": MODEL, "config": CONFIG}
    whole = train(darcy_file, tmp_path / "whole", **options)
    with pytest.raises(Interrupted):
        train(darcy_file, tmp_path / "broken", listener=stop_after(3), **options)
    with (tmp_path / "broken/metrics.jsonl").open("a") as lines:
        lines.write('{"epoch": 2, "train_loss": 7.0}\n{"epoch": 1e999}\n{"epo')
    assert untimed_metrics(resume(tmp_path / "broken")) == untimed_metrics(whole)


def untimed_metrics(run):
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [{k: v for k, v in line.items() if k != "seconds"} for line in lines]


KILLED = """
import os, signal, sys
from pathlib import Path
from llt.training import train, TrainConfig
import torch
torch.set_num_threads(1)
steps = 0
def listener(tick):
    global steps
    steps += tick.metrics is None
    if steps == 5:  # in the middle of the third epoch
        os.kill(os.getpid(), signal.SIGKILL)
config = TrainConfig(epochs=4, batch_size=3, lr=3e-3, augment=True,
                     checkpoint_seconds=float(sys.argv[3]))
train(Path(sys.argv[1]), Path(sys.argv[2]), model_settings=dict(dim=8, num_layers=1, heads=2),
      config=config, listener=listener)
"""


@pytest.mark.parametrize("checkpoint_seconds", [0, 1000], ids=["saved-often", "never-saved"])
def test_killed_run_resumes_bitwise(darcy_file, tmp_path, checkpoint_seconds):
    """kill -9 in the middle of an epoch; what it had saved is enough."""
    config = replace(CONFIG, checkpoint_seconds=float(checkpoint_seconds))
    whole = train(darcy_file, tmp_path / "whole", model_settings=MODEL, config=config)
    broken = tmp_path / "broken"
    command = [sys.executable, "-c", KILLED, darcy_file, broken, checkpoint_seconds]
    killed = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (broken / "last").exists()
    assert (broken / "state.safetensors").exists() == (checkpoint_seconds == 0)
    with pytest.warns(UserWarning, match="taken over"):
        resume(broken)
    assert_same(whole, broken)


def test_existing_run_is_never_overwritten(darcy_file, tmp_path):
    run = train(darcy_file, tmp_path / "run", model_settings=MODEL, config=CONFIG)
    before = (run / "last" / "model.safetensors").read_bytes()
    with pytest.raises(
        ConfigError, match=r"run: already exists; choose another --out, or --resume"
    ):
        train(darcy_file, run, model_settings=MODEL, config=CONFIG)
    assert (run / "last" / "model.safetensors").read_bytes() == before


def test_a_complete_run_that_is_resumed_stays_as_it_is(darcy_file, tmp_path):
    run = train(darcy_file, tmp_path / "run", model_settings=MODEL, config=CONFIG)
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert resume(run) == run
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_one_training_at_a_time_in_a_folder(darcy_file, tmp_path):
    """Another one that begins, or a resume, is told; the first goes on undisturbed."""
    options = {"model_settings": MODEL, "config": CONFIG}
    whole = train(darcy_file, tmp_path / "whole", **options)
    refused = []

    def disturb(tick):
        if not refused:
            for other in (lambda: train(darcy_file, run, **options), lambda: resume(run)):
                with pytest.raises((BusyError, ConfigError)) as caught:
                    other()
                refused.append(caught.type)

    run = tmp_path / "run"
    assert_same(whole, train(darcy_file, run, listener=disturb, **options))
    assert refused == [ConfigError, BusyError]
    assert not (run / LOCK).exists()


def test_two_that_begin_at_once_do_not_mix(darcy_file, tmp_path, monkeypatch):
    """Both find the folder free; the second has set up when the first has begun."""
    options = {"model_settings": MODEL, "config": CONFIG}
    run, set_up, others = tmp_path / "run", setup.set_up, []

    def slow(*args):
        ready = set_up(*args)
        if not others:
            others.append(True)
            train(darcy_file, run, **options)
        return ready

    monkeypatch.setattr(setup, "set_up", slow)
    with pytest.raises(ConfigError, match="run: already exists"):
        train(darcy_file, run, **options)
    assert len(untimed_metrics(run)) == CONFIG.epochs


@pytest.mark.parametrize("last", ["env.json", "data.json", "config.toml"])
def test_a_run_killed_in_its_first_moments_is_no_dead_end(darcy_file, tmp_path, monkeypatch, last):
    options = {"model_settings": MODEL, "config": CONFIG}
    whole = train(darcy_file, tmp_path / "whole", **options)
    killed = tmp_path / "killed"
    killed.mkdir()
    for name in ("env.json", "data.json", "config.toml"):
        (killed / name).write_bytes((whole / name).read_bytes())
        if name == last:
            break
    again = resume(killed) if last == "config.toml" else train(darcy_file, killed, **options)
    assert_same(whole, again)


def test_resume_wants_the_same_data(darcy_file, tmp_path, darcy_data):
    with pytest.raises(Interrupted):
        train(
            darcy_file,
            tmp_path / "run",
            model_settings=MODEL,
            config=CONFIG,
            listener=stop_after(2),
        )
    dataset_file.write(darcy_file, replace(darcy_data, splits=Splits.consecutive(6, 3, 3)))
    with pytest.raises(CheckpointError, match="was trained on data"):
        resume(tmp_path / "run")


def test_resume_takes_data_that_were_moved(darcy_file, tmp_path):
    run = tmp_path / "run"
    with pytest.raises(Interrupted):
        train(darcy_file, run, model_settings=MODEL, config=CONFIG, listener=stop_after(2))
    moved = darcy_file.rename(tmp_path / "moved.h5")
    with pytest.raises(DataError, match=r"darcy\.h5: no such file"):
        resume(run)
    assert (resume(run, data_path=moved) / "last").is_dir()


def test_damaged_state_is_reported(darcy_file, tmp_path):
    with pytest.raises(Interrupted):
        train(
            darcy_file,
            tmp_path / "run",
            model_settings=MODEL,
            config=CONFIG,
            listener=stop_after(2),
        )
    (tmp_path / "run" / "state.safetensors").write_bytes(b"junk")
    with pytest.raises(CheckpointError, match=r"state.safetensors: damaged"):
        resume(tmp_path / "run")


def test_state_of_another_model_is_reported(darcy_file, tmp_path):
    run = tmp_path / "run"
    with pytest.raises(Interrupted):
        train(darcy_file, run, model_settings=MODEL, config=CONFIG, listener=stop_after(2))
    text = (run / "config.toml").read_text()
    (run / "config.toml").write_text(text.replace("dim = 8", "dim = 16"))
    with pytest.raises(CheckpointError, match=r"begun with model.dim=8, config.toml now says 16"):
        resume(run)


def test_diverging_training_stops_with_one_line(darcy_file, tmp_path):
    config = replace(CONFIG, lr=1e30, clip=0.0)
    with pytest.raises(TrainingError, match=r"the loss is (nan|inf); try a smaller train.lr"):
        train(darcy_file, tmp_path / "run", model_settings=MODEL, config=config)


def test_empty_training_split(tmp_path, darcy_data):
    dataset_file.write(tmp_path / "set.h5", replace(darcy_data, splits=Splits.consecutive(0, 6, 6)))
    with pytest.raises(DataError, match="split 'train' is empty"):
        train(tmp_path / "set.h5", tmp_path / "run", model_settings=MODEL, config=CONFIG)


def test_graph_mode_needs_cuda(darcy_file, tmp_path):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(ConfigError, match=r"train.mode=graph needs a CUDA device"):
        train(darcy_file, tmp_path / "run", config=replace(CONFIG, mode="graph"), device="cpu")


def test_devices_that_are_not_there():
    with pytest.raises(ConfigError, match="unknown device 'gpu'; choose from auto, cpu, cuda"):
        find_device("gpu")
    if not torch.cuda.is_available():
        with pytest.raises(ConfigError, match="device cuda: no CUDA device is available here"):
            find_device("cuda")


def test_time_spent_adds_up_over_attempts(darcy_file, tmp_path):
    def slow(tick):
        time.sleep(0.02)
        stop(tick)

    stop = stop_after(4)
    with pytest.raises(Interrupted):
        train(darcy_file, tmp_path / "run", model_settings=MODEL, config=CONFIG, listener=slow)
    run = resume(tmp_path / "run")
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    seconds = [line["seconds"] for line in lines]
    assert seconds == sorted(seconds)
    assert seconds[-1] > 0.06


REFUSED = {
    "graph on the cpu": replace(CONFIG, mode="graph"),
    "no symmetries": replace(CONFIG, augment=True),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_start_leaves_nothing_behind(case, tmp_path, ragged_data):
    dataset_file.write(tmp_path / "set.h5", ragged_data)
    for _ in range(2):  # the second try gets the same answer
        with pytest.raises((ConfigError, DataError), match=r"needs a CUDA|declares no symmetries"):
            train(
                tmp_path / "set.h5",
                tmp_path / "run",
                model_settings=MODEL,
                config=REFUSED[case],
                device="cpu",
            )
    assert not (tmp_path / "run").exists()


def test_muon_wants_matrices(darcy_file, tmp_path):
    config = replace(CONFIG, optimizer="muon")
    with pytest.raises(ConfigError, match="FNO has no matrices inside its blocks; use adamw"):
        train(darcy_file, tmp_path / "run", model="fno", config=config)
    assert not (tmp_path / "run").exists()


def test_a_derivative_term_wants_a_grid_or_a_graph(tmp_path, ragged_data):
    dataset_file.write(tmp_path / "set.h5", ragged_data)
    config = replace(CONFIG, augment=False, derivative=0.1)
    sizes = find_preset("tiny", "transolver").model
    with pytest.raises(ConfigError, match=r"points has no grid.* use train.derivative=0"):
        train(
            tmp_path / "set.h5",
            tmp_path / "run",
            model="transolver",
            model_settings=sizes,
            config=config,
        )
    assert not (tmp_path / "run").exists()


def test_errors_of_validation_are_without_the_derivative_term(darcy_file, tmp_path):
    """With a rate of nothing, both runs have the same model."""
    lines = []
    for weight in (0.0, 0.5):
        config = TrainConfig(epochs=1, lr=1e-30, weight_decay=0.0, derivative=weight)
        run = train(darcy_file, tmp_path / str(weight), model_settings=MODEL, config=config)
        lines.append(json.loads((run / "metrics.jsonl").read_text()))
    assert lines[0]["val_error"] == lines[1]["val_error"]
    assert lines[0]["train_loss"] < lines[1]["train_loss"]


class Stubborn:
    """A step that runs in some modes only."""

    def __init__(self, *works):
        self.works, self.tried = works, []

    def capture(self, *, compiled):
        self.tried.append("compile" if compiled else "graph")
        if self.tried[-1] not in self.works:
            raise RuntimeError("operation not permitted when stream is capturing\nmore")


def test_a_step_that_cannot_be_captured_runs_eagerly_unless_asked_for():
    with pytest.warns(UserWarning, match="captured and runs eagerly: operation not permitted"):
        _capture(Stubborn(), LADDERS["auto"])
    with pytest.raises(ConfigError, match=r"train\.mode=graph: operation .* use train\.mode=eager"):
        _capture(Stubborn(), ("graph",))


def test_the_fastest_mode_that_works_is_taken():
    step = Stubborn("compile", "graph")
    _capture(step, LADDERS["fastest"])
    assert step.tried == ["compile"]
    step = Stubborn("graph")
    with pytest.warns(UserWarning, match="cannot be compiled and is captured as it is: operation"):
        _capture(step, LADDERS["fastest"])
    assert step.tried == ["compile", "graph"]


def test_the_fastest_mode_of_a_cpu_is_eager(darcy_file, tmp_path):
    runs = [
        train(
            darcy_file,
            tmp_path / mode,
            model_settings=MODEL,
            device="cpu",
            config=replace(CONFIG, epochs=1, mode=mode),
        )
        for mode in ("fastest", "eager")
    ]
    lines = [json.loads((run / "metrics.jsonl").read_text()) for run in runs]
    assert lines[0]["train_loss"] == lines[1]["train_loss"]


def test_balanced_fields_choose_the_weights(tmp_path, ragged_data):
    """Whatever the units of a field are, its error counts the same."""
    large = np.array([1, 1e5], np.float32)
    path = tmp_path / "ragged.h5"
    dataset_file.write(path, replace(ragged_data, outputs=ragged_data.outputs * large))
    config = replace(CONFIG, epochs=2, augment=False, balance=True)
    run = train(path, tmp_path / "run", model_settings=MODEL, config=config)
    for line in (run / "metrics.jsonl").read_text().splitlines():
        row = json.loads(line)
        own = row["val_fields"].values()
        assert row["val_error"] == pytest.approx(sum(own) / len(own))
