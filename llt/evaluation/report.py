"""`report.html`: one self-contained page on what was trained, on what, and how good it is."""

from __future__ import annotations

from html import escape
from pathlib import Path

from llt.evaluation import html
from llt.evaluation.about import about
from llt.evaluation.case_sections import cases_section, index_section
from llt.evaluation.finished import FinishedRun
from llt.evaluation.map_section import map_section
from llt.evaluation.metrics import Evaluation
from llt.evaluation.provenance import provenance_section
from llt.evaluation.sections import (
    curves_section,
    fields_section,
    resolutions_section,
    trust_section,
)
from llt.evaluation.svg import style
from llt.evaluation.usage import command_lines, python_lines, reproduce_lines
from llt.evaluation.verdict import MEANING, by_field, duration, is_worse, percent, verdict
from llt.runtime.files import write_text
from llt.training.folder import read_data_record


def write_report(
    run: Path,
    evaluation: Evaluation,
    device: str = "cpu",
    data_path: Path | None = None,
    out: Path | None = None,
) -> Path:
    """Write the report of an evaluated run, by default beside its weights."""
    found = FinishedRun.read(run, evaluation, device, data_path)
    with style():
        sections = [
            fields_section(evaluation),
            map_section(found),
            trust_section(found),
            index_section(found),
            cases_section(found),
            curves_section(found),
            resolutions_section(found),
            _usage(found),
            provenance_section(found),
        ]
    title = f"{about(found.surrogate.cases).title}: {found.surrogate.model.name} surrogate"
    out = out or run / "report.html"
    write_text(out, html.page(title, _headline(found), sections))
    return out


def _headline(run: FinishedRun) -> str:
    """What was solved, how good the surrogate is, and how fast."""
    evaluation, problem = run.evaluation, run.surrogate.cases
    steps = run.surrogate.frames is not None
    told, found = about(problem, steps=steps), verdict(evaluation)
    recipe = run.recipe
    how = f"recipe {recipe}" if recipe else "settings of its own"
    where = (
        f"{run.folder} · {run.surrogate.model.name}, {evaluation.parameters:,} parameters, {how}"
    )
    sentence = f"On {len(evaluation.per_sample)} {evaluation.split} samples"
    sentence += " it has never seen" if evaluation.split == "test" else ""
    return (
        f"<h1>{escape(told.title)}</h1>"
        + html.paragraph(where, "where")
        + html.paragraph(told.text)
        + (html.paragraph(told.equation, "equation") if told.equation else "")
        + html.paragraph(f"{sentence}: {found.text}.", "verdict bad" if found.bad else "verdict")
        + f'<div class="cards">{"".join(_cards(evaluation))}</div>'
        + html.paragraph(MEANING, "note")
    )


def _cards(evaluation: Evaluation) -> list[str]:
    error, mean = evaluation.relative_l2, evaluation.mean_field_error
    bad = "bad" if is_worse(error, mean) else ""
    spread = f"median {percent(evaluation.median)}, worst {percent(evaluation.worst)}"
    several, in_time = by_field(evaluation), " in rollouts" if evaluation.steps else ""
    cards = [
        html.card(percent(row["relative_l2"]), f"mean relative L2 error of {name}{in_time}")
        for name, row in several.items()
    ]
    label = (
        "the same of all fields together, in their own units"
        if several
        else f"mean relative L2 error{in_time}"
    )
    cards.append(html.card(percent(error), f"{label} ({spread})", bad))
    for name, found in evaluation.vectors.items():
        if name not in several:
            label = f"the same of the vector {name} alone, without the other fields"
            cards.append(html.card(percent(found["relative_l2"]), label))
    if evaluation.symmetrized:
        averaged = evaluation.symmetrized
        label = f"the same, averaged over {averaged.symmetries} symmetries"
        cards.append(html.card(percent(averaged.relative_l2), label))
    guess = "the error of predicting the mean field: the training set's mean"
    if evaluation.mean_field:
        guess += f", {evaluation.mean_field}"
    cards.append(html.card(percent(mean), guess))
    what = "one prediction" if not evaluation.times else "a prediction of one time"
    many = duration(evaluation.seconds_per_sample_batched)
    label = f"for {what} on {evaluation.device}; {many} in batches"
    cards.append(html.card(duration(evaluation.seconds_per_sample), label))
    if evaluation.solve_seconds:
        label = f"for one reference solve on {evaluation.solve_device}, mean over the dataset"
        cards.append(html.card(duration(evaluation.solve_seconds), label))
    return cards


def _usage(run: FinishedRun) -> html.Section:
    problem, frames = run.surrogate.cases, run.surrogate.frames
    history = 0 if frames is None else frames.history
    record = run.folder / "data.json"
    path = read_data_record(run.folder)["path"] if record.is_file() else "data.h5"
    return html.section(
        "Use it",
        html.code(python_lines(run.folder, problem, history)),
        html.code(command_lines(run.folder, problem, history)),
        html.paragraph("Train it again:"),
        html.code(reproduce_lines(run.folder, run.data, path)),
    )
