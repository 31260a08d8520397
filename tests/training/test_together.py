"""Several processes train as one does: shares of a batch, parts of a mesh."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.distributed as dist
from safetensors.torch import load_file

from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.errors import ConfigError
from llt.fitting import FEWEST
from llt.runtime.place import Place
from llt.runtime.team import ALONE, shares
from llt.training import run
from llt.training.config import TrainConfig
from llt.training.loop import Interrupted
from llt.training.settings import read_toml
from llt.training.setup import Setup, check_same
from llt.training.state import FILE as STATE
from llt.training.step import _check_shares
from tests.conftest import DEVICES, darcy_like
from tests.training.test_run import stop_after
from tests.training.together import grid, make

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone"]  # at a free port
QUIET = os.environ | {"OMP_NUM_THREADS": "1"}


SLOW = ["--set", "train.checkpoint_seconds=0", "--set", "train.steps=240"]


def alone(*args):
    command = [sys.executable, "-m", *args]
    return subprocess.run(command, env=QUIET, capture_output=True, text=True, timeout=600)


def parallel(words):
    return [part for word in words for part in ("--set", f"parallel.{word}")]


def launch(number, *args, wait=600):
    head = [*TORCHRUN, "--nproc-per-node", str(number)]
    return subprocess.run(
        [*head, "-m", *args], env=QUIET, capture_output=True, text=True, timeout=wait
    )


@pytest.fixture(scope="module", params=[(2, 2), (4, 1), (4, 2), (4, 4)], ids=str)
def together(request, tmp_path_factory):
    number, domain = request.param
    out = tmp_path_factory.mktemp("together") / "found.json"
    done = launch(number, "tests.training.together", str(out), str(domain))
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(out.read_text())


def check_equal(found):
    assert found["outputs"] < 1e-6
    assert found["loss"] < 1e-6
    assert found["gradient"] < 1e-6
    assert found["weights"] < 1e-6
    assert found["mean loss"] < 1e-5
    assert found["validation"] < 1e-12


@pytest.mark.parametrize("case", ["grid", "mean field", "uneven points", "timed", "frames"])
def test_teams_compute_what_one_process_does(together, case):
    check_equal(together[case])


def test_any_model_shares_batches(together):
    if "transolver" not in together:
        pytest.skip("in parts")
    check_equal(together["transolver"])


def test_teams_that_do_not_fit_are_refused(together):
    said = together["refused"]
    assert "a grid of 19 rows has 1, fewer than the 2" in said["rows"]
    assert re.search(r"a sample has only \d+ points to share out", said["points"])
    assert (
        "batch_size=3 is not a multiple of parallel.data=2; use train.batch_size=2" in said["batch"]
    )
    assert "fno needs whole meshes" in said["model"]
    assert "ufno has batch norm" in said["norm"]
    assert re.search(r"process 1 has data \w+, process 0 data \w+", said["hash"])
    assert "process 1 has train.lr 0.001, process 0 train.lr 0.0; all must have" in said["settings"]
    assert "process 1 has train.lr 0.001, process 0 train.lr None" in said["more"]
    assert re.search(r"process \d has version 9.9, process 0 version 1.0", said["version"])
    assert said["first"] == "the first process stopped: no such folder"
    assert said["signal"] == "True"


@pytest.mark.parametrize("device", DEVICES)
def test_sums_over_a_group_of_one_change_nothing(device):
    """On a GPU they are captured: NCCL's threads go on meanwhile."""
    backend = "gloo" if device == "cpu" else "nccl"
    dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    try:
        weights = []
        for team in (ALONE, replace(ALONE, size=2)):  # two, so that it sums
            step, _ = make(grid(), {}, team, device=device)
            step.start_epoch(0)
            step()
            weights.append(step.optimizer.parameters.flat)
            assert bool(step._graphs) == (device != "cpu")
            step.release()
    finally:
        dist.destroy_process_group()
    torch.testing.assert_close(*weights, rtol=1e-5, atol=1e-7)


