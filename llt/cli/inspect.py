"""Show what a dataset file or a run holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from llt.errors import DataError


def run(
    path: Path = typer.Argument(..., help="A dataset file, a run folder or a checkpoint."),
    json_: bool = typer.Option(False, "--json", help="One JSON object on standard output."),
) -> None:
    """Show what a dataset file, a run or a checkpoint holds."""
    import json

    if not path.exists():
        raise DataError(f"{path}: no such file or folder")
    about = about_run(path) if path.is_dir() else about_data(path)
    if json_:
        print(json.dumps(about))
        return
    for name, value in about.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key} {part}" for key, part in value.items())
        print(f"{name:<16}{value}")


def about_data(path: Path) -> dict[str, Any]:
    from llt.data import file

    data = file.read(path)
    about: dict[str, Any] = {
        "file": str(path),
        "problem": data.problem.describe(),
        "samples": len(data),
        "splits": {name: len(data.splits[name]) for name in ("train", "val", "test")},
        "points": f"{data.points.shape}, {'shared' if data.shared_points else 'per sample'}",
    }
    for group, names, array in (
        ("input", data.problem.input_names, data.inputs),
        ("output", data.problem.output_names, data.outputs),
    ):
        for channel, name in enumerate(names):
            values = array[..., channel]
            about[f"{group} {name}"] = f"{values.min():.4g} to {values.max():.4g}"
    source = data.provenance.get("source", "unknown")
    if source == "generated":
        p = data.provenance
        source = f"generated, solver version {p['solver_version']}, seed {p['seed']}"
    return about | {"source": source, "hash": data.hash, "split hash": data.splits.hash}


def about_run(path: Path) -> dict[str, Any]:
    import json

    from llt.checkpoint import checkpoint_folder, read_weights
    from llt.surrogate import load

    surrogate = load(path)
    _, metadata = read_weights(checkpoint_folder(path))
    about: dict[str, Any] = {
        "run": str(path),
        "problem": surrogate.problem.describe(),
        "model": surrogate.model.name,
        "settings": surrogate.model.arguments,
        "parameters": sum(p.numel() for p in surrogate.model.parameters()),
        "weights": metadata,
    }
    for name in ("data", "env", "evaluation"):
        record = path / f"{name}.json"
        if record.is_file():
            content = json.loads(record.read_text(encoding="utf-8"))
            keep = {
                "data": ("path", "hash"),
                "env": ("device", "kernels", "commit", "date"),
                "evaluation": ("split", "relative_l2"),
            }[name]
            about[name] = {key: content[key] for key in keep if key in content}
    return about
