"""How the solvers' inner loops are compiled: for one thread, and kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])

# what changes no more than the last digit, and leaves NaN and infinity as they are
SAFE = {"nsz", "contract", "arcp"}


def kernel(function: F) -> F:
    # as in NumPy, 1 / 0 is infinite: the branch for an exception would keep loops from being
    # compiled to vector instructions
    return cast(F, njit(function, error_model="numpy", cache=True, fastmath=SAFE))


def inlined(function: F) -> F:
    """For what is called in loops that must become vector instructions."""
    return cast(F, njit(function, error_model="numpy", cache=True, inline="always"))


def reordered(function: F) -> F:
    """For sums that may be taken in any order, which vector instructions need."""
    return cast(F, njit(function, error_model="numpy", cache=True, fastmath=True))


def _forget_stale_code() -> None:
    """Numba recompiles a function whose file changed, but not those in other files that call it."""
    own = Path(__file__)
    for folder in {code.parent.parent for code in own.parent.glob("*/__pycache__/*.nbi")}:
        newest = max(source.stat().st_mtime for source in [own, *folder.glob("*.py")])
        for index in (folder / "__pycache__").glob("*.nbi"):
            # another process may do the same at this moment, or the folder may not be ours
            with suppress(OSError):
                if index.stat().st_mtime < newest:
                    index.unlink()


_forget_stale_code()
