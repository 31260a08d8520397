"""Settings, and what is said about each beside its definition in the source.

The settings of a model are the arguments of its constructor, those of a training or a solver the
fields of a dataclass; both have a comment on their line where the name does not say enough.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, is_dataclass
from typing import Any

LINE = re.compile(r"^\s*(\w+): [^#\n]*#\s*(.+)$", re.MULTILINE)

# names that mean the same in all models and have no comment there
SHARED = {
    "dim": "width",
    "num_layers": "number of blocks",
    "heads": "of the attention",
    "mlp_ratio": "hidden width of the MLPs, in widths",
    "epochs": "passes over the training set",
    "batch_size": "samples per step",
    "seed": "of the weights and of the order of the samples",
    "schedule": "of the rates over the steps",
}


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    kind: str  # as int
    default: Any
    about: str  # empty where the name says it all


def settings_of(owner: type) -> list[Setting]:
    """Of a model, or of a dataclass."""
    said = _comments(owner if is_dataclass(owner) else owner.__init__)  # type: ignore[misc]
    return [
        Setting(p.name, str(p.annotation), p.default, said.get(p.name) or SHARED.get(p.name, ""))
        for p in inspect.signature(owner).parameters.values()
        if p.default is not p.empty
    ]


def _comments(definition: Any) -> dict[str, str]:
    try:
        return dict(LINE.findall(inspect.getsource(definition)))
    except OSError:  # installed without its source
        return {}


def setting_lines(settings: list[Setting]) -> list[str]:
    """As a table: name, default, what is said about it."""
    rows = [(s.name, plain(s.default), s.about) for s in settings]
    wide = [max(len(row[column]) for row in rows) + 2 for column in range(2)]
    return [f"  {a:<{wide[0]}}{b:<{wide[1]}}{c}".rstrip() for a, b, c in rows]


def plain(value: Any) -> str:
    """A value as it is typed after `--set NAME=`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{','.join(map(plain, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)
