"""`report.html`: one self-contained page on what was trained, on what, and how good it is."""

from __future__ import annotations

import base64
import json
import tomllib
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from llt.data.dataset import Dataset
from llt.errors import CheckpointError
from llt.evaluation.figures import (
    ERROR_MAP,
    Panel,
    curves_figure,
    fields_figure,
    histogram_figure,
    png,
)
from llt.evaluation.metrics import Evaluation, open_data, question
from llt.evaluation.resolution import grid_name
from llt.runtime.files import write_text
from llt.surrogate import Surrogate, load

STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")


def write_report(run: Path, evaluation: Evaluation, device: str = "cpu") -> Path:
    """Write the report of an evaluated run beside its weights."""
    if not (run / "config.toml").is_file():
        raise CheckpointError(f"{run}: not a run folder, config.toml is missing")
    surrogate = load(run, device)
    data = open_data(run, surrogate)
    lines = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    metrics = [json.loads(line) for line in lines]
    env = json.loads((run / "env.json").read_text(encoding="utf-8"))
    sections = [
        _headline(run, evaluation, surrogate),
        _cases(surrogate, data, evaluation),
        _section(
            "Training and errors",
            '<div class="pair">'
            + _picture(curves_figure(metrics, evaluation.relative_l2), "Loss over the epochs")
            + _picture(
                histogram_figure(evaluation.per_sample, evaluation.relative_l2),
                f"Error of every {evaluation.split} sample",
            )
            + "</div>",
        ),
        _fields(evaluation),
        _resolutions(evaluation),
        _details(run, evaluation, data, metrics, env),
    ]
    title = f"{data.problem.name}: {surrogate.model.name} surrogate"
    write_text(run / "report.html", _page(title, sections))
    return run / "report.html"


def _headline(run: Path, evaluation: Evaluation, surrogate: Surrogate) -> str:
    gain = evaluation.mean_field_error / max(evaluation.relative_l2, 1e-30)
    cards = [
        (
            f"{evaluation.relative_l2:.4f}",
            f"mean relative L2 error on the {evaluation.split} split",
        ),
        (f"{gain:.{0 if gain >= 10 else 1}f}x", "below predicting the training set's mean field"),
        (_duration(evaluation.seconds_per_sample), f"for one prediction on {evaluation.device}"),
    ]
    if evaluation.symmetrized:
        found = evaluation.symmetrized
        label = f"the same, averaged over {found.symmetries} symmetries (predict --symmetrize)"
        cards.insert(1, (f"{found.relative_l2:.4f}", label))
    if evaluation.solve_seconds:
        label = f"for one reference solve on {evaluation.solve_device}, mean over the dataset"
        cards.append((_duration(evaluation.solve_seconds), label))
    body = "".join(
        f'<div class="card"><b>{escape(value)}</b><span>{escape(label)}</span></div>'
        for value, label in cards
    )
    return (
        f"<h1>{escape(surrogate.problem.describe())}</h1>"
        f'<p class="where">{escape(str(run))}</p><div class="cards">{body}</div>'
    )


