"""List the models: what they do, what they support, how large they are; and all of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from llt.presets import Preset


def run(
    name: str | None = typer.Argument(None, help="A model: its settings and sizes."),
    json_: bool = typer.Option(False, "--json", help="JSON on standard output."),
) -> None:
    """List the models: what each does, what it supports, its parameters per problem.

    With a name: what its settings are, their defaults, and its sizes by preset.
    """
    import json

    if name is not None:
        row = about_model(name)
        print(json.dumps(row)) if json_ else _show_model(row)
        return
    rows = [about_model(name) for name in _names()]
    if json_:
        print(json.dumps(rows))
        return
    for row in rows:
        print(f"{row['name']:<22}{row['summary']}")
        print(f"{'':<22}{row['paper']}")
        print(f"{'':<22}{', '.join(row['supports'])}")
        print(f"{'':<22}parameters (M): {_sizes(row)}\n")
    print("llt models NAME lists a model's settings, llt recipes how they are trained")


def _names() -> list[str]:
    from llt.models import MODELS

    return [*MODELS]


def about_model(name: str) -> dict[str, Any]:
    """What it is, its settings, and its parameters with the presets, where it can be built."""
    from dataclasses import asdict

    from llt.cli.comments import settings_of
    from llt.errors import ConfigError, unknown
    from llt.models import MODELS, needs
    from llt.presets import find_preset
    from llt.problem import PROBLEMS

    if name not in MODELS:
        raise ConfigError(unknown("model", name, MODELS))
    cls = MODELS[name]
    fits = [problem for problem in PROBLEMS.values() if needs(problem) <= cls.supports]
    presets = {problem.name: find_preset(problem.name, name) for problem in fits}
    return {
        "name": name,
        "summary": cls.summary,
        "paper": cls.paper,
        "supports": sorted(cls.supports),
        "settings": [asdict(setting) for setting in settings_of(cls)],
        "presets": {problem: dict(preset.model) for problem, preset in presets.items()},
        "parameters": {problem: _count(name, problem, presets[problem]) for problem in presets},
    }


def _count(name: str, problem: str, preset: Preset) -> int:
    import torch

    from llt.models import build_model
    from llt.problem import find_problem

    with torch.device("meta"):  # shapes without memory
        model = build_model(name, find_problem(problem), **preset.model)
    return sum(p.numel() for p in model.parameters())


def _show_model(row: dict[str, Any]) -> None:
    from llt.cli.comments import Setting, plain, setting_lines

    print(f"{row['name']}: {row['summary']}")
    print(row["paper"])
    print(f"supports {', '.join(row['supports'])}\n")
    print("Settings and their defaults, changed with --set model.NAME=VALUE")
    print(*setting_lines([Setting(**setting) for setting in row["settings"]]), sep="\n")
    print("\nOn the paper's problems, with recipe paper")
    for problem, count in row["parameters"].items():
        sizes = ", ".join(f"{key}={plain(v)}" for key, v in row["presets"][problem].items())
        print(f"  {problem:<12}{count / 1e6:.3f} M parameters   {sizes}".rstrip())


def _sizes(row: dict[str, Any]) -> str:
    return ", ".join(f"{problem} {n / 1e6:.3f}" for problem, n in row["parameters"].items())
