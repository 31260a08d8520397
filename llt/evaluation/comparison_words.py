"""What is to be said about two runs: which is better, as far as some cases can tell."""

from __future__ import annotations

from llt.evaluation.comparison import Comparison
from llt.evaluation.paired import FEWEST, LEVEL, Paired
from llt.evaluation.verdict import percent

SEEDS = (
    "This compares two trainings on these cases. The same settings trained with another seed give "
    "other weights, too, and how much that changes takes more seeds to tell."
)
COLUMNS = (
    "Difference: first minus second, both on the same case, the mean over all cases and half "
    f"of its {100 * LEVEL:g} % interval. Cases won: in how many the first and the second have "
    "the smaller error."
)
LEAST = 1e-5  # that `percent` tells apart


def verdict(found: Comparison) -> str:
    paired = found.whole
    if paired.spread is None:
        return f"Too few cases to tell which is better: {paired.cases}, of at least {FEWEST}."
    if not paired.clear:
        return (
            f"No clear difference: {difference(paired)} between the mean errors is within what "
            f"the spread between {paired.cases} cases brings about."
        )
    small, large = sorted((paired.first, paired.second))
    won = paired.better if paired.difference < 0 else paired.worse
    return (
        f"{better(found, paired)} is better: its mean error is {percent(1 - small / large)} "
        f"smaller, it wins {won} of {paired.cases} cases, and the difference is more than the "
        "spread between cases brings about."
    )


def better(found: Comparison, paired: Paired) -> str:
    """The name of the run with the smaller mean error."""
    return found.names[paired.difference > 0]


def is_clear(found: Comparison, paired: Paired) -> str:
    if paired.spread is None:
        return "too few cases"
    return f"yes: {better(found, paired)} is better" if paired.clear else "no"


def by_field(found: Comparison) -> str:
    """A sentence on the fields, where there are several: in which of them each run is better."""
    fields = [*found.errors.items()][:-1]
    parts = []
    for run in found.names:
        names = [name for name, paired in fields if paired.clear and better(found, paired) == run]
        parts += [f"{run} in {', '.join(names)}"] if names else []
    return f" Clearly better by field: {'; '.join(parts)}." if parts else ""


def difference(paired: Paired) -> str:
    """With half of its interval, where that is known."""
    return f"{signed(paired.difference)}{interval(paired)}"


def interval(paired: Paired) -> str:
    return "" if paired.spread is None else f" ± {percent(paired.spread)}"


def signed(value: float) -> str:
    sign = "\N{MINUS SIGN}" if value < 0 else "+"
    return percent(0) if abs(value) < LEAST else f"{sign}{percent(abs(value))}"
