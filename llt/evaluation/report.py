"""`report.html`: one self-contained page on what was trained, on what, and how good it is."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from llt.data.dataset import Dataset
from llt.data.thinning import thinned_grid
from llt.errors import CheckpointError
from llt.evaluation import html
from llt.evaluation.about import about
from llt.evaluation.cases import Case, Gallery, predicted
from llt.evaluation.figures import curves_figure, histogram_figure, times_figure
from llt.evaluation.metrics import Evaluation, open_data
from llt.evaluation.panels import panel_figure
from llt.evaluation.resolution import grid_name, spelled
from llt.evaluation.svg import style, svg
from llt.evaluation.usage import command_lines, python_lines, reproduce_lines
from llt.evaluation.verdict import (
    MEANING,
    TOGETHER,
    beside_mean,
    is_worse,
    percent,
    verdict,
)
from llt.runtime.files import write_text
from llt.surrogate import Surrogate, load
from llt.training.config import TrainConfig
from llt.training.strides import find_strides

WORST = 5  # samples in the table of the worst


@dataclass(frozen=True)
class Run:
    """All that is told of a run."""

    folder: Path
    evaluation: Evaluation
    surrogate: Surrogate
    data: Dataset
    metrics: list[dict[str, Any]]
    env: dict[str, Any]
    config: str  # the text of config.toml

    @property
    def settings(self) -> dict[str, Any]:
        return tomllib.loads(self.config)


def write_report(
    run: Path, evaluation: Evaluation, device: str = "cpu", data_path: Path | None = None
) -> Path:
    """Write the report of an evaluated run beside its weights."""
    if not (run / "config.toml").is_file():
        raise CheckpointError(f"{run}: not a run folder, config.toml is missing")
    surrogate = load(run, device)
    lines = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    found = Run(
        folder=run,
        evaluation=evaluation,
        surrogate=surrogate,
        data=open_data(run, surrogate, data_path),
        metrics=[json.loads(line) for line in lines],
        env=json.loads((run / "env.json").read_text(encoding="utf-8")),
        config=(run / "config.toml").read_text(encoding="utf-8"),
    )
    with style():
        sections = [
            _headline(found),
            _fields(evaluation),
            _worst(found),
            _cases(found),
            _curves(found),
            _resolutions(found),
            _usage(found),
            _details(found),
        ]
    title = f"{about(surrogate.problem).title}: {surrogate.model.name} surrogate"
    write_text(run / "report.html", html.page(title, sections))
    return run / "report.html"


def _headline(run: Run) -> str:
    """What was solved, how good the surrogate is, and how fast."""
    evaluation, problem = run.evaluation, run.surrogate.problem
    told, found = about(problem), verdict(evaluation)
    recipe = run.settings.get("recipe")
    how = f"recipe {recipe}" if recipe else "settings of its own"
    where = (
        f"{run.folder} · {run.surrogate.model.name}, {evaluation.parameters:,} parameters, {how}"
    )
    sentence = f"On {len(evaluation.per_sample)} {evaluation.split} samples it has never seen"
    return (
        f"<header><h1>{escape(told.title)}</h1>"
        + html.paragraph(where, "where")
        + html.paragraph(told.text)
        + (html.paragraph(told.equation, "equation") if told.equation else "")
        + html.paragraph(f"{sentence}: {found.text}.", "verdict bad" if found.bad else "verdict")
        + f'<div class="cards">{"".join(_cards(evaluation))}</div>'
        + html.paragraph(MEANING, "note")
        + "</header>\n"
    )


def _cards(evaluation: Evaluation) -> list[str]:
    error, mean = evaluation.relative_l2, evaluation.mean_field_error
    bad = "bad" if is_worse(error, mean) else ""
    spread = f"median {percent(evaluation.median)}, worst {percent(evaluation.worst)}"
    cards = [html.card(percent(error), f"mean relative L2 error ({spread})", bad)]
    if evaluation.symmetrized:
        found = evaluation.symmetrized
        label = f"the same, averaged over {found.symmetries} symmetries"
        cards.append(html.card(percent(found.relative_l2), label))
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


def _fields(evaluation: Evaluation) -> str:
    """All fields, the bad ones in red; over time where there are times."""
    if not evaluation.fields:
        return ""
    rows, kinds = [], []
    for number, (name, field) in enumerate(evaluation.fields.items()):
        error, mean = field["relative_l2"], field.get("mean_field_error")
        numbers = [percent(field[key]) for key in ("relative_l2", "median", "worst")]
        words = ("-", "") if mean is None else (percent(mean), beside_mean(error, mean))
        rows.append((name, *numbers, *words))
        kinds += [(number, "bad")] if is_worse(error, mean) else []
    head = ("field", "mean error", "median", "worst", "mean field", "")
    parts = [html.table(head, rows, kinds)]
    if len(rows) > 1:
        parts.append(
            html.paragraph(f"In the headline: {TOGETHER[0].lower()}{TOGETHER[1:]}", "note")
        )
    if evaluation.times:
        picture = svg(times_figure(evaluation.times), "Errors over time")
        parts += [html.figure("Mean error at every time", picture), _times(evaluation)]
    return html.section("Errors by field", *parts)


def _times(evaluation: Evaluation) -> str:
    names = [*evaluation.times[0]["fields"]]
    rows = [
        (f"{row['t']:.6g}", *map(percent, (*row["fields"].values(), row["relative_l2"])))
        for row in evaluation.times
    ]
    return html.folded("Numbers of all times", html.table(("t", *names, "all"), rows))


def _worst(run: Run) -> str:
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
    head = ["sample", "error", *fields, *(_with_unit(field) for field in parameters)]
    return html.section("Worst cases", html.table(head, rows))


def _with_unit(field: Any) -> str:
    return f"{field.name} ({field.unit})" if field.unit else field.name


def _cases(run: Run) -> str:
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


def _case(run: Run, gallery: Gallery, case: Case) -> str:
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
    return f"<article><h3>{escape(title)}</h3>{note}{body}</article>"


def _curves(run: Run) -> str:
    evaluation = run.evaluation
    curves = svg(curves_figure(run.metrics, evaluation), "Training curves")
    histogram = svg(histogram_figure(evaluation), "Errors of samples")
    pictures = (
        html.figure("Over the epochs", curves),
        html.figure(f"Errors of the {evaluation.split} samples", histogram),
    )
    return html.section("Training and errors", f'<div class="pair">{"".join(pictures)}</div>')


def _resolutions(run: Run) -> str:
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


def _trained_grids(run: Run) -> set[str]:
    """As `grid_name` has them."""
    own = run.surrogate.problem.grid or ()
    fine = (run.data.finer or run.data).problem
    train = TrainConfig.from_dict(run.settings["train"])
    strides = find_strides(train.strides, train.resolutions, fine)
    grids = {own, *(thinned_grid(fine.grid or (), stride) for stride in strides)}
    return {spelled(grid).replace("x", " x ") for grid in grids}


def _percent(value: float | None) -> str:
    return "-" if value is None else percent(value)


def _usage(run: Run) -> str:
    problem = run.surrogate.problem
    record = run.folder / "data.json"
    path = json.loads(record.read_text())["path"] if record.is_file() else "data.h5"
    return html.section(
        "Use it",
        html.code(python_lines(run.folder, problem)),
        html.code(command_lines(run.folder, problem)),
        html.paragraph("Train it again:"),
        html.code(reproduce_lines(run.folder, run.data, path)),
    )


def _details(run: Run) -> str:
    evaluation, data, env = run.evaluation, run.data, run.env
    settings = run.settings
    rows = [
        ("data", f"{_source(data)}; hash {data.hash}, splits {data.splits.hash}"),
        ("samples", ", ".join(f"{len(data.splits[k])} {k}" for k in ("train", "val", "test"))),
        ("weights", f"{evaluation.selection}, epoch {evaluation.checkpoint.get('epoch', '?')}"),
        ("parameters", f"{evaluation.parameters:,}"),
        ("recipe", settings.get("recipe", "none: settings of its own")),
        ("training seed", settings["train"]["seed"]),
        ("training time", f"{duration(run.metrics[-1]['seconds'])}, {_epochs(run.metrics)} epochs"),
        ("prediction", _prediction_times(evaluation)),
        ("trained on", f"{env['device']} ({env['cpu']}, {env['cores']} cores)"),
        ("kernels", env.get("kernels", "not recorded")),
        ("llt", f"{env['llt']}, commit {env['commit'] or 'unknown'}, {env['date']}"),
        ("versions", ", ".join(f"{k} {v}" for k, v in env["packages"].items())),
    ]
    return html.section(
        "What was trained on what",
        html.folded("Data, weights, times and versions", html.table(("", ""), rows)),
        html.folded("config.toml", html.code(run.config)),
    )


def _source(data: Dataset) -> str:
    about = data.provenance
    if about.get("source") != "generated":
        return str(about.get("source", "unknown"))
    return (
        f"regenerated with the {about['solver']} solver "
        f"(version {about['solver_version']}, seed {about['seed']})"
    )


def _epochs(metrics: Sequence[dict[str, Any]]) -> int:
    return int(metrics[-1]["epoch"])


def _prediction_times(evaluation: Evaluation) -> str:
    one, many = evaluation.seconds_per_sample, evaluation.seconds_per_sample_batched
    times = f"{duration(one)} alone, {duration(many)} in batches"
    if evaluation.symmetrized:
        times += f", {duration(evaluation.symmetrized.seconds_per_sample)} symmetrized"
    return f"{times} ({evaluation.device})"


def duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min"
