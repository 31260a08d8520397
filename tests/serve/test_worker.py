"""In which order questions are asked, and which of them together."""

from threading import Event

import pytest

from llt.serve import worker as module
from llt.serve.worker import Worker
from tests.waiting import PATIENCE


class Asked:
    """A question that is answered with its name, once the event is set."""

    def __init__(self, name, kind="a", most=2, free=None):
        self.name, self.kind, self.most, self.free = name, kind, most, free
        self.begun = Event()

    def ask(self):
        self.begun.set()
        if self.free is not None:
            assert self.free.wait(PATIENCE)
        return self.name

    def ask_with(self, others):
        return [one.ask() for one in (self, *others)]


class Batches(list):
    def asked(self, together, seconds):
        self.append(together)


@pytest.fixture
def batches():
    return Batches()


@pytest.fixture
def worker(batches):
    one = Worker(batches)
    one.start()
    yield one
    one.stop(PATIENCE)
    assert not one.alive


def busy(worker, *waiting):
    """Futures of questions that have come while another was being asked."""
    free = Event()
    first = Asked("first", kind=None, free=free)
    futures = [worker.submit(first)]
    assert first.begun.wait(PATIENCE)
    futures += [worker.submit(one) for one in waiting]
    free.set()
    return futures[1:]


def test_the_longest_waiting_is_first_with_others_of_its_kind(worker, batches):
    names = [("1", "a"), ("2", "b"), ("3", "a"), ("4", None), ("5", "a"), ("6", None)]
    futures = busy(worker, *(Asked(name, kind) for name, kind in names))
    for name, future in zip("123456", futures, strict=True):
        assert future.result(PATIENCE) == name
    worker.stop(PATIENCE)
    assert batches == [1, 2, 1, 1, 1, 1]


def test_who_is_alone_is_answered_at_once_and_after_a_batch_waits_for_others(
    worker, batches, monkeypatch
):
    monkeypatch.setattr(module, "WAIT", 1e6)
    assert worker.submit(Asked("alone")).result(PATIENCE) == "alone"
    for future in busy(worker, Asked("1"), Asked("2")):
        future.result(PATIENCE)
    waits = worker.submit(Asked("3"))
    with pytest.raises(TimeoutError):
        waits.result(0.1)
    worker.submit(Asked("4")).result(PATIENCE)
    worker.stop(PATIENCE)
    assert waits.result() == "3" and batches == [1, 1, 2, 2]


def test_what_nobody_waits_for_any_more_is_not_asked(worker, batches):
    free = Event()
    first, left = Asked("first", kind=None, free=free), Asked("left")
    running = worker.submit(first)
    assert first.begun.wait(PATIENCE)
    assert worker.submit(left).cancel()
    stays = worker.submit(Asked("stays"))
    free.set()
    assert running.result(PATIENCE) == "first" and stays.result(PATIENCE) == "stays"
    worker.stop(PATIENCE)
    assert not left.begun.is_set() and batches == [1, 1]


def test_a_worker_that_stops_lets_those_go_that_wait(worker):
    free = Event()
    first = Asked("first", kind=None, free=free)
    running = worker.submit(first)
    assert first.begun.wait(PATIENCE)
    waits = worker.submit(Asked("waits"))
    worker.stop(0)
    assert waits.cancelled()
    assert worker.submit(Asked("late")).cancelled()
    free.set()
    assert running.result(PATIENCE) == "first"
