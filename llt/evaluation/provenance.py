"""What was trained on what: the section of a report that says where its numbers come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llt.data.dataset import Dataset
from llt.evaluation import html
from llt.evaluation.finished import FinishedRun
from llt.evaluation.metrics import Evaluation
from llt.evaluation.records import known_as
from llt.evaluation.verdict import duration, percent


def provenance_section(run: FinishedRun) -> html.Section:
    return html.section(
        "What was trained on what",
        html.table(("", ""), [*_data(run), *_training(run), *_evaluation(run)]),
        html.folded("config.toml: all settings", html.code(run.config)),
    )


def _data(run: FinishedRun) -> list[tuple[str, Any]]:
    data = run.data
    counts = ", ".join(f"{len(data.splits[name])} {name}" for name in ("train", "val", "test"))
    rows = [
        ("data", f"{source(data)}; hash {data.hash}"),
        ("samples", f"{counts}; hash of the splits {data.splits.hash}"),
    ]
    made = data.provenance.get("environment")
    return [*rows, *([("data made with", _code(made))] if isinstance(made, Mapping) else [])]


def _training(run: FinishedRun) -> list[tuple[str, Any]]:
    env, last = run.env, run.metrics[-1]
    rows = [
        ("model", f"{run.surrogate.model.name}, {run.evaluation.parameters:,} parameters"),
        ("recipe", run.recipe or "none: settings of its own"),
        ("training seed", run.train.seed),
        ("training time", f"{duration(last['seconds'])}, {last['epoch']} epochs"),
        ("trained on", f"{env['device']} ({env['cpu']}, {env['cores']} cores)"),
        ("kernels", env.get("kernels", "not recorded")),
        ("trained with", _code(env)),
        ("versions", _versions(env)),
    ]
    if run.start:
        rows.insert(2, ("began with", f"the weights of {run.start}"))
    return [*rows, *known_as(env)]


def _evaluation(run: FinishedRun) -> list[tuple[str, Any]]:
    evaluation, found = run.evaluation, run.evaluation.checkpoint
    chosen = f"{evaluation.selection}, epoch {found.get('epoch', '?')}"
    if "val_error" in found:
        chosen += f" ({percent(found['val_error'])})"
    return [
        ("weights", chosen),
        ("evaluated", f"{evaluation.split} split, {len(evaluation.per_sample)} samples"),
        ("prediction", _prediction_times(evaluation)),
    ]


def source(data: Dataset) -> str:
    about = data.provenance
    if about.get("source") != "generated":
        return str(about.get("source", "unknown"))
    return (
        f"regenerated with the {about['solver']} solver "
        f"(version {about['solver_version']}, seed {about['seed']})"
    )


def _code(env: Mapping[str, Any]) -> str:
    words = (f"llt {env.get('llt', '?')}", f"commit {env.get('commit') or 'unknown'}")
    return ", ".join((*words, str(env.get("date", "date unknown"))))


def _versions(env: Mapping[str, Any]) -> str:
    names = {"Python": env.get("python"), **env["packages"]}
    found = ", ".join(f"{name} {version}" for name, version in names.items() if version)
    return f"{found}; {env['system']}" if env.get("system") else found


def _prediction_times(evaluation: Evaluation) -> str:
    one, many = evaluation.seconds_per_sample, evaluation.seconds_per_sample_batched
    times = f"{duration(one)} alone, {duration(many)} in batches"
    if evaluation.symmetrized:
        times += f", {duration(evaluation.symmetrized.seconds_per_sample)} symmetrized"
    return f"{times} ({evaluation.device})"
