"""Show what a dataset file or a run holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.cli.options import JSON
from llt.errors import ConfigError, DataError
from llt.pretrained import resolve

if TYPE_CHECKING:
    from llt.data.dataset import Dataset


def run(
    path: Path = typer.Argument(
        ..., help="A dataset, a run, a checkpoint, pretrained:NAME or a folder of results."
    ),
    out: Path | None = typer.Option(
        None, "-o", "--out", help="Of a folder of results: write the draft of a plan here."
    ),
    json_: bool = JSON,
) -> None:
    """Show what a dataset file, a run, a checkpoint or a folder of results holds."""
    import json

    from llt.cli.folder import about_folder, is_results

    path = resolve(path)
    if not path.exists():
        raise DataError(f"{path}: no such file or folder")
    if is_results(path):
        about = about_folder(path, out)
    elif out is not None:
        raise ConfigError(f"{path}: -o writes the draft of a plan for a folder of results")
    else:
        about = about_run(path) if path.is_dir() else about_data(path)
    if json_:
        print(json.dumps(about))
        return
    width = max(16, 2 + max(map(len, about)))
    for name, value in about.items():
        if isinstance(value, dict):
            value = ("; " if name == "proposal" else ", ").join(
                f"{key} {part:.6g}" if isinstance(part, float) else f"{key} {part}"
                for key, part in value.items()
            )
        print(f"{name:<{width}}{value}")


def about_data(path: Path) -> dict[str, Any]:
    from llt.data import dataset_file

    data = dataset_file.read(path)
    problem = data.problem
    about: dict[str, Any] = {
        "file": str(path),
        "version": data.version,
        "problem": problem.describe(),
        "samples": len(data),
        "splits": {name: len(data.splits[name]) for name in ("train", "val", "test")},
        "points": f"{data.points.shape}, {'shared' if data.shared_points else 'per sample'}",
    }
    if data.times is not None:
        about["times"] = f"{len(data.times)}, {data.times[0]:.4g} to {data.times[-1]:.4g}"
    about |= _ranges(data)
    source = data.provenance.get("source", "unknown")
    if source == "generated":
        p = data.provenance
        source = f"generated, solver version {p['solver_version']}, seed {p['seed']}"
    if source == "prepared":
        source = f"prepared from {data.provenance['folder']}, seed {data.provenance['seed']}"
    return about | {"source": source, "hash": data.hash, "split hash": data.splits.hash}


def _ranges(data: Dataset) -> dict[str, str]:
    """Least and greatest value of every field and number, from one sample after the other."""
    import numpy as np

    fields = [
        (group, channel, field)
        for group in ("inputs", "outputs", "parameters", "derived")
        for channel, field in enumerate(getattr(data.problem, group))
    ]
    low, high = np.full(len(fields), np.inf), np.full(len(fields), -np.inf)
    shares = dict.fromkeys(data.masks, 0)
    for sample in map(data.sample, range(len(data))):
        for row, (group, channel, field) in enumerate(fields):
            values = getattr(sample, group)[..., channel]
            if field.mask:
                values = values[..., sample.masks[field.mask]]
            if values.size:
                low[row], high[row] = min(low[row], values.min()), max(high[row], values.max())
        for name, mask in sample.masks.items():
            shares[name] += int(mask.sum())
    total = int(data.counts.sum())
    titles = {"inputs": "input", "outputs": "output", "parameters": "parameter"}
    about = {f"mask {name}": f"{share / total:.1%} of the points" for name, share in shares.items()}
    for row, (group, _, field) in enumerate(fields):
        unit = f" {field.unit}" if field.unit else ""
        on = f" on {field.mask}" if field.mask else ""
        title = f"{titles.get(group, group)} {field.name}"
        about[title] = f"{low[row]:.4g} to {high[row]:.4g}{unit}{on}"
    return about


def about_run(path: Path) -> dict[str, Any]:
    from llt.checkpoint import checkpoint_folder, read_weights
    from llt.pretrained.card import read_card
    from llt.runtime.reading import read_json
    from llt.surrogate import load
    from llt.training.settings import read_recipe

    surrogate = load(path)
    _, metadata = read_weights(checkpoint_folder(path))
    about: dict[str, Any] = {
        "run": str(path),
        "problem": surrogate.cases.describe(),
        **({} if surrogate.frames is None else {"steps": str(surrogate.frames)}),
        "model": surrogate.model.name,
        "settings": surrogate.model.arguments,
        "parameters": sum(p.numel() for p in surrogate.model.parameters()),
        "weights": metadata,
    }
    if (path / "config.toml").is_file():
        about["recipe"] = read_recipe(path / "config.toml") or "none"
    for name in ("data", "env", "evaluation"):
        record = path / f"{name}.json"
        if record.is_file():
            content = read_json(record)
            keep = {
                "data": ("path", "hash"),
                "env": ("device", "kernels", "commit", "date"),
                "evaluation": ("split", "relative_l2"),
            }[name]
            about[name] = {key: content[key] for key in keep if key in content}
    if (path / "card.json").is_file():
        card = read_card(path)
        about["data"] = {name: card.data[name] for name in ("hash", "splits")}
        about["training"] = dict(card.training)
        about["evaluation"] = {name: card.errors[name] for name in ("split", "relative_l2")}
        about["packed"] = dict(card.weights)
        about["limits"] = card.limits
    return about
