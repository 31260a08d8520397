"""Rivals, the models that go on to the next tier of a study, and each model's learning rates.

Rivals are the best of the tier before by validation error, on each problem by itself; a model's
rate is that with which its own is smallest. No test error has a say. A choice is a function of
finished cells alone, which are never trained again: while one of them is open there is no choice,
and afterwards it stays what it is, everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import log
from statistics import fmean
from typing import Any

Result = Mapping[str, Any]  # a cell that is done, or has failed: then it has an error


def best_models(
    results: Sequence[Result | None], number: int, but: Sequence[str]
) -> list[str] | None:
    """The best first, none of `but`; None while a result is missing."""
    found = [result for result in results if result is not None]
    if len(found) < len(results):
        return None
    errors: dict[str, float] = {}
    for (model, _), group in groupby(sorted(found, key=_way), key=_way):
        seeds = [*group]
        if model not in but and not any("error" in seed for seed in seeds):
            error = fmean(seed["best_val_error"] for seed in seeds)
            errors[model] = min(error, errors.get(model, error))
    return sorted(errors, key=lambda model: (errors[model], model))[:number]


def _way(result: Result) -> tuple[str, str]:
    return result["model"], result["recipe"]


def best_rate(trials: Mapping[float, Sequence[Result | None]]) -> float | None:
    """Of factors with the results of their seeds; None while a result is missing.

    What diverges is not chosen; where everything does, the recipe's own rate is, and of equals that
    nearest to it: where nothing was learned, the mean field has the same error every time.
    """
    if any(result is None for seeds in trials.values() for result in seeds):
        return None
    errors = {
        factor: fmean(seed["best_val_error"] for seed in seeds if seed)
        for factor, seeds in trials.items()
        if not any(seed and "error" in seed for seed in seeds)
    }
    return min(errors, key=lambda factor: (errors[factor], abs(log(factor))), default=1.0)
