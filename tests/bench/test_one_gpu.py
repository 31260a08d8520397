"""What one GPU tells of several processes; most of it can be run on the CPU, too."""

import os
from dataclasses import replace
from multiprocessing import Pipe

import pytest
import torch
import torch.distributed as dist

from llt.bench import one_gpu, parallel
from llt.bench.one_gpu import measure_group, measure_sharing
from llt.bench.parallel import Layout, counted
from llt.bench.parallel_table import one_gpu as table
from llt.bench.record import read_record
from llt.cli import main
from llt.kernels.choice import choice
from llt.models import build_model
from llt.runtime.device import matmul_precision
from llt.runtime.environment import environment
from llt.training.step import TrainingStep
from tests.bench.test_parallel import SIZES, SMALL
from tests.conftest import DEVICES

GRADIENT = 4 * sum(p.numel() for p in build_model("llt", SMALL.problem, **SIZES).parameters())
GROUP = {"alone_ms": 2.5, "group_ms": 2.6, "ratio": 1.04, "summed_bytes": 5_476_000}
SHARING = [
    {"data": 1, "domain": 1, "weights_difference": 1e-7, "loss_difference": 0.0},
    {"data": 2, "domain": 1, "weights_difference": 2e-7, "loss_difference": 3e-8},
    {"data": 1, "domain": 2, "weights_difference": 4e-7, "loss_difference": 5e-8},
]


@pytest.mark.parametrize("device", DEVICES)
def test_a_step_that_sums_is_timed_beside_one_that_does_not(device):
    with counted() as sent:
        row = measure_group(SMALL, torch.device(device), batch_size=2, steps=11)
    assert not dist.is_initialized()
    assert row["alone_ms"] > 0 and row["group_ms"] > 0
    low, high = row["ratio_quartiles"]
    assert low <= row["ratio"] <= high
    assert row["weights_difference"] < 1e-3  # they learn the same
    assert row["summed_bytes"] == GRADIENT
    expected = ("eager", "fp32") if device == "cpu" else ("graph", "fp16")
    assert (row["mode"], row["precision"]) == expected
    if device == "cpu":  # what is replayed is not counted
        steps = 10 * (parallel.WARMUP + 2)
        assert steps * GRADIENT < sent["summed"] < (steps + 1) * GRADIENT


def test_times_belong_to_their_step_whoever_begins(monkeypatch):
    order = []
    monkeypatch.setattr(one_gpu, "_milliseconds", lambda step, _: order.append(step) or step)
    assert one_gpu._turn([1.0, 2.0], None) == one_gpu._turn([1.0, 2.0], None, 1) == (1.0, 2.0)
    assert order == [1.0, 2.0, 2.0, 1.0]


def test_what_was_captured_is_given_up_before_its_group_ends(monkeypatch):
    in_group, release = [], TrainingStep.release
    released = lambda step: (in_group.append(dist.is_initialized()), release(step))  # noqa: E731
    monkeypatch.setattr(TrainingStep, "release", released)
    with pytest.raises(KeyboardInterrupt), one_gpu._pair(SMALL, torch.device("cpu"), 2):
        raise KeyboardInterrupt
    assert in_group == [True, True]
    assert not dist.is_initialized()


@pytest.mark.parametrize("device", DEVICES)
def test_processes_that_share_a_device_learn_what_one_does(device):
    place = "cpu" if device == "cpu" else "cuda:0"
    rows = measure_sharing(SMALL, place, batch_size=2, steps=3)
    assert [(row["data"], row["domain"]) for row in rows] == [(1, 1), (2, 1), (1, 2)]
    for row in rows:
        assert row["loss_difference"] < 1e-5
        assert row["weights_difference"] < 1e-2 * row["weights_change"]
        assert row["weights_change"] > 1e-4  # they have learned
    if device == "cpu":
        assert rows[0]["weights_difference"] == 0 < rows[1]["weights_difference"]


def test_on_a_gpu_they_compute_in_float32_with_plain_kernels(monkeypatch):
    seen = []
    monkeypatch.setattr(os, "environ", dict(os.environ))  # this process is in no team
    monkeypatch.setattr(parallel, "training_step", lambda *given: seen.extend(state(given)))
    ours, theirs = Pipe()
    ours.close()
    with matmul_precision("tf32"):
        parallel._work(theirs, SMALL, Layout(1, 1), 0, 0, 2, "cuda:0")
    assert seen == [torch.device("cuda:0"), "highest", False, "reference"]


def state(given):
    allowed = torch.backends.cudnn.allow_tf32
    return given[-1], torch.get_float32_matmul_precision(), allowed, choice()


def test_the_command_and_its_tables(tmp_path, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr("llt.runtime.device.find_device", torch.device)
    here = environment(torch.device("cpu"))
    monkeypatch.setattr("llt.runtime.environment.environment", lambda _: here)

    def group(case, device, **settings):
        asked.append((case.settings["llt"]["dim"], str(device), settings))
        return GROUP

    def sharing(case, device, **settings):
        asked.append((case.num_points, device, settings))
        return SHARING

    monkeypatch.setattr(one_gpu, "measure_group", group)
    monkeypatch.setattr(one_gpu, "measure_sharing", sharing)
    out = tmp_path / "parallel/h200.json"
    words = ["bench", "parallel", "--device", "cuda", "--points", "300", "--note", "alone"]
    assert main([*words, "--out", str(out)]) == 0
    assert asked[:2] == [
        (128, "cuda", {"batch_size": 4, "steps": 200}),
        (85 * 85, "cuda:0", {"batch_size": 4}),
    ]
    assert asked[3] == (300, "cuda:0", {"batch_size": 4})
    assert "1.040" in capsys.readouterr().out
    record = read_record(out)
    assert record.settings == {"steps": 200, "dim": None, "batch_size": 4}
    assert record.results["elasticity"] == {
        "title": "Elasticity, 300 points",
        "group of one": GROUP,
        "sharing": SHARING,
    }
    lines = table({"parallel/h200": record})
    assert lines[2] == "| Darcy, 85 x 85 | 2.500 ms | 2.600 ms | 1.040 | 5.48 MB |"
    assert lines[-5] == "| Elasticity, 300 points | 1, once more | 1.0e-07 | 0.0e+00 |"
    assert lines[-3:] == ["| Elasticity, 300 points | 2 parts | 4.0e-07 | 5.0e-08 |", "", "alone"]
    assert table({"parallel/h200": replace(record, note="")})[-1] == lines[-3]


def test_before_it_is_measured_the_table_says_so():
    assert table({}) == ["Not measured yet."]


def test_batches_that_two_cannot_share_are_refused(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("llt.runtime.device.find_device", torch.device)
    words = ["bench", "parallel", "--device", "cuda", "--batch", "3"]
    assert main([*words, "--out", str(tmp_path / "record.json")]) == 2
    assert "--batch 3: 2 processes cannot share it evenly" in capsys.readouterr().err
