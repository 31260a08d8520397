"""Sections of a report about errors: of fields, times and resolutions, in training, in trust."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llt.data.thinning import thinned_grid
from llt.evaluation import html
from llt.evaluation.figures import (
    curves_figure,
    distance_figure,
    histogram_figure,
    times_figure,
)
from llt.evaluation.finished import FinishedRun
from llt.evaluation.metrics import Evaluation
from llt.evaluation.resolution import grid_name, spelled
from llt.evaluation.svg import svg
from llt.evaluation.trust import Trusted
from llt.evaluation.trust_words import claims, outcome
from llt.evaluation.verdict import (
    STEPS,
    TOGETHER,
    about_steps,
    at_time,
    beside_mean,
    by_field,
    is_worse,
    percent,
    with_vectors,
)
from llt.training.strides import find_strides

MEAN_OVER_TIME = "Mean error at every time"
MOST_HISTOGRAMS = 11  # of fields


def fields_section(evaluation: Evaluation) -> html.Section | None:
    """All fields, the bad ones in red; over time where there are times; how cases differ."""
    if not evaluation.fields:
        return None
    rows, kinds = [], []
    found = with_vectors(evaluation.fields, evaluation.vectors)
    for number, (name, field) in enumerate(found.items()):
        error, mean = field["relative_l2"], field.get("mean_field_error")
        numbers = [percent(field[key]) for key in ("relative_l2", "median", "worst")]
        words = ("-", "") if mean is None else (percent(mean), beside_mean(error, mean))
        rows.append((name, *numbers, *words))
        kinds += [(number, "bad")] if is_worse(error, mean) else []
    head = ("field", "mean error", "median", "worst", "mean field", "")
    parts = [html.table(head, rows, kinds)]
    if by_field(evaluation):
        parts.append(html.paragraph(TOGETHER, "note"))
    if evaluation.derived:
        parts.append(_derived(evaluation))
    if evaluation.times:
        picture = svg(times_figure(evaluation.times), "Errors over time")
        title = "Mean error of rollouts over time" if evaluation.steps else MEAN_OVER_TIME
        parts += [_steps(evaluation), html.figure(title, picture), _times(evaluation)]
    return html.section("Errors by field", *parts, _histograms(evaluation))


def _histograms(evaluation: Evaluation) -> str:
    """How many cases have which error, of all fields together and of each."""
    names = [*evaluation.field_errors]
    shown = ["", *names[:MOST_HISTOGRAMS]] if len(names) > 1 else [""]
    pictures = []
    for name in shown:
        title = f"Errors of the {evaluation.split} samples"
        title += f": {name}" if name else ": all fields" if names[1:] else ""
        pictures.append(html.figure(title, svg(histogram_figure(evaluation, name), title)))
    return f'<div class="small">{"".join(pictures)}</div>'


def _steps(evaluation: Evaluation) -> str:
    if not evaluation.steps:
        return ""
    told = about_steps(evaluation)
    return html.paragraph(f"{told[0].upper()}{told[1:]}.")


def _derived(evaluation: Evaluation) -> str:
    rows = [
        (name, *map(percent, (row["relative_error"], row["mean_number_error"])), _rank(row))
        for name, row in evaluation.derived.items()
    ]
    head = ("derived number", "mean error", "mean of the training set", "rank correlation")
    return html.table(head, rows)


def _rank(row: Mapping[str, Any]) -> str:
    value = row["rank_correlation"]
    return "-" if value is None else f"{value:.4f}"


def _times(evaluation: Evaluation) -> str:
    names = [*at_time(evaluation.times[0])]
    steps = STEPS if evaluation.steps else {}
    rows = []
    for row in evaluation.times:
        beside = [row[key] for key in steps.values()]
        numbers = (*at_time(row).values(), row["relative_l2"], *beside)
        rows.append((f"{row['t']:.6g}", *map(percent, numbers)))
    return html.folded("Numbers of all times", html.table(("t", *names, "all", *steps), rows))


def trust_section(run: FinishedRun) -> html.Section | None:
    """Error bars, whether they hold, unfamiliar cases, where errors are largest."""
    evaluation, trusted = run.evaluation, run.evaluation.trust
    if trusted is None:
        return None
    lines = [*claims(trusted, run.data.problem)]
    lines += outcome(trusted, evaluation.split, evaluation.indices)
    parts = [html.bullets(f"{line[0].upper()}{line[1:]}." for line in lines)]
    if trusted.bars:
        parts.append(_bars(run, trusted))
    if trusted.distances:
        picture = svg(distance_figure(evaluation), "Errors over distance from training")
        parts.append(html.figure("Errors and distances from the training cases", picture))
    return html.section("How far to trust it", *parts)


def _bars(run: FinishedRun, trusted: Trusted) -> str:
    """What is claimed, and what came of it."""
    share, split = f"{100 * trusted.level:g} %", run.evaluation.split
    rows = []
    for field in run.data.problem.outputs:
        if (bar := trusted.bars.get(field.name)) is not None:
            within = _percent(trusted.coverage.get(field.name))
            rows.append((f"points, {field.name}", f"{bar:.3g} {field.unit}".strip(), within))
    if trusted.error is not None:
        rows.append(("cases, relative L2", percent(trusted.error), _percent(trusted.case_coverage)))
    return html.table(("", f"error bar of {share}", f"within it on {split}"), rows)


def curves_section(run: FinishedRun) -> html.Section:
    curves = svg(curves_figure(run.metrics, run.evaluation), "Training curves")
    return html.section("Training", html.figure("Over the epochs", curves))


def resolutions_section(run: FinishedRun) -> html.Section | None:
    if not run.evaluation.resolutions:
        return None
    trained, rows, kinds = _trained_grids(run), [], []
    for number, row in enumerate(run.evaluation.resolutions):
        errors = (_percent(row.get(key)) for key in ("relative_l2", "resampled", "interpolation"))
        mark = "trained on" if grid_name(row) in trained else ""
        rows.append((grid_name(row), *errors, row["samples"], mark))
        kinds += [(number, "own")] if mark else []
    note = (
        "The same weights asked on other grids of the same samples. Resampled: asked on the "
        "grid of the model and interpolated by cubic splines, which loses of the truth itself "
        "what interpolation says."
    )
    head = ("grid", "relative L2 error", "resampled", "interpolation", "samples", "")
    return html.section("Other resolutions", html.paragraph(note), html.table(head, rows, kinds))


def _trained_grids(run: FinishedRun) -> set[str]:
    """As `grid_name` has them."""
    own = run.surrogate.problem.grid or ()
    fine = (run.data.finer or run.data).problem
    strides = find_strides(run.train.strides, run.train.resolutions, fine)
    grids = {own, *(thinned_grid(fine.grid or (), stride) for stride in strides)}
    return {spelled(grid).replace("x", " x ") for grid in grids}


def _percent(value: float | None) -> str:
    return "-" if value is None else percent(value)
