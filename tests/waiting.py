"""Tests wait for what shall happen, not for a time."""

from time import monotonic, sleep

PATIENCE = 60  # seconds for an answer, on a machine with other work


def until(there):
    """Ask again until it is so; what never comes fails after five minutes."""
    deadline = monotonic() + 5 * PATIENCE
    while not there():
        assert monotonic() < deadline
        sleep(0.01)
