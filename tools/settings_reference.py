"""The settings of trainings, models and solvers as Markdown, from their definitions."""

from __future__ import annotations

from llt.cli.comments import plain, settings_of
from llt.models import MODELS
from llt.solvers import SOLVERS, find_solver
from llt.training.config import TrainConfig
from tools.command_reference import escaped


def settings() -> str:
    """A section for each that has settings, with a table of their defaults and meanings."""
    parts = [
        "## Training",
        table(TrainConfig, "train."),
        "## Models",
        *(f"### {name}\n\n{table(owner, 'model.')}" for name, owner in MODELS.items()),
        "## Solvers",
        *(f"### {name}\n\n{table(find_solver(name).Settings, '')}" for name in SOLVERS),
    ]
    return "\n\n".join(parts)


def table(owner: type, prefix: str) -> str:
    rows = [
        f"| `{prefix}{s.name}` | {escaped(plain(s.default))} | {escaped(s.about)} |"
        for s in settings_of(owner)
    ]
    return "\n".join(["| setting | default | |", "|---|---|---|", *rows])