def test_what_was_captured_is_given_up_however_a_training_ends(tmp_path, monkeypatch):
    """Else NCCL would wait for it, and the processes never end."""
    step, val = make(grid(), {}, ALONE)
    step._graphs = {None: None}

    def stopped(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run_epochs", stopped)
    with pytest.raises(KeyboardInterrupt):
        run._run(tmp_path, Setup(grid(), step, val), None)
    assert not step._graphs


def train_words(data, out, *more):
    small = ["--preset", "tiny", "--set", "train.steps=24", "--set", "train.batch_size=2"]
    return ["llt", "train", str(data), "--out", str(out), "--device", "cpu", *small, *more]


def weights(run):
    return load_file(run / "last" / "model.safetensors")


def alike(ours, theirs, tolerance):
    return all((ours[k] - theirs[k]).norm() <= tolerance * theirs[k].norm() for k in theirs)


def start(number, *args):
    head = [*TORCHRUN, "--nproc-per-node", str(number), "-m"]
    return subprocess.Popen(
        [*head, *args], env=QUIET, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def workers(launcher):
    """Process numbers of what a launcher began."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(launcher.pid)], capture_output=True, text=True
    )
    return [int(word) for word in listed.stdout.split()]


def has_state(run, seconds=300):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if (run / "state.safetensors").is_file():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Data, and the weights of a run on them that nothing interrupted."""
    place = tmp_path_factory.mktemp("whole")
    data, run = place / "darcy.h5", place / "run"
    dataset_file.write(data, darcy_like())
    done = alone(*train_words(data, run, *SLOW))
    assert done.returncode == 0, done.stderr
    return data, weights(run)


# which launcher's words, which process is killed, and the words of the launcher that goes on
LAYOUTS = {
    "2 parts, then 1 process": (["domain=2"], 1, []),
    "2 shares without the first, then 2 parts": (["data=2"], 0, ["domain=2"]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_lost_process_ends_the_run_which_other_processes_resume(layout, whole, tmp_path):
    (data, expected), broken = whole, tmp_path / "broken"
    before, killed, after = LAYOUTS[layout]
    launcher = start(2, *train_words(data, broken, *SLOW, *parallel(before)))
    try:
        assert has_state(broken), launcher.communicate(timeout=60)
        os.kill(workers(launcher)[killed], signal.SIGKILL)
        _, said = launcher.communicate(timeout=300)
    finally:
        launcher.kill()
    assert launcher.returncode != 0
    assert f"process {1 - killed} of 2 lost another one" in said and said.count("llt: ") == 1
    assert "/llt/" not in said  # no traceback but the launcher's own
    assert not (broken / "last").exists()
    words = ["llt", "train", "--resume", str(broken), "--device", "cpu", *parallel(after)]
    done = launch(2, *words) if after else alone(*words)
    assert done.returncode == 0, done.stderr
    assert alike(weights(broken), expected, 1e-4)  # 240 steps let rounding grow


def test_a_run_of_one_process_is_resumed_by_two(whole, tmp_path):
    (data, expected), broken = whole, tmp_path / "broken"
    command = [sys.executable, "-m", *train_words(data, broken, *SLOW)]
    process = subprocess.Popen(command, env=QUIET, stderr=subprocess.DEVNULL)
    try:
        assert has_state(broken)
    finally:
        process.kill()
        process.wait()
    done = launch(2, "llt", "train", "--resume", str(broken), "--device", "cpu")
    assert done.returncode == 0, done.stderr
    assert alike(weights(broken), expected, 1e-4)


# of the second process, in tests/training/differing.py
DIFFERENT = {
    "version": "llt: process 1 has version 9.9, process 0 version ",
    "data": "llt: process 1 has data ",
    "missing": "llt: .*: no such file",
    "setting": "llt: process 1 has train.lr 0.5, process 0 train.lr ",
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_a_process_that_differs_is_told_in_one_line_before_work(kind, tmp_path, darcy_file):
    dataset_file.write(tmp_path / "other.h5", darcy_like(seed=1))
    done = launch(2, "tests.training.differing", kind, *train_words(darcy_file, tmp_path / "run"))
    check_refused(done, DIFFERENT[kind], tmp_path / "run")


def stopped(data, out, steps, seed=0):
    """A run that was stopped after so many steps."""
    config = TrainConfig(epochs=6, batch_size=2, seed=seed)
    small = {"dim": 16, "num_layers": 1, "heads": 2}
    with pytest.raises(Interrupted):
        run.train(
            data,
            out,
            model_settings=small,
            config=config,
            device="cpu",
            listener=stop_after(steps),
        )


def test_a_process_that_begins_with_other_weights_is_told(tmp_path, darcy_file):
    stopped(darcy_file, tmp_path / "first", 1)
    stopped(darcy_file, tmp_path / "first-other", 1, seed=1)
    words = ["llt", "train", str(darcy_file), "--out", str(tmp_path / "run"), "--device", "cpu"]
    words += ["--set", "train.batch_size=2", "--from", str(tmp_path / "first")]
    done = launch(2, "tests.training.differing", "weights", *words)
    check_refused(done, "llt: process 1 has model.safetensors ", tmp_path / "run")


def test_a_process_that_would_go_on_from_elsewhere_is_told(tmp_path, darcy_file):
    """As where every machine has a folder of its own."""
    stopped(darcy_file, tmp_path / "run", 2)
    stopped(darcy_file, tmp_path / "run-other", 3)
    before = (tmp_path / "run" / STATE).read_bytes()
    words = ["llt", "train", "--resume", str(tmp_path / "run"), "--device", "cpu"]
    done = launch(2, "tests.training.differing", "state", *words)
    check_told(done, "llt: process 1 has state.safetensors .*, process 0 state.safetensors ")
    assert (tmp_path / "run" / STATE).read_bytes() == before


def test_what_processes_begin_with_is_compared_by_content(tmp_path):
    found = []
    team = SimpleNamespace(check_same=lambda about: found.append(about["state.safetensors"]))
    for content in (b"a", b"a", b"b", None):
        (tmp_path / STATE).unlink(missing_ok=True)
        if content:
            (tmp_path / STATE).write_bytes(content)
        check_same(team, grid(), {}, tmp_path / STATE)
    assert found[0] == found[1] != found[2] and found[3] == "not there"


def test_settings_that_fit_the_memory_are_those_of_the_smallest(tmp_path):
    """What is free differs from moment to moment, so processes would find different ones."""
    data, out = tmp_path / "large.h5", tmp_path / "run"
    rng = np.random.default_rng(0)
    points, u = rng.random((6, 1100, 2)), rng.random((6, 1100))
    dataset_file.write(data, Dataset.from_arrays("own", points=points, outputs={"u": u}))
    words = ["--set", "train.batch_size=2", "--set", "train.steps=1", "--set", "model.dim=8"]
    words = ["llt", "train", str(data), "--out", str(out), "--device", "cpu", *words]
    done = launch(2, "tests.training.differing", "memory", *words)
    assert done.returncode == 0, done.stderr
    assert read_toml(out / "config.toml")["train"]["points"] == FEWEST


def test_more_processes_than_rows_are_told_in_one_line_before_work(tmp_path, darcy_file):
    words = [*parallel(["domain=2"]), "--set", "model.kernel=11"]
    done = launch(2, *train_words(darcy_file, tmp_path / "run", *words))
    line = "llt: parallel.domain=2: a part of a grid of 9 rows has 4, fewer than the 5 that its "
    check_refused(done, line, tmp_path / "run")


def check_refused(done, line, run):
    check_told(done, line)
    assert not run.exists()


def check_told(done, line):
    said = [text for text in done.stderr.splitlines() if "llt: " in text]
    assert done.returncode != 0
    assert len(said) == 1 and re.match(line, said[0]), done.stderr


def test_slurm_starts_a_team_as_torchrun_does(tmp_path, darcy_file):
    expected = tmp_path / "expected"
    assert alone(*train_words(darcy_file, expected)).returncode == 0
    # a port of its own, and not one that systems give to programs which ask for any
    slurm = {"SLURM_STEP_NODELIST": "localhost", "SLURM_JOB_ID": str(os.getpid() % 12_000)}
    slurm["SLURM_STEP_NUM_TASKS"] = "2"
    command = [sys.executable, "-m", *train_words(darcy_file, tmp_path / "run")]
    tasks = [
        subprocess.Popen(
            command, env=QUIET | slurm | {"SLURM_PROCID": str(rank)}, stderr=subprocess.PIPE
        )
        for rank in range(2)
    ]
    for task in tasks:
        _, said = task.communicate(timeout=300)
        assert task.returncode == 0, said
    assert alike(weights(tmp_path / "run"), weights(expected), 1e-5)
    assert "2 shares of a batch" in json.loads((tmp_path / "run/env.json").read_text())["team"]


def test_numbers_of_processes():
    place = Place(0, 8, 0, 8)
    assert shares(None) == (1, 1)
    assert shares(place) == (8, 1)
    assert shares(place, domain=4) == (2, 4)
    assert shares(place, data=2) == (2, 4)
    assert shares(place, data=2, domain=4) == (2, 4)
    with pytest.raises(ConfigError, match=r"data=3 times parallel.domain=2 is not .* 8"):
        shares(place, data=3, domain=2)
    with pytest.raises(ConfigError, match="is not the number of processes, 1; begin as many with"):
        shares(None, data=2)


def test_shares_of_a_batch_are_all_of_it():
    teams = [type(ALONE)(rank=rank, size=8, data=4, domain=2) for rank in range(8)]
    items = [*range(12)]
    assert [items[team.own_share(12)] for team in teams[::2]] == [
        [0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11],
    ]  # fmt: skip
    assert [team.part for team in teams] == [0, 1] * 4


@pytest.mark.parametrize(
    ("size", "asked", "line"),
    [
        (
            3,
            3,
            "train.batch_size=3 is not a multiple of parallel.data=2; use train.batch_size=2 or ",
        ),
        (
            1,
            1,
            "train.batch_size=1 is not a multiple of parallel.data=2; use train.batch_size=2 or ",
        ),
        (7, 16, "a batch of all 7 items is not a multiple of .*; use train.batch_size=6 or fewer "),
        (1, 16, "a batch of all 1 items is not a multiple of parallel.data=2; use fewer processes"),
    ],
)
def test_a_batch_that_cannot_be_shared_is_told_with_one_that_can(size, asked, line):
    _check_shares(2 * size, asked, 2)
    with pytest.raises(ConfigError, match=line):
        _check_shares(size, asked, 2)


def test_parallel_settings_are_checked_at_the_door(tmp_path, darcy_file, capsys):
    from llt.cli import main

    for word, answer in {
        "parallel.data=2": "is not the number of processes, 1",
        "parallel.domian=2": "did you mean domain",
        "parallel.data=two": "expected a number of processes",
    }.items():
        words = train_words(darcy_file, tmp_path / "run", "--set", word)
        assert main(words[1:]) == 2
        assert answer in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
