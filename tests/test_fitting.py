"""Settings by the size of the cases and the memory there is."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from llt.choice import Choice, resolve, settings_within
from llt.fitting import FEWEST, STEP_BYTES, Room, fit, graded
from llt.problem import DARCY, Problem
from llt.training.strides import find_strides
from tests.conftest import ragged

OWN = Problem(name="own", space_dim=3, inputs=("load",), outputs=("u", "v"))
ROOM = Room(samples=48, points=1_000, bytes_per_point=24.0, device="cpu", memory=2**33, host=2**33)
MODEL = {"dim": 64, "num_layers": 4}


def settings(room: Room, problem: Problem = OWN, batch: int = 2) -> dict:
    return fit(problem, "llt", MODEL, {"batch_size": batch}, room)


def test_small_cases_stay_as_they_are():
    assert settings(ROOM) == {}
    assert Room.of(ragged(), "cpu").points == 20 + 3 * 4  # of the training samples


@pytest.mark.parametrize("points", [200_000, 1_000_000])
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_large_point_sets_are_cut_into_what_memory_holds(points, device):
    room = replace(ROOM, points=points, device=device)
    found = settings(room)
    batch = found.get("batch_size", 2)
    assert found["points"] * batch * STEP_BYTES * 64 * 4 <= room.memory / 2
    assert 1 < found["parts"] <= points // found["points"]
    kept = found["parts"] * room.samples * found["points"] * (24 + 4 * 32)
    assert kept <= room.host / 8


def test_little_memory_takes_points_then_batches():
    room = replace(ROOM, points=200_000, memory=2**28)
    assert settings(room)["points"] == 2**28 // 2 // (STEP_BYTES * 64 * 4)
    assert settings(room)["batch_size"] == 1
    assert settings(replace(room, memory=2**20))["points"] == FEWEST


def test_processes_on_one_machine_share_its_memory():
    assert ROOM.shared(1) == ROOM
    assert ROOM.shared(4) == replace(ROOM, memory=2**31, host=2**31)
    assert replace(ROOM, device="cuda").shared(4).memory == 2**33  # each has its own


def test_grids_get_smaller_batches_only():
    grid = replace(DARCY, name="own", grid=(1000, 1000))
    room = replace(ROOM, points=10**6, memory=2**37)
    assert settings(room, grid) == {"batch_size": 1}
    assert settings(replace(room, memory=2**40), grid) == {}


def test_grids_that_memory_cannot_hold_are_thinned():
    grid = replace(DARCY, name="own", grid=(1001, 501))
    room = replace(ROOM, points=1001 * 501, memory=2**33)
    assert settings(room, grid) == {"strides": [4]}  # with a stride of 2 a step would take 7 GiB
    odd = replace(grid, grid=(1000, 998))  # has no stride: the person has to say
    assert settings(room, odd) == {"batch_size": 1}


@pytest.mark.parametrize(
    ("grid", "strides"),
    [
        ((129, 129), [1, 2, 2, 4, 4, 4, 4, 4]),
        ((256, 256), [1, 3, 3, 5, 5, 5, 5, 5]),  # what fits 255 intervals
        ((85, 85), [1, 2, 2, 2]),  # 22 x 22 are too few points to be like it
        ((221, 51), [1, 2, 2, 2]),
        ((33, 33, 33), [1, 2, 2, 2]),
        ((64, 64), []),  # small enough
        ((128, 128), []),  # 127 intervals: no coarser grid has both ends
    ],
)
def test_short_trainings_on_large_grids_have_most_steps_on_coarser_ones(grid, strides):
    own = replace(DARCY, name="own", grid=grid, space_dim=len(grid), symmetries=())
    found = graded(own, "llt")
    if not strides:
        assert found == {"model": {}, "train": {}} == graded(OWN, "llt")
        return
    assert found["model"] == {"spacing": True} and graded(own, "fno")["model"] == {}
    assert found["train"] == {"strides": [[k] * len(grid) for k in strides]}
    read = find_strides(tuple(map(tuple, found["train"]["strides"])), (), own)
    assert [k[0] for k in read] == strides


LARGE = replace(DARCY, name="own", grid=(85, 85))
COARSER = [[1, 1], [2, 2], [2, 2], [2, 2]]


def within(monkeypatch, minutes=10.0, device="cpu", problem=LARGE, **choice):
    """The settings of a training where a step takes 1 s, and 0.3 s where some are on others."""

    def trial(data, *, config, **_):
        step = 0.3 if config.strides else 1.0
        return SimpleNamespace(seconds_per_step=step, epochs=10, seconds=10 * 100 * step)

    monkeypatch.setattr("llt.training.trial.try_training", trial)
    room = replace(ROOM, points=85 * 85, device=device)
    about = {"problem": problem, "room": room, "device": device}
    return settings_within(minutes, None, Choice(**choice), **about)


def test_little_time_on_a_cpu_goes_to_coarser_grids(monkeypatch):
    found = within(monkeypatch)  # 600 steps
    assert found["train.strides"] == COARSER and found["model.spacing"] is True
    assert (found["train.epochs"], found["train.steps"]) == (600 // 30, 0)
    assert "model.spacing" not in within(monkeypatch, model="fno")
    assert within(monkeypatch, problem=DARCY)["train.strides"] == COARSER


@pytest.mark.parametrize(
    "other",
    [
        {"minutes": 20.0},  # 1200 steps
        {"device": "cuda"},
        {"recipe": "paper"},
        {"words": ["train.resolutions=[85,43]"]},
        {"words": ["train.strides=[]"]},
        {"settings": {"train.strides": [2]}},
        {"start": "pretrained:pipe"},
        {"problem": replace(LARGE, grid=(64, 64))},
        {"problem": OWN},
    ],
    ids=str,
)
def test_grids_stay_where_there_is_time_or_they_were_chosen(monkeypatch, other):
    assert within(monkeypatch, **other).keys() == {"train.epochs", "train.steps"}


def test_what_is_asked_for_stays_and_the_papers_problems_are_left_alone():
    room = replace(ROOM, points=200_000)
    _, _, config = resolve(OWN, Choice(), room)
    assert config.points == 4096 and config.balance
    _, _, config = resolve(OWN, Choice(words=["train.points=100", "train.parts=3"]), room)
    assert (config.points, config.parts) == (100, 3)
    _, _, config = resolve(DARCY, Choice(), room)
    assert config.points == 0 and not config.balance
