"""Every error a user can cause, so callers can catch `LltError` and show one line.

LltError
├── ConfigError      a setting is unknown, out of range, or contradicts another
├── DataError        a file or array is missing, malformed, or has the wrong shape
├── CheckpointError  a checkpoint does not fit the model or run that asked for it
├── SolverError      a reference solver did not converge, or a rollout diverged
├── BusyError        another process is writing the same folder
├── TrainingError    the loss became NaN or infinite
├── LostError        another process of the same work is gone
└── KernelError      a fused kernel is missing or disagrees with its plain twin

Anything else that escapes is a bug and should keep its traceback. The one exception is the
disk: a full or unwritable one raises `OSError`, which the command line also shows as one line.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class LltError(Exception):
    """Base class of all errors caused by inputs rather than by bugs."""

    exit_code = 2  # of the command line: 2 bad input, 1 the work itself failed
    heard: bool | None = None  # whether this process says it, of several; None: the first one does


class ConfigError(LltError, ValueError):
    pass


class DataError(LltError, ValueError):
    pass


class CheckpointError(LltError, ValueError):
    pass


class BusyError(LltError, RuntimeError):
    pass


class SolverError(LltError, RuntimeError):
    exit_code = 1


class TrainingError(LltError, RuntimeError):
    exit_code = 1


class LostError(LltError, RuntimeError):
    exit_code = 1


class KernelError(LltError, RuntimeError):
    exit_code = 1


class RangeWarning(UserWarning):
    """A question lies outside of what a surrogate was trained on; it is answered all the same."""


def unknown(what: str, name: str, choices: Iterable[str]) -> str:
    """The message for a name that does not exist: the near ones, or all when none is near."""
    choices = sorted(choices)
    near = get_close_matches(name, choices, n=3, cutoff=0.6)
    if near:
        return f"unknown {what} {name!r}; did you mean {' or '.join(near)}?"
    return f"unknown {what} {name!r}; choose from {', '.join(choices)}"
