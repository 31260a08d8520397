"""List the models: what they do, what they support, how large they are."""

from __future__ import annotations

from typing import Any

import typer


def run(
    json_: bool = typer.Option(False, "--json", help="A JSON list on standard output."),
) -> None:
    """List the models: what each does, what it supports, its parameters per problem."""
    import json

    from llt.problem import PROBLEMS

    rows = about_models()
    if json_:
        print(json.dumps(rows))
        return
    for row in rows:
        print(f"{row['name']:<22}{row['summary']}")
        print(f"{'':<22}{row['paper']}")
        print(f"{'':<22}{', '.join(row['supports'])}")
        counts = row["parameters"]
        sizes = [f"{name} {counts[name] / 1e6:.3f}" for name in PROBLEMS if name in counts]
        print(f"{'':<22}parameters (M): {', '.join(sizes)}\n")


def about_models() -> list[dict[str, Any]]:
    """One entry per model; parameters with the presets, for the problems it supports."""
    import torch

    from llt.models import MODELS, build_model, needs
    from llt.presets import find_preset
    from llt.problem import PROBLEMS

    rows = []
    for name, cls in MODELS.items():
        counts = {}
        for problem in PROBLEMS.values():
            if needs(problem) <= cls.supports:
                settings = find_preset(problem.name, name).model
                with torch.device("meta"):  # shapes without memory
                    model = build_model(name, problem, **settings)
                counts[problem.name] = sum(p.numel() for p in model.parameters())
        rows.append(
            {
                "name": name,
                "supports": sorted(cls.supports),
                "parameters": counts,
                "paper": cls.paper,
                "summary": cls.summary,
            }
        )
    return rows
