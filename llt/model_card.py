"""`README.md` of a run or a pack: the model card that hubs show, with their metadata on top.

It says what the weights are in the words of `Card`, and nothing of the machine's folders. Who
rewrites it takes away its last line; then it is left alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from llt.checkpoint import checkpoint_folder, read_weights
from llt.data.dataset import Dataset
from llt.errors import CheckpointError
from llt.evaluation.metrics import Evaluation, open_data
from llt.evaluation.usage import python_lines
from llt.pretrained.card import PARTS, Card
from llt.runtime.files import write_text
from llt.runtime.reading import reading
from llt.surrogate import Surrogate, load
from llt.training.folder import read_data_record, read_environment, read_metrics
from llt.training.settings import read_recipe, read_toml

NAME = "README.md"
OURS = "<!-- made by llt, which makes it again; without this line it is kept as it is -->"


def write_model_card(run: Path, evaluation: Evaluation, data_path: Path | None = None) -> bool:
    """Write the card of an evaluated run into its folder; False where the user has one there."""
    if (run / NAME).is_file() and OURS.encode() not in (run / NAME).read_bytes():
        return False
    surrogate, folder = load(run), checkpoint_folder(run)
    about = about_weights(folder, read_weights(folder)[0])
    limits = limits_of(open_data(run, surrogate, data_path))
    card = card_of(run, surrogate, evaluation, about, limits)
    write_readme(run, card, surrogate, run.resolve().name)
    return True


def card_of(
    run: Path, surrogate: Surrogate, evaluation: Evaluation, weights: dict[str, Any], limits: str
) -> Card:
    return Card(
        problem=surrogate.cases.describe(),
        model=surrogate.model.name,
        parameters=evaluation.parameters,
        data=_about_data(run),
        training=_about_training(run, evaluation.checkpoint),
        errors=_about_errors(evaluation),
        weights=weights,
        limits=limits,
    )


def write_readme(folder: Path, card: Card, surrogate: Surrogate, name: str) -> None:
    history = 0 if surrogate.frames is None else surrogate.frames.history
    use = python_lines(Path(name), surrogate.cases, history)
    write_text(folder / NAME, f"{card.to_readme(name, use)}\n{OURS}\n")


def about_weights(folder: Path, packed: Mapping[str, Tensor]) -> dict[str, Any]:
    return {
        "types": dict(Counter(str(t.dtype).removeprefix("torch.") for t in packed.values())),
        "sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
    }


def _about_data(run: Path) -> dict[str, Any]:
    record = read_data_record(run)
    with reading(run / "data.json", CheckpointError):
        provenance = {k: v for k, v in record["provenance"].items() if k != "environment"}
        splits = {name: int(count) for name, count in record["splits"].items()}
        split_hash = str(record["split_hash"])
    about = {"hash": record["hash"], "split_hash": split_hash, "splits": splits}
    return {**about, "provenance": provenance}


def _about_training(run: Path, metadata: Mapping[str, Any]) -> dict[str, Any]:
    config, last, env = run / "config.toml", read_metrics(run)[-1], read_environment(run)
    with reading(config, CheckpointError):
        seed = int(read_toml(config)["train"]["seed"])
    return {
        "recipe": read_recipe(config),  # older runs do not name it
        "seed": seed,
        "epochs": last["epoch"],
        "best_epoch": metadata.get("epoch"),
        "seconds": last["seconds"],
        **{name: env.get(name) for name in ("device", "commit", "llt", "date")},
    }


def _about_errors(evaluation: Evaluation) -> dict[str, Any]:
    found = evaluation.to_dict()
    return {name: found[name] for name in PARTS["errors"]}


def limits_of(data: Dataset) -> str:
    about, count = data.provenance, len(data.split("train"))
    source = f"{about.get('source', 'unknown')} data"
    if about.get("source") == "generated":
        source = (
            f"regenerated data ({about['solver']} solver, version {about['solver_version']}, "
            f"seed {about['seed']})"
        )
    return (
        f"trained on {count} samples of {source}; not valid outside their distribution: "
        "other inputs, domains, boundary conditions or units"
    )
