"""Signals that are not obeyed at once."""

import signal
import subprocess
import sys

import pytest

from llt.runtime.signals import obeyed_later

CODE = """
import os, signal, sys, time
from llt.runtime.signals import obeyed_later

def end():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(float(sys.argv[3]))
    print("said", flush=True)

try:
    with obeyed_later(float(sys.argv[2])):
        if sys.argv[1] == "inside":
            end()
        else:
            raise RuntimeError
except RuntimeError:
    end()
"""


def ended(when, seconds, speech):
    """After a signal that is obeyed so many seconds later, in a speech of so many."""
    command = [sys.executable, "-c", CODE, when, str(seconds), str(speech)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("when", ["inside", "after an error"])
def test_a_process_that_shall_end_has_a_moment_to_speak(when):
    done = ended(when, 300, 0.1)
    assert (done.stdout, done.stderr, done.returncode) == ("said\n", "", 0)


@pytest.mark.parametrize("when", ["inside", "after an error"])
def test_it_ends_after_that_moment(when):
    done = ended(when, 0, 300)
    assert (done.stdout, done.returncode) == ("", 128 + signal.SIGTERM)


def test_where_all_went_well_it_is_as_before():
    before = signal.getsignal(signal.SIGTERM)
    with obeyed_later(0):
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before
