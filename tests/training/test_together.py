"""Several processes train as one does: shares of a batch, parts of a mesh."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import torch
import torch.distributed as dist
from safetensors.torch import load_file

from llt.errors import ConfigError
from llt.runtime.team import ALONE, Place, find_place, shares
from llt.training import run
from llt.training.setup import Setup
from tests.conftest import DEVICES
from tests.training.together import grid, make

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone"]  # at a free port
QUIET = os.environ | {"OMP_NUM_THREADS": "1"}


def launch(number, *args, wait=600):
    head = [*TORCHRUN, "--nproc-per-node", str(number)]
    return subprocess.run(
        [*head, "-m", *args], env=QUIET, capture_output=True, text=True, timeout=wait
    )


@pytest.fixture(scope="module", params=[(2, 2), (4, 2), (4, 4)], ids=str)
def together(request, tmp_path_factory):
    number, domain = request.param
    out = tmp_path_factory.mktemp("together") / "found.json"
    done = launch(number, "tests.training.together", str(out), str(domain))
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(out.read_text())


@pytest.mark.parametrize("case", ["grid", "mean field", "uneven points", "timed", "frames"])
def test_teams_compute_what_one_process_does(together, case):
    found = together[case]
    assert found["outputs"] < 1e-6
    assert found["loss"] < 1e-6
    assert found["gradient"] < 1e-6
    assert found["weights"] < 1e-6
    assert found["mean loss"] < 1e-5
    assert found["validation"] < 1e-12


def test_teams_that_do_not_fit_are_refused(together):
    said = together["refused"]
    assert "a grid of 19 rows has fewer than the 2" in said["rows"]
    assert re.search(r"a sample has only \d+ points to share out", said["points"])
    assert "batch_size=3 is not a multiple of parallel.data=2" in said["batch"]
    assert "fno needs whole meshes" in said["model"]
    assert "ufno has batch norm" in said["norm"]
    assert re.search(r"process 1 has data \w+, process 0 data \w+", said["hash"])
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
            step, _ = make(grid(), {}, team, device)
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


def test_a_lost_process_ends_the_run_which_another_number_of_processes_resumes(
    tmp_path, darcy_file
):
    slow = ["--set", "train.checkpoint_seconds=0", "--set", "train.steps=240"]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    done = subprocess.run(
        [sys.executable, "-m", *train_words(darcy_file, whole, *slow)],
        env=QUIET,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    words = train_words(darcy_file, broken, *slow, "--set", "parallel.domain=2")
    launcher = start(2, *words)
    try:
        assert has_state(broken), launcher.communicate(timeout=60)
        os.kill(workers(launcher)[1], signal.SIGKILL)
        _, said = launcher.communicate(timeout=300)
    finally:
        launcher.kill()
    assert launcher.returncode != 0
    assert "process 0 of 2 lost another one" in said
    assert "/llt/" not in said  # no traceback but the launcher's own
    assert not (broken / "last").exists()
    done = subprocess.run(
        [sys.executable, "-m", "llt", "train", "--resume", str(broken), "--device", "cpu"],
        env=QUIET,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert alike(weights(broken), weights(whole), 1e-4)  # 240 steps let rounding grow


def test_numbers_of_processes():
    assert find_place({}) is None
    assert find_place({"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1"}) == Place(3, 8, 1)
    slurm = {"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "6", "SLURM_LOCALID": "2"}
    assert find_place(slurm) == Place(5, 6, 2)
    with pytest.raises(ConfigError, match="RANK=x, WORLD_SIZE=2: not numbers"):
        find_place({"RANK": "x", "WORLD_SIZE": "2"})
    place = Place(0, 8, 0)
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
