"""Sections of a report about errors: of fields, times, samples, resolutions; with pictures."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from llt.data.thinning import thinned_grid
from llt.evaluation import html
from llt.evaluation.about import named
from llt.evaluation.cases import Case, Gallery, predicted
from llt.evaluation.figures import curves_figure, histogram_figure, times_figure
from llt.evaluation.film import make_film
from llt.evaluation.finished import FinishedRun
from llt.evaluation.metrics import Evaluation
from llt.evaluation.moments import Quantity, quantities, view_of
from llt.evaluation.panels import panel_figure
from llt.evaluation.resolution import grid_name, spelled
from llt.evaluation.strip import strip_figure
from llt.evaluation.svg import svg
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

WORST = 5  # samples in the table of the worst
MEAN_OVER_TIME = "Mean error at every time"
MOST_STRIPS = 4  # quantities that are shown over time


def fields_section(evaluation: Evaluation) -> str:
    """All fields, the bad ones in red; over time where there are times."""
    if not evaluation.fields:
        return ""
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
    return html.section("Errors by field", *parts)


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


def worst_section(run: FinishedRun) -> str:
    """The cases one would look at first."""
    evaluation, names = run.evaluation, [*run.evaluation.field_errors]
    fields = names if len(names) > 1 else []
    parameters = run.data.problem.parameters
    rows = []
    for place in evaluation.worst_first[:WORST]:
        index = evaluation.indices[place]
        errors = [evaluation.per_sample[place]]
        errors += [evaluation.field_errors[name][place] for name in fields]
        numbers = [f"{number:.4g}" for number in run.data.parameters[index]]
        rows.append((index, *map(percent, errors), *numbers))
    head = ["sample", "error", *fields, *(named([field]) for field in parameters)]
    return html.section("Worst cases", html.table(head, rows))


def trust_section(run: FinishedRun) -> str:
    """Error bars, whether they hold, unfamiliar cases, where errors are largest."""
    evaluation, trusted = run.evaluation, run.evaluation.trust
    if trusted is None:
        return ""
    lines = [*claims(trusted, run.data.problem)]
    lines += outcome(trusted, evaluation.split, evaluation.indices)
    told = [html.paragraph(f"{line[0].upper()}{line[1:]}.") for line in lines]
    return html.section("How far to trust it", *told)


def cases_section(run: FinishedRun) -> str:
    cases = predicted(run.surrogate, run.data, run.evaluation)
    gallery = Gallery(run.surrogate, run.data, cases)
    note = (
        "Reference and prediction share a color scale, the reference's range. Pink and cyan in a "
        "prediction: above and below that range by more than 1 % of it. Errors are prediction "
        "minus reference in percent of the field's range, on one scale for all pictures: "
        f"±{gallery.limit:g} %."
    )
    parts = [_case(run, gallery, case) for case in cases]
    return html.section("Predictions", html.paragraph(note, "note"), *parts)


def _case(run: FinishedRun, gallery: Gallery, case: Case) -> str:
    evaluation, problem = run.evaluation, run.data.problem
    index, error = evaluation.indices[case.place], evaluation.per_sample[case.place]
    title = f"{case.label} case: sample {index}, off by {percent(error)}"
    told = [
        f"{field.name} = {value:.4g} {field.unit}".strip()
        for field, value in zip(problem.parameters, run.data.parameters[index], strict=True)
    ]
    for channel, name in enumerate(problem.output_names):
        below, above = gallery.overshoot(case, channel)
        told += [f"{name} is predicted up to {percent(above)} above its range"] * (above > 0.01)
        told += [f"{name} is predicted up to {percent(below)} below its range"] * (below > 0.01)
    body = "".join(
        f'<div class="panels of{min(len(row), 4)}">'
        + "".join(html.figure(name, svg(panel_figure(panel), name)) for name, panel in row)
        + "</div>"
        for row in gallery.rows(case)
    )
    note = html.paragraph("; ".join(told) + ".", "note") if told else ""
    return f"<article><h3>{escape(title)}</h3>{note}{_in_time(run, gallery, case)}{body}</article>"


def _in_time(run: FinishedRun, gallery: Gallery, case: Case) -> str:
    """A film of the first quantity, and a strip of each, where there is more than one moment."""
    problem, shown = run.data.problem, quantities(run.data.problem)
    if len(case.moments) < 2 or not shown:
        return ""
    view = view_of(run.surrogate, problem, case.moments)
    first, last = case.moments[0].t, case.moments[-1].t
    name = f"{_with_unit(shown[0])} from t = {first:.4g} to {last:.4g}"
    film = make_film(problem, shown[0], case.moments, view).picture(escape(name))
    parts = [html.figure(name, film)]
    titles = [f"t = {moment.t:.4g}" for moment in case.strip]
    for quantity in shown[:MOST_STRIPS]:
        name = f"{_with_unit(quantity)} at {len(titles)} times, the error in % of its range"
        strip = strip_figure(problem, quantity, case.strip, titles, view, gallery.limit)
        parts.append(f'<div class="strip">{html.figure(name, svg(strip, name))}</div>')
    return "".join(parts)


def _with_unit(quantity: Quantity) -> str:
    return f"{quantity.name} in {quantity.unit}" if quantity.unit else quantity.name


def curves_section(run: FinishedRun) -> str:
    evaluation = run.evaluation
    curves = svg(curves_figure(run.metrics, evaluation), "Training curves")
    histogram = svg(histogram_figure(evaluation), "Errors of samples")
    pictures = (
        html.figure("Over the epochs", curves),
        html.figure(f"Errors of the {evaluation.split} samples", histogram),
    )
    return html.section("Training and errors", f'<div class="pair">{"".join(pictures)}</div>')


def resolutions_section(run: FinishedRun) -> str:
    if not run.evaluation.resolutions:
        return ""
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
