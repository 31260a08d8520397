"""What an error means, in words: percent, and beside the guess that needs no surrogate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from llt.evaluation.metrics import Evaluation

MEANING = (
    "Relative L2: the root mean square of the error over all points, divided by that of the field "
    "itself; 5 % means that the error is a twentieth of the field."
)
TOGETHER = (
    "In the mean over fields every field, or vector, counts the same; all together, in their own "
    "units, those with large numbers count most."
)
WORSE = "worse than predicting the mean field"
T = TypeVar("T")
STEPS = {"one step": "one_step", "no change": "unchanged"}  # in rows of `Evaluation.times`
HARDLY = 1.25  # times better than the mean field: not worth a surrogate
NAMED = 4  # quantities in a sentence
COMPONENTS = ("_x", "_y", "_z")


@dataclass(frozen=True)
class Verdict:
    """One sentence on an evaluation, and whether it is bad news."""

    text: str
    bad: bool


def verdict(evaluation: Evaluation) -> Verdict:
    """How far predictions are off, and which fields are not worth predicting."""
    found = by_field(evaluation)
    error, mean = mean_over_fields(found) or (evaluation.relative_l2, evaluation.mean_field_error)
    text = f"off by {percent(error)} on average"
    if found:
        worst_first = sorted(found, key=lambda name: -found[name]["relative_l2"])
        shown = [name for name in found if name in worst_first[:NAMED]]
        each = ", ".join(f"{name} {percent(found[name]['relative_l2'])}" for name in shown)
        less = f" and {len(found) - NAMED} fields by less" if len(found) > NAMED else ""
        text = f"off by {each}{less} on average; mean over fields {percent(error)}"
    text += f": {beside_mean(error, mean)} ({percent(mean)})"
    bad_fields = [] if len(evaluation.fields) < 2 else worse_fields(evaluation)
    if bad_fields and not is_worse(error, mean):
        text += f"; but {', '.join(bad_fields)}: {WORSE}"
    still = is_worse(evaluation.relative_l2, evaluation.steps.get("unchanged"))
    text += "; worse than no change at all" * still
    return Verdict(text, is_worse(error, mean) or bool(bad_fields) or still)


def about_steps(evaluation: Evaluation) -> str:
    """What errors of rollouts are, and those of one step: a sentence without beginning and end."""
    found, frames = evaluation.steps, len(evaluation.times)
    before = "the first frame" if found["history"] == 1 else f"the first {found['history']} frames"
    return (
        f"rolled out over {frames} frames from {before}; one step from the true frames is off by "
        f"{percent(found['one_step'])}, while the fields change by "
        f"{percent(found['step_unchanged'])} in it"
    )


def by_field(evaluation: Evaluation) -> dict[str, Mapping[str, float]]:
    """Errors of every field, components of a vector as one; none where there is one quantity alone.

    Fields have units of their own, so that one error of them all says little.
    """
    found: dict[str, Mapping[str, float]] = {}
    for name, field in evaluation.fields.items():
        stem = _stem(name)
        part = stem != name and stem in evaluation.vectors
        found |= {stem: evaluation.vectors[stem]} if part else {name: field}
    known = all("mean_field_error" in row for row in found.values())  # older evaluations lack it
    return found if known and len({*map(_stem, found)}) > 1 else {}


def mean_over_fields(found: Mapping[str, Mapping[str, float]]) -> tuple[float, float] | None:
    """Of the errors of quantities, and of the mean field's; None where there are none."""
    if not found:
        return None
    keys = ("relative_l2", "mean_field_error")
    error, mean = (sum(row[key] for row in found.values()) / len(found) for key in keys)
    return error, mean


def beside_mean(error: float, mean: float) -> str:
    """A phrase: how much better than predicting the training set's mean field."""
    if is_worse(error, mean):
        return WORSE
    ratio = mean / max(error, 1e-30)
    if ratio < HARDLY:
        return "hardly better than predicting the mean field"
    return f"{ratio:.{0 if ratio >= 10 else 1}f} times better than predicting the mean field"


def is_worse(error: float, mean: float | None) -> bool:
    """Also where it is the same: then nothing was learned."""
    return mean is not None and not error < mean


def worse_fields(evaluation: Evaluation) -> list[str]:
    return [
        name
        for name, field in evaluation.fields.items()
        if is_worse(field["relative_l2"], field.get("mean_field_error"))
    ]


def with_vectors(fields: Mapping[str, T], vectors: Mapping[str, T]) -> dict[str, T]:
    """What is known of every field, and of vectors by the names that they have beside fields."""
    return {**fields, **{f"{name} (vector)": value for name, value in vectors.items()}}


def at_time(row: Mapping[str, Any]) -> dict[str, float]:
    """Errors of fields and vectors in a row of `Evaluation.times`; older ones have no vectors."""
    return with_vectors(row["fields"], row.get("vectors", {}))


def percent(error: float) -> str:
    """Three digits: 0.0123 is 1.23 %."""
    value = 100 * error
    if value < 0.001:
        return "below 0.001 %"
    return f"{value:.0f} %" if value >= 100 else f"{value:#.3g}".rstrip(".") + " %"


def duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min"


def _stem(name: str) -> str:
    """Of a component, the vector."""
    return name[:-2] if name.endswith(COMPONENTS) else name
