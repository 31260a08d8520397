"""Learning rate and first Adam momentum at every step of a run, as plain arrays.

Computed once and kept on the device, so that a captured training step can follow the schedule,
and a resumed run needs no scheduler state.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from llt.errors import ConfigError

Array = NDArray[np.float64]
MOST_STEPS = 20_000_000  # months of training, and 0.6 GiB while its rates are computed


def learning_rates(schedule: str, num_steps: int, peak: float) -> tuple[Array, Array]:
    """Learning rate and beta1 per step, each (num_steps,)."""
    if num_steps > MOST_STEPS:
        raise ConfigError(
            f"{num_steps:,} steps are more than {MOST_STEPS:,}; choose fewer train.epochs"
        )
    return {"onecycle": _onecycle, "cosine": _cosine}[schedule](num_steps, peak)


def _onecycle(num_steps: int, peak: float) -> tuple[Array, Array]:
    """PyTorch's OneCycleLR with its defaults: up for 30 % of the steps, then down, by cosines.

    The momentum moves against the rate, 0.95 -> 0.85 -> 0.95, as that scheduler does by default.
    """
    turn = max(0.3 * num_steps - 1, 1e-9)
    end = max(num_steps - 1, turn + 1e-9)
    step = np.arange(num_steps)
    up, down = np.minimum(step / turn, 1), np.clip((step - turn) / (end - turn), 0, 1)
    start, last = peak / 25, peak / 25 / 1e4
    rising = step <= turn
    rate = np.where(rising, _ease(start, peak, up), _ease(peak, last, down))
    beta1 = np.where(rising, _ease(0.95, 0.85, up), _ease(0.85, 0.95, down))
    return rate, beta1


def _cosine(num_steps: int, peak: float) -> tuple[Array, Array]:
    """Half a cosine from the peak to zero."""
    return _ease(peak, 0.0, np.arange(num_steps) / num_steps), np.full(num_steps, 0.9)


def _ease(start: float, end: float, fraction: Array) -> Array:
    return end + (start - end) / 2 * (1 + np.cos(np.pi * fraction))
