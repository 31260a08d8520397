"""What pretrained weights are: the data they saw, how they were trained, how far to trust them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from llt.errors import CheckpointError
from llt.runtime.reading import read_json


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """Complete where nothing is missing; `read_card` sees to that."""

    problem: str  # in words: fields and mesh
    model: str
    parameters: int
    data: Mapping[str, Any]  # hash, split_hash, splits, provenance
    training: Mapping[
        str, Any
    ]  # recipe, seed, epochs, best_epoch, seconds, device, commit, llt, date
    errors: Mapping[str, Any]  # of the run itself on its test split: plain, symmetrized, by field
    weights: Mapping[str, Any]  # types, sha256, deviation from the run's predictions, samples
    limits: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def to_markdown(self) -> str:
        data, training, errors, weights = self.data, self.training, self.errors, self.weights
        splits = ", ".join(f"{count} {name}" for name, count in data["splits"].items())
        types = ", ".join(f"{count} in {name}" for name, count in weights["types"].items())
        rows = {
            "problem": self.problem,
            "model": f"{self.model}, {self.parameters:,} parameters",
            "data": f"{splits}; hash {data['hash']}, splits {data['split_hash']}",
            "trained": f"recipe {training['recipe'] or 'not named'}, seed {training['seed']}, "
            f"{training['epochs']} epochs (weights of epoch {training['best_epoch']}), "
            f"{training['seconds']:.0f} s on {training['device']}",
            "code": f"llt {training['llt']}, commit {training['commit'] or 'unknown'}, "
            f"{training['date']}",
            "test error": _errors(errors),
            "symmetrized": _errors(errors["symmetrized"]) if errors["symmetrized"] else "none",
            "mean field": f"{errors['mean_field_error']:.5f}",
            "weights": f"{types}; predictions differ from the run's by {weights['deviation']:.1e} "
            f"(relative L2, mean of {weights['samples']} samples)",
            "limits": self.limits,
        }
        lines = [f"| {name} | {value} |" for name, value in rows.items()]
        return "\n".join(["| | |", "|---|---|", *lines]) + "\n"


def _errors(errors: Mapping[str, Any]) -> str:
    text = (
        f"{errors['relative_l2']:.5f} (median {errors['median']:.5f}, worst {errors['worst']:.5f})"
    )
    if len(errors["fields"]) > 1:
        parts = [f"{name} {field['relative_l2']:.5f}" for name, field in errors["fields"].items()]
        text += "; " + ", ".join(parts)
    return text


def read_card(folder: Path) -> Card:
    path = folder / "card.json"
    content = read_json(path, CheckpointError)
    known = {entry.name for entry in fields(Card)}
    if content.keys() != known:
        wrong = ", ".join(sorted(set(content) ^ known))
        raise CheckpointError(f"{path}: missing or unknown: {wrong}")
    return Card(**content)
