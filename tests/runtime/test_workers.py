"""Many processes: work is spread, errors and deaths come back, threads are held down."""

import os
from concurrent.futures.process import BrokenProcessPool

import pytest

from llt.errors import DataError
from llt.runtime.workers import THREAD_VARIABLES, in_parallel, one_thread_each


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
