"""Processes that share a device: one measures at a time, all compile at once."""

import os
import signal
import time
from functools import partial
from itertools import pairwise

import pytest
import torch

from llt.bench import turns
from llt.bench.turns import finished, turn
from llt.errors import LostError

PAUSE = 0.4
PATIENCE = 60.0  # seconds


def measured(number):
    """When a turn began and ended."""
    with turn():
        begin = time.monotonic()
        time.sleep(PAUSE)
        return number, begin, time.monotonic()


def compiled(folder, number):
    """Compiles in a turn, for as long as its partner has not begun to."""

    def compiler(graph, examples):
        assert not turns._mine
        (folder / str(number)).touch()
        late = time.monotonic() + PATIENCE
        while not (folder / str(number ^ 1)).exists():
            assert time.monotonic() < late
            time.sleep(0.01)
        return graph.forward

    with turn():
        torch.compile(lambda x: x + number, backend=compiler)(torch.ones(2))
        assert turns._mine
    torch.compiler.reset()  # as after every measurement


def broken():
    with turn():
        raise ValueError("no such kernel")


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def overlap(first, second):
    return min(first[1], second[1]) > max(first[0], second[0])


def test_turns_do_not_overlap():
    found = dict(finished([partial(measured, number) for number in range(3)], 3))
    assert [found[place][0] for place in range(3)] == [0, 1, 2]
    spans = sorted(row[1:] for row in found.values())
    assert not any(overlap(*pair) for pair in pairwise(spans))


def test_compilers_do_not_wait_for_each_other(tmp_path):
    # more than there are processes: compilers must be heard of after a measurement, too
    assert len(list(finished([partial(compiled, tmp_path, number) for number in range(4)], 2))) == 4


def test_who_fails_gives_the_device_back():
    with pytest.raises(ValueError, match="no such kernel"):
        list(finished([broken, partial(measured, 0)], 2))


def test_who_is_killed_is_told_in_one_line():
    with pytest.raises(LostError, match=r"^a process that measured was killed.*fewer --jobs"):
        list(finished([killed], 2))


def test_one_job_needs_no_other_process():
    here = []
    assert list(finished([lambda: here.append(1) or 5], 1)) == [(0, 5)]
    assert here == [1]
