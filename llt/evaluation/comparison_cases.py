"""The cases of two runs: a table of all, and some of them in pictures on one scale."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from llt.evaluation import html
from llt.evaluation.about import named
from llt.evaluation.case_sections import MOST_LISTED, SCALES, parameters_of
from llt.evaluation.cases import Case, Gallery, Row, last
from llt.evaluation.comparison import Comparison
from llt.evaluation.comparison_words import signed
from llt.evaluation.finished import FinishedRun
from llt.evaluation.moments import moments_of
from llt.evaluation.panels import panel_figure
from llt.evaluation.svg import svg
from llt.evaluation.verdict import percent

FIRST = 5  # cases that are seen at once, with those that are drawn


def choose(found: Comparison) -> dict[int, str]:
    """Places of a few cases, with what they are: the worst of each, and where they differ most."""
    one, other = (np.array(run.evaluation.per_sample) for run in found.runs)
    first, second = found.names
    ahead = _ahead(found)
    wanted = [
        (f"worst of {first}", one.argmax()),
        (f"worst of {second}", other.argmax()),
        _most(first, ahead),
        _most(second, -ahead),
    ]
    places: dict[int, str] = {}
    for label, place in wanted:
        known = places.get(int(place))
        places[int(place)] = f"{known}, {label}" if known else f"{label[0].upper()}{label[1:]}"
    return places


def _most(name: str, ahead: NDArray[np.float64]) -> tuple[str, np.intp]:
    """Where a run is ahead most, or behind least where it is ahead nowhere."""
    place = ahead.argmax()
    return f"where {name} is {'ahead most' if ahead[place] > 0 else 'behind least'}", place


def table_section(found: Comparison) -> html.Section:
    """All cases, those first in which the errors differ most."""
    order = np.argsort(-np.abs(_ahead(found)), kind="stable").tolist()
    drawn = choose(found)
    shown = [place for rank, place in enumerate(order) if rank < FIRST or place in drawn]
    parts = [_table(found, shown, drawn)]
    if len(shown) < len(order):
        listed = order[:MOST_LISTED]
        words = f"All {len(order)} cases, those first in which they differ most"
        if len(listed) < len(order):
            words = f"The {len(listed)} of {len(order)} cases in which they differ most"
        parts.append(html.folded(words, _table(found, listed, drawn), printed=False))
    return html.section("Cases", *parts)


def _table(found: Comparison, places: list[int], drawn: dict[int, str]) -> str:
    run, ahead = found.first, _ahead(found)
    rows = []
    for place in places:
        index = run.evaluation.indices[place]
        errors = [percent(each.evaluation.per_sample[place]) for each in found.runs]
        numbers = [f"{number:.4g}" for number in run.data.parameters[index]]
        name = html.link(drawn[place], f"case-{index}") if place in drawn else ""
        rows.append((index, *errors, signed(-ahead[place]), *numbers, name))
    parameters = [named([field]) for field in run.data.problem.parameters]
    kinds = [(row, "own") for row, place in enumerate(places) if place in drawn]
    head = ("sample", *found.names, "difference", *parameters, "drawn")
    return html.table(head, rows, kinds)


def _ahead(found: Comparison) -> NDArray[np.float64]:
    """By how much the first has the smaller error, of every case."""
    one, other = (np.array(run.evaluation.per_sample) for run in found.runs)
    return other - one


def pictures_section(found: Comparison) -> html.Section:
    chosen = choose(found)
    cases = [[_case(run, place) for place in chosen] for run in found.runs]
    # one gallery of both, so that they share all scales
    gallery = Gallery(found.first.surrogate, found.first.data, [*cases[0], *cases[1]])
    parts = [html.paragraph(f"{SCALES}±{gallery.limit:g} %.", "note")]
    for label, one, other in zip(chosen.values(), *cases, strict=True):
        parts.append(_article(found, gallery, label, one, other))
    return html.section("The same cases by both", *parts)


def _case(run: FinishedRun, place: int) -> Case:
    index = run.evaluation.indices[place]
    return Case("", place, moments_of(run.surrogate, run.data, index, last(run.data)))


def _article(found: Comparison, gallery: Gallery, label: str, one: Case, other: Case) -> str:
    run = found.first
    index = run.evaluation.indices[one.place]
    errors = [percent(each.evaluation.per_sample[one.place]) for each in found.runs]
    told = [f"{name} is off by {error}" for name, error in zip(found.names, errors, strict=True)]
    note = html.paragraph("; ".join([*told, *parameters_of(run, index)]) + ".", "note")
    given = gallery.given(one)
    body = ""
    if len(given) > 1:
        body += f'<div class="panels of{min(len(given), 4)}">{_figures(given)}</div>'
    for channel in range(len(run.data.problem.outputs)):
        (reference, *first), (_, *second) = (
            gallery.answers(case, channel) for case in (one, other)
        )
        # as it flows down the columns: reference over given, then each run's prediction and error
        beside = _figures(given[:1]) if channel == 0 and len(given) == 1 else "<div></div>"
        drawn = _figures([reference]) + beside
        for name, row in zip(found.names, (first, second), strict=True):
            drawn += _figures([(f"{caption} of {name}", panel) for caption, panel in row])
        body += f'<div class="versus">{drawn}</div>'
    title = f'<h3 id="case-{index}">{escape(label)}: sample {index}</h3>'
    return f"<article>{title}{note}{body}</article>"


def _figures(row: Row) -> str:
    return "".join(html.figure(name, svg(panel_figure(panel), name)) for name, panel in row)
