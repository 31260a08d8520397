"""Many processes: work is spread, errors and deaths come back, threads are held down."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from threading import Event

import pytest

from llt.errors import DataError
from llt.runtime import workers
from llt.runtime.workers import THREAD_VARIABLES, in_executor, in_parallel, one_thread_each
from tests.waiting import PATIENCE, until


def square(number):
    if number == 7:
        raise DataError("seven")
    if number == 8:
        os._exit(1)
    return number * number


def test_every_result_comes_with_its_item():
    found = {}
    in_parallel(square, range(6), workers=2, on_done=found.__setitem__)
    assert found == {n: n * n for n in range(6)}


@pytest.mark.parametrize(("number", "error"), [(7, DataError), (8, BrokenProcessPool)])
def test_what_goes_wrong_in_a_process_is_raised_here(number, error):
    with pytest.raises(error):
        in_parallel(square, [1, number], workers=2, on_done=lambda item, result: None)


def test_workers_getone_thread_each_and_the_environment_comes_back(monkeypatch):
    first, *others = THREAD_VARIABLES
    monkeypatch.setenv(first, "3")
    for name in others:
        monkeypatch.delenv(name, raising=False)
    with one_thread_each():
        assert [os.environ[name] for name in THREAD_VARIABLES] == ["1"] * len(THREAD_VARIABLES)
    assert os.environ[first] == "3"
    assert not set(others) & os.environ.keys()


@pytest.fixture
def pool():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def test_an_executor_of_others_does_all_and_goes_on_to_exist(pool):
    found = {}
    in_executor(pool, square, range(6), on_done=found.__setitem__)
    assert found == {n: n * n for n in range(6)}
    assert pool.submit(square, 9).result() == 81


def test_an_executor_is_not_given_all_at_once(pool, monkeypatch):
    monkeypatch.setattr(workers, "AHEAD", 3)
    given = taken = 0

    def items():
        nonlocal given
        for number in range(7):
            given += 1
            assert given - taken <= 3
            yield number

    def count(item, result):
        nonlocal taken
        taken += 1

    in_executor(pool, abs, items(), on_done=count)
    assert (given, taken) == (7, 7)


@pytest.mark.parametrize("end", ["error", "stop"])
def test_what_an_executor_has_begun_is_kept_when_the_work_ends(pool, end, monkeypatch):
    """The first item ends it while the second is at work; one more may be begun until then."""
    second, given, done, begun = Event(), [], {}, []
    submit = pool.submit

    def noting(*words):
        given.append(submit(*words))
        return given[-1]

    def work(item):
        begun.append(item)
        if item == 0:
            assert second.wait(PATIENCE)
            if end == "error":
                raise DataError("zero")
            os.kill(os.getpid(), signal.SIGINT)
        else:
            second.set()
            until(lambda: len(given) == 50 and given[-1].cancelled())
        return -item

    monkeypatch.setattr(pool, "submit", noting)
    with pytest.raises(DataError if end == "error" else KeyboardInterrupt):
        in_executor(pool, work, range(50), on_done=done.__setitem__)
    assert done[1] == -1
    assert len(begun) <= 3
    assert done.keys() == {*begun} - ({0} if end == "error" else set())
