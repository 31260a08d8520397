"""Settings by the size of the cases and the memory there is."""

from dataclasses import replace

import pytest

from llt.choice import Choice, resolve
from llt.fitting import FEWEST, STEP_BYTES, Room, fit
from llt.problem import DARCY, Problem
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


def test_what_is_asked_for_stays_and_the_papers_problems_are_left_alone():
    room = replace(ROOM, points=200_000)
    _, _, config = resolve(OWN, Choice(), room)
    assert config.points == 4096 and config.balance
    _, _, config = resolve(OWN, Choice(words=["train.points=100", "train.parts=3"]), room)
    assert (config.points, config.parts) == (100, 3)
    _, _, config = resolve(DARCY, Choice(), room)
    assert config.points == 0 and not config.balance