def _cases(surrogate: Surrogate, data: Dataset, evaluation: Evaluation) -> str:
    """The best, the median and the worst sample of the split."""
    order = np.argsort(evaluation.per_sample)
    parts = []
    for label, rank in (("Best", 0), ("Median", len(order) // 2), ("Worst", -1)):
        place = int(order[rank])
        index, error = evaluation.indices[place], evaluation.per_sample[place]
        figure = sample_figure(surrogate, data, index)
        caption = f"{label} case: sample {index}, relative L2 error {error:.4f}"
        parts.append(_picture(figure, caption))
    return _section("Predictions", "".join(parts))


def sample_figure(surrogate: Surrogate, data: Dataset, index: int) -> Figure:
    """Input, reference, prediction and error of one sample; the first field of each."""
    sample, problem = data.sample(index), data.problem
    u = sample.outputs if data.times is None else sample.outputs[-1]
    x, a, t = question(data, sample)
    prediction = surrogate.predict(x, a, t, check=False).reshape(u.shape)
    field, shown = problem.outputs[0], np.full(len(u), True)
    if field.mask and problem.grid is None:
        shown = sample.masks[field.mask]
    reference, answer = u[shown, 0], prediction[shown, 0]
    low, high = float(reference.min()), float(reference.max())
    panels = [
        Panel(f"{field.name}: reference", reference, low, high),
        Panel(f"{field.name}: prediction", answer, low, high),
        Panel("absolute error", np.abs(answer - reference), 0.0, None, ERROR_MAP),
    ]
    if problem.inputs:
        given = a.reshape(len(u), -1)[shown, 0]
        panels.insert(0, Panel(f"input: {problem.input_names[0]}", given, None, None, "cividis"))
    return fields_figure(sample.points[shown], problem.grid, panels)


def _fields(evaluation: Evaluation) -> str:
    if len(evaluation.fields) < 2:
        return ""
    rows = [
        (name, *(f"{errors[key]:.4f}" for key in ("relative_l2", "median", "worst")))
        for name, errors in evaluation.fields.items()
    ]
    table = _table(("field", "mean relative L2 error", "median", "worst"), rows)
    return _section("Errors by field", table)


def _resolutions(evaluation: Evaluation) -> str:
    if not evaluation.resolutions:
        return ""
    rows = [
        (
            grid_name(row),
            *(_error(row.get(name)) for name in ("relative_l2", "resampled", "interpolation")),
            row["samples"],
        )
        for row in evaluation.resolutions
    ]
    note = (
        "<p>The same weights asked on other grids of the same samples. Resampled: asked on the "
        "grid of the model and interpolated by cubic splines, which loses of the truth itself "
        "what interpolation says.</p>"
    )
    head = ("grid", "relative L2 error", "resampled", "interpolation", "samples")
    table = _table(head, rows)
    return _section("Other resolutions", note + table)


def _error(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _details(
    run: Path,
    evaluation: Evaluation,
    data: Dataset,
    metrics: Sequence[dict[str, Any]],
    env: dict[str, Any],
) -> str:
    provenance = data.provenance
    source = provenance.get("source", "unknown")
    if source == "generated":
        source = (
            f"regenerated with the {provenance['solver']} solver "
            f"(version {provenance['solver_version']}, seed {provenance['seed']})"
        )
    config = (run / "config.toml").read_text(encoding="utf-8")
    settings = tomllib.loads(config)
    rows = [
        ("data", f"{source}; hash {data.hash}, splits {data.splits.hash}"),
        ("samples", ", ".join(f"{len(data.splits[k])} {k}" for k in ("train", "val", "test"))),
        ("weights", f"{evaluation.selection}, epoch {evaluation.checkpoint.get('epoch', '?')}"),
        ("parameters", f"{evaluation.parameters:,}"),
        ("recipe", settings.get("recipe", "none: settings of its own")),
        ("training seed", settings["train"]["seed"]),
        ("training time", f"{_duration(metrics[-1]['seconds'])}, {len(metrics)} epochs"),
        ("prediction", _prediction_times(evaluation)),
        ("trained on", f"{env['device']} ({env['cpu']}, {env['cores']} cores)"),
        ("kernels", env.get("kernels", "not recorded")),
        ("llt", f"{env['llt']}, commit {env['commit'] or 'unknown'}, {env['date']}"),
        ("versions", ", ".join(f"{k} {v}" for k, v in env["packages"].items())),
    ]
    body = _table(("", ""), rows) + f"<h3>config.toml</h3><pre>{escape(config)}</pre>"
    return _section("What was trained on what", body)


def _prediction_times(evaluation: Evaluation) -> str:
    one, many = evaluation.seconds_per_sample, evaluation.seconds_per_sample_batched
    times = f"{_duration(one)} alone, {_duration(many)} per sample in batches"
    if evaluation.symmetrized:
        times += f", {_duration(evaluation.symmetrized.seconds_per_sample)} symmetrized"
    return f"{times} ({evaluation.device})"


def _page(title: str, sections: Iterable[str]) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><main>{''.join(sections)}</main></body></html>\n"
    )


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _picture(figure: Figure, caption: str) -> str:
    data = base64.b64encode(png(figure)).decode()
    text = escape(caption)
    image = f'<img alt="{text}" src="data:image/png;base64,{data}">'
    return f"<figure><figcaption>{text}</figcaption>{image}</figure>"


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table>{f'<tr>{top}</tr>' if any(head) else ''}{body}</table>"


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min"
