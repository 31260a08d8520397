"""What launchers say of processes."""

import pytest
import torch

from llt.cli import main
from llt.errors import ConfigError
from llt.runtime import team as teams
from llt.runtime.place import Place, find_place, meeting_place

SLURM = {"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "6", "SLURM_LOCALID": "2"}


def test_places():
    assert find_place({}) is None
    torchrun = {"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"}
    assert find_place(torchrun) == Place(3, 8, 1, 4)
    assert find_place(SLURM) == Place(5, 6, 2, 6)
    assert find_place(torchrun | SLURM) == Place(3, 8, 1, 4)
    with pytest.raises(ConfigError, match="RANK=x, WORLD_SIZE=2: not numbers"):
        find_place({"RANK": "x", "WORLD_SIZE": "2"})


@pytest.mark.parametrize(("counts", "most"), [("8(x2)", 8), ("4", 4), ("2(x16),6,1(x3)", 6)])
def test_slurm_says_how_many_processes_a_machine_has(counts, most):
    found = find_place(SLURM | {"SLURM_STEP_TASKS_PER_NODE": counts})
    assert found is not None and found.local_size == most


@pytest.mark.parametrize(
    ("nodes", "first"),
    [
        ("node[03-07,12],other", "node03"),
        ("rack1-n4,rack1-n5", "rack1-n4"),
        ("gpu-a[7]", "gpu-a7"),
        ("gpu-a[7]-ib,gpu-b", "gpu-a7-ib"),
        ("rack[2,4]node[010-019]", "rack2node010"),
        ("alone", "alone"),
    ],
)
def test_under_slurm_processes_meet_at_the_first_machine(nodes, first):
    step = {"SLURM_STEP_NODELIST": nodes, "SLURM_JOB_ID": "100042"}
    assert meeting_place(step) == (first, 20042 + 0)
    assert meeting_place(step | {"MASTER_ADDR": "a", "MASTER_PORT": "7"}) == ("a", 7)
    with pytest.raises(ConfigError, match="MASTER_PORT=x: not a number"):
        meeting_place({"MASTER_PORT": "x"})


def test_a_gpu_for_every_process_of_a_machine_means_nccl(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 8)
    monkeypatch.setattr(torch.cuda, "set_device", lambda number: None)
    assert teams._device_of(Place(11, 16, 3, 8), "auto") == ("cuda:3", "nccl")
    assert teams._device_of(Place(11, 16, 11, 16), "auto") == ("cuda:3", "gloo")
    assert teams._device_of(Place(11, 16, 3, 8), "cpu") == ("cpu", "gloo")


def as_process(monkeypatch, rank):
    for name, value in (("SLURM_PROCID", rank), ("SLURM_STEP_NUM_TASKS", 4)):
        monkeypatch.setenv(name, str(value))


def test_before_processes_meet_the_first_one_speaks(monkeypatch, capsys):
    words = ["train", "darcy.h5", "--set", "parallel.data=3"]
    for rank, lines in ((0, 1), (1, 0)):
        as_process(monkeypatch, rank)
        assert main(words) == 2
        assert capsys.readouterr().err.count("is not the number of processes, 4") == lines


def test_jobs_that_only_run_beside_each_other_all_speak(monkeypatch, capsys):
    as_process(monkeypatch, 1)
    assert main(["generate", "tea", "-o", "tea.h5"]) == 2
    assert "unknown" in capsys.readouterr().err


def test_usage_is_told_by_the_first_process(monkeypatch, capsys):
    for rank, lines in ((0, 1), (1, 0)):
        as_process(monkeypatch, rank)
        assert main(["train", "darcy.h5", "--bogus"]) == 2
        assert capsys.readouterr().err.count("No such option: --bogus") == lines


@pytest.mark.parametrize("words", [["--minutes", "5"], ["--show"]], ids=" ".join)
def test_what_is_timed_is_one_process(words, monkeypatch, capsys):
    as_process(monkeypatch, 0)
    assert main(["train", "darcy.h5", *words]) == 2
    line = f"llt: {' '.join(words)}: times the steps of one process, here are 4; "
    assert capsys.readouterr().err.startswith(line)


@pytest.mark.parametrize("words", [["--minutes", "5"], ["--show"], []], ids=" ".join)
def test_numbers_of_processes_are_checked_before_any_work(words, capsys):
    assert main(["train", "darcy.h5", "--set", "parallel.data=2", *words]) == 2
    assert "is not the number of processes, 1; begin as many" in capsys.readouterr().err
