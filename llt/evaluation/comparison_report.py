"""Two runs side by side in one page: which is better, where, and what they differ in."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from llt.evaluation import html
from llt.evaluation.about import about
from llt.evaluation.comparison import Comparison
from llt.evaluation.comparison_cases import pictures_section, table_section
from llt.evaluation.comparison_figures import (
    differences_figure,
    pairs_figure,
    times_figure,
    training_figure,
)
from llt.evaluation.comparison_words import (
    COLUMNS,
    SEEDS,
    by_field,
    difference,
    interval,
    is_clear,
    signed,
    verdict,
)
from llt.evaluation.map_section import about as about_maps
from llt.evaluation.map_section import pictures
from llt.evaluation.svg import style, svg
from llt.evaluation.verdict import MEANING, duration, percent
from llt.runtime.files import write_text


def write_comparison(found: Comparison, out: Path) -> Path:
    with style():
        sections = [
            _numbers(found),
            _differences(found),
            _times(found),
            _maps(found),
            table_section(found),
            pictures_section(found),
            _training(found),
            _settings(found),
        ]
    title = f"{found.names[0]} beside {found.names[1]}"
    write_text(out, html.page(title, _headline(found), sections))
    return out


def _headline(found: Comparison) -> str:
    one, other = found.runs
    told = about(one.surrogate.cases, steps=one.surrogate.frames is not None)
    where = f"{told.title} · {one.folder} · {other.folder}"
    paired = found.whole
    together = ", all fields together" if len(found.errors) > 1 else ""
    cards = [
        html.card(percent(error), f"mean relative L2 error of {name}{together}")
        for name, error in zip(found.names, (paired.first, paired.second), strict=True)
    ]
    label = f"{found.names[0]} minus {found.names[1]}, mean over the cases{interval(paired)}"
    cards.append(html.card(signed(paired.difference), label))
    share = f"{paired.better} of {paired.cases}"
    cards.append(html.card(share, f"cases in which {found.names[0]} is better"))
    return (
        f"<h1>{escape(found.names[0])} beside {escape(found.names[1])}</h1>"
        + html.paragraph(where, "where")
        + html.paragraph(told.text)
        + html.paragraph(f"{verdict(found)}{by_field(found)}", "verdict")
        + f'<div class="cards">{"".join(cards)}</div>'
        + html.paragraph(MEANING, "note")
        + html.paragraph(SEEDS, "note")
    )


def _numbers(found: Comparison) -> html.Section:
    """Headline numbers, and whether differences are more than the spread between cases."""
    rows, kinds = [], []
    for number, (name, paired) in enumerate(found.errors.items()):
        kinds += [(number, "own")] if paired.clear else []
        errors = (percent(paired.first), percent(paired.second), difference(paired))
        won = f"{paired.better} : {paired.worse}"
        rows.append((name, *errors, won, is_clear(found, paired)))
    head = ("mean error", *found.names, "difference", "cases won", "more than the spread?")
    beside = html.table(("", *found.names), _beside(found))
    return html.section(
        "Which is better", html.table(head, rows, kinds), html.paragraph(COLUMNS, "note"), beside
    )


def _beside(found: Comparison) -> Iterator[tuple[str, ...]]:
    """Numbers that have no difference case by case."""
    evaluations = [run.evaluation for run in found.runs]
    for name, words in (("median", "median error"), ("worst", "worst error")):
        yield words, *(percent(getattr(one, name)) for one in evaluations)
    yield "mean field", *(percent(one.mean_field_error) for one in evaluations)
    averaged = [one.symmetrized for one in evaluations]
    if any(averaged):
        numbers = [percent(one.relative_l2) if one else "-" for one in averaged]
        yield "averaged over symmetries", *numbers
    for name in (*evaluations[0].derived,):
        rows = [one.derived.get(name) for one in evaluations]
        yield f"error of {name}", *(percent(row["relative_error"]) if row else "-" for row in rows)
    bars = [one.trust.error if one.trust else None for one in evaluations]
    if any(bar is not None for bar in bars):
        yield "error bar of new cases", *("-" if bar is None else percent(bar) for bar in bars)
    yield "parameters", *(f"{one.parameters:,}" for one in evaluations)
    yield "one prediction", *(f"{duration(e.seconds_per_sample)} ({e.device})" for e in evaluations)
    yield "in batches", *(duration(one.seconds_per_sample_batched) for one in evaluations)
    last = [run.metrics[-1] for run in found.runs]
    yield "training", *(f"{duration(row['seconds'])}, {row['epoch']} epochs" for row in last)


def _differences(found: Comparison) -> html.Section:
    return html.section(
        "Case by case",
        _pair(
            html.figure("Errors of every case", svg(pairs_figure(found), "Errors of every case")),
            html.figure("Their differences", svg(differences_figure(found), "Differences")),
        ),
    )


def _times(found: Comparison) -> html.Section | None:
    if not found.first.evaluation.times:
        return None
    picture = svg(times_figure(found), "Errors over time")
    return html.section("Over time", html.figure("Mean error of all fields", picture))


def _maps(found: Comparison) -> html.Section | None:
    """Beside each other on one scale, where both evaluations have them."""
    one, other = (run.evaluation.error_maps for run in found.runs)
    if one is None or other is None or one.shape != other.shape:
        return None
    parts = [html.paragraph(about_maps(found.first, one), "note")]
    both = zip(pictures(found.first, one, other), pictures(found.second, other, one), strict=True)
    for pair in both:
        drawn = [
            html.figure(f"{field}: mean |error| of {name}", picture)
            for name, (field, picture) in zip(found.names, pair, strict=True)
        ]
        parts.append(f'<div class="panels of2">{"".join(drawn)}</div>')
    return html.section("Where errors are", *parts)


def _training(found: Comparison) -> html.Section:
    return html.section(
        "Training",
        _pair(
            *(
                html.figure(title, svg(training_figure(found, over=over), title))
                for title, over in (("Over the epochs", "epoch"), ("Over the time", "seconds"))
            )
        ),
    )


def _settings(found: Comparison) -> html.Section:
    """What differs between the two trainings; what is the same is in their own reports."""
    rows: list[tuple[str, ...]] = list(found.settings())
    envs = [run.env for run in found.runs]
    for key in ("llt", "commit", "device", "cpu"):
        pair = [str(env.get(key) or "unknown") for env in envs]
        rows += [(key, *pair)] if pair[0] != pair[1] else []
    versions = [env["packages"] for env in envs]
    for name in sorted({*versions[0], *versions[1]}):
        pair = [str(one.get(name, "-")) for one in versions]
        rows += [(name, *pair)] if pair[0] != pair[1] else []
    data = found.first.evaluation
    same = f"The same data, {data.data_hash}, and splits, {data.split_hash}."
    if not rows:
        return html.section("What they differ in", html.paragraph(f"{same} No setting differs."))
    table = html.table(("setting", *found.names), rows)
    return html.section("What they differ in", table, html.paragraph(same, "note"))


def _pair(*figures: str) -> str:
    return f'<div class="pair">{"".join(figures)}</div>'
