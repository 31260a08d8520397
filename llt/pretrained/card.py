"""What pretrained weights are: the data they saw, how they were trained, how far to trust them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from llt.errors import CheckpointError
from llt.runtime.reading import read_json

TAGS = ("pde", "surrogate", "neural-operator", "physics")  # that models of this kind are found by
PARTS = {  # what each must have
    "data": ("hash", "split_hash", "splits", "provenance"),
    "training": (
        *("recipe", "seed", "epochs", "best_epoch", "seconds"),
        *("device", "commit", "llt", "date"),
    ),
    "errors": (
        *("split", "relative_l2", "median", "worst", "mean_field_error"),
        *("fields", "symmetrized"),
    ),
    "weights": ("types", "sha256"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """Complete where nothing is missing; `read_card` sees to that."""

    problem: str  # in words: fields and mesh
    model: str
    parameters: int
    data: Mapping[str, Any]
    training: Mapping[str, Any]
    errors: Mapping[str, Any]  # of the run itself on its test split
    weights: Mapping[str, Any]  # of a pack also deviation from the run's predictions, and samples
    limits: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def to_readme(self, name: str, use: str) -> str:
        """As a hub shows it, with metadata for its search; `use` is a program."""
        return (
            f"---\n{metadata(self, name)}---\n\n# {name}\n\n"
            f"A surrogate for a partial differential equation, made with `llt`: "
            f"it predicts the fields that a solver would compute.\n\n{self.to_markdown()}\n"
            f"```python\n{use}\n```\n"
        )

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
            "weights": types + _deviation(weights),
            "limits": self.limits,
        }
        lines = [f"| {name} | {value.replace('|', '&#124;')} |" for name, value in rows.items()]
        return "\n".join(["| | |", "|---|---|", *lines]) + "\n"


def metadata(card: Card, name: str) -> str:
    """The head of a model card, YAML: what hubs search for, and errors with their data."""
    told = card.errors
    values = {"mean relative L2 error": told["relative_l2"]}
    if len(told["fields"]) > 1:
        fields = told["fields"].items()
        values |= {f"relative L2 error of {key}": row["relative_l2"] for key, row in fields}
    if told["symmetrized"]:
        symmetrized = told["symmetrized"]["relative_l2"]
        values["mean relative L2 error, symmetrized"] = symmetrized
    hashes = {key: card.data[key] for key in ("hash", "split_hash")}
    data: dict[str, Any] = {"type": "llt-dataset", "name": card.problem.partition(":")[0]}
    data |= {"split": told["split"], "args": hashes}
    lines = [
        "library_name: llt",
        f"tags: {_quoted([*TAGS, card.model])}",
        "model-index:",
        f"  - name: {_quoted(name)}",
        "    results:",
        f"      - task: {_quoted({'type': 'pde-surrogate', 'name': card.problem})}",
        f"        dataset: {_quoted(data)}",
        "        metrics:",
        *(
            f"          - {_quoted({'type': 'relative-l2', 'name': key, 'value': value})}"
            for key, value in values.items()
            if value < float("inf")  # also not nan, for which there is no word in JSON
        ),
    ]
    return "\n".join(lines) + "\n"


def _quoted(value: Any) -> str:
    """JSON is YAML, and quotes whatever a name may hold."""
    return json.dumps(value, ensure_ascii=False)


def _deviation(weights: Mapping[str, Any]) -> str:
    """Of a pack; a run's own weights differ from nothing."""
    if "deviation" not in weights:
        return ""
    return (
        f"; predictions differ from the run's by {weights['deviation']:.1e} "
        f"(relative L2, mean of {weights['samples']} samples)"
    )


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
    for name, wanted in PARTS.items():
        part = content[name] if isinstance(content[name], dict) else {}
        if missing := [entry for entry in wanted if entry not in part]:
            raise CheckpointError(f"{path}: {name} lacks {', '.join(missing)}")
    return Card(**content)
