"""How long threads of one process spin while they wait for each other.

GNU's OpenMP, which PyTorch comes with, lets them spin almost forever. That is fast where nothing
else runs; elsewhere a thread that spins keeps a core from the very one it waits for, and a step
takes several times as long (docs/performance.md).
"""

from __future__ import annotations

import os

SPINS = 10_000  # longer than threads wait within a step where they have the cores for themselves
VARIABLES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


def spin_briefly() -> None:
    """Before PyTorch is loaded, for this process and those it starts; what is set stays."""
    if not any(name in os.environ for name in VARIABLES):
        os.environ["GOMP_SPINCOUNT"] = str(SPINS)
