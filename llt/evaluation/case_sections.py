"""Sections of a report about cases: a table of all, and some of them in pictures."""

from __future__ import annotations

from html import escape

from llt.evaluation import html
from llt.evaluation.about import named
from llt.evaluation.cases import Case, Gallery, choose, predicted
from llt.evaluation.film import make_film
from llt.evaluation.finished import FinishedRun
from llt.evaluation.moments import Quantity, quantities, view_of
from llt.evaluation.panels import panel_figure
from llt.evaluation.strip import strip_figure
from llt.evaluation.svg import svg
from llt.evaluation.verdict import percent

WORST = 5  # cases that are seen at once, with those that are drawn
MOST_LISTED = 500  # cases in the table of all
MOST_STRIPS = 4  # quantities that are shown over time
SCALES = (
    "Reference and prediction share a color scale, the reference's range. Pink and cyan in a "
    "prediction: above and below that range by more than 1 % of it. Errors are prediction minus "
    "reference in percent of the field's range, on one scale for all pictures: "
)


def index_section(run: FinishedRun) -> html.Section:
    """All cases by their errors; of those that are drawn, the pictures are a click away."""
    evaluation = run.evaluation
    order, drawn = evaluation.worst_first, {place: label for label, place in choose(evaluation)}
    shown = [place for rank, place in enumerate(order) if rank < WORST or place in drawn]
    parts = [_case_table(run, shown, drawn)]
    if len(shown) < len(order):
        listed = order[:MOST_LISTED]
        words = f"All {len(order)} cases"
        if len(listed) < len(order):
            words = f"The worst {MOST_LISTED} of {len(order)} cases; evaluation.json has all"
        parts.append(html.folded(words, _case_table(run, listed, drawn), printed=False))
    return html.section("Cases", *parts)


def _case_table(run: FinishedRun, places: list[int], drawn: dict[int, str]) -> str:
    evaluation = run.evaluation
    trusted, errors = evaluation.trust, evaluation.field_errors
    fields = [*errors] if len(errors) > 1 else []
    far = trusted.distances if trusted and trusted.distances else None
    ranks = {place: rank for rank, place in enumerate(evaluation.worst_first, start=1)}
    rows = []
    for place in places:
        index = evaluation.indices[place]
        name = html.link(drawn[place].lower(), f"case-{index}") if place in drawn else ""
        found = [evaluation.per_sample[place], *(errors[field][place] for field in fields)]
        numbers = [f"{number:.4g}" for number in run.data.parameters[index]]
        distance = [] if far is None else [f"{far[place]:.2f}"]
        rows.append((index, *map(percent, found), *distance, *numbers, ranks[place], name))
    head = ["sample", "error", *fields, *(["distance"] if far else [])]
    head += [named([field]) for field in run.data.problem.parameters]
    kinds = [(row, "own") for row, place in enumerate(places) if place in drawn]
    return html.table([*head, "rank", "drawn"], rows, kinds)


def cases_section(run: FinishedRun) -> html.Section:
    cases = predicted(run.surrogate, run.data, run.evaluation)
    gallery = Gallery(run.surrogate, run.data, cases)
    note = html.paragraph(f"{SCALES}±{gallery.limit:g} %.", "note")
    return html.section("Predictions", note, *(_case(run, gallery, case) for case in cases))


def _case(run: FinishedRun, gallery: Gallery, case: Case) -> str:
    index, error = run.evaluation.indices[case.place], run.evaluation.per_sample[case.place]
    title = f"{case.label} case: sample {index}, off by {percent(error)}"
    told = parameters_of(run, index)
    for channel, name in enumerate(run.data.problem.output_names):
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
    title = f'<h3 id="case-{index}">{escape(title)}</h3>'
    return f"<article>{title}{note}{_in_time(run, gallery, case)}{body}</article>"


def parameters_of(run: FinishedRun, index: int) -> list[str]:
    """Of a case: speed = 12.5 m/s."""
    return [
        f"{field.name} = {value:.4g} {field.unit}".strip()
        for field, value in zip(
            run.data.problem.parameters, run.data.parameters[index], strict=True
        )
    ]


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
