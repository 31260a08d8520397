"""What a user chooses of a training, and the settings that follow from it.

The command and `llt.train` ask the same function. Light to import: the rest loads when it is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llt.errors import ConfigError, unknown

if TYPE_CHECKING:
    from llt.problem import Problem
    from llt.training.config import TrainConfig


@dataclass(frozen=True, slots=True)
class Choice:
    """Where the settings of a training come from; what stands later wins."""

    model: str = "llt"
    recipe: str | None = None  # None: the one that the file names, or best
    preset: str | None = None  # sizes by name instead of the problem's own
    config: Path | None = None  # a TOML file
    words: Sequence[str] = ()  # as "train.lr=1e-3"
    settings: Mapping[str, Any] = field(default_factory=dict)  # as {"train.lr": 1e-3}


def resolve(problem: Problem, choice: Choice) -> tuple[str, dict[str, Any], TrainConfig]:
    """The recipe's name and its settings, changed by the TOML file, then by single settings."""
    from llt.recipes import recipe_preset
    from llt.training.config import TrainConfig
    from llt.training.settings import merge, parse_words, read_recipe, read_toml

    file = choice.config
    recipe = choice.recipe or (read_recipe(file) if file else None) or "best"
    preset = recipe_preset(recipe, problem, choice.model, choice.preset)
    merged = merge(
        {"model": preset.model, "train": preset.train.to_dict()},
        read_toml(file) if file else {},
        parse_words(choice.words),
        _sections(choice.settings),
    )
    return recipe, merged["model"], TrainConfig.from_dict(merged["train"])


def _sections(settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """{"train.lr": 1e-3} as {"train": {"lr": 1e-3}}."""
    from llt.training.settings import SECTIONS

    sections: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    for name, value in settings.items():
        section, dot, key = name.partition(".")
        if not (dot and key):
            raise ConfigError(f"setting {name!r}: expected a name such as 'train.lr'")
        if section not in SECTIONS:
            raise ConfigError(f"setting {name!r}: {unknown('section', section, SECTIONS)}")
        sections[section][key] = list(value) if isinstance(value, tuple) else value
    return sections
