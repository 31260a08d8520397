"""Settings from a recipe, TOML files and `name=value` words, merged in this order.

A file has the sections [model] and [train], and may name its recipe before them, and the weights
that a training begins with; that of a run names its model in [model], too.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from llt.errors import ConfigError, unknown
from llt.runtime.reading import read_toml_file

SECTIONS = ("model", "train")
RECIPE, START = "recipe", "from"
Settings = dict[str, dict[str, Any]]


def read_recipe(path: Path) -> str | None:
    """The recipe that a file names, if any."""
    return _named(path, RECIPE)


def read_start(path: Path) -> str | None:
    """The weights that a file names to begin with, if any."""
    return _named(path, START)


def _named(path: Path, key: str) -> str | None:
    name = read_toml_file(path).get(key)
    return None if name is None else str(name)


def read_toml(path: Path) -> Settings:
    """The sections of a file."""
    parsed = read_toml_file(path)
    for name in (RECIPE, START):
        parsed.pop(name, None)
    for section, values in parsed.items():
        if section not in SECTIONS or not isinstance(values, dict):
            raise ConfigError(f"{path}: {unknown('section', section, SECTIONS)}")
    return {section: dict(parsed.get(section, {})) for section in SECTIONS}


def parse_words(words: Iterable[str]) -> Settings:
    """`train.lr=1e-3` and the like; the value is read as TOML, or as a bare word."""
    settings: Settings = {section: {} for section in SECTIONS}
    for word in words:
        name, equals, text = word.partition("=")
        section, dot, key = name.strip().partition(".")
        if not (equals and dot and key):
            raise ConfigError(f"--set {word}: expected SECTION.NAME=VALUE, as in train.lr=1e-3")
        if section not in SECTIONS:
            raise ConfigError(f"--set {word}: {unknown('section', section, SECTIONS)}")
        settings[section][key] = parse_value(text)
    return settings


def by_section(settings: Mapping[str, Any]) -> Settings:
    """{"train.lr": 1e-3} as {"train": {"lr": 1e-3}}."""
    sections: Settings = {section: {} for section in SECTIONS}
    for name, value in settings.items():
        section, dot, key = name.partition(".")
        if not (dot and key):
            raise ConfigError(f"setting {name!r}: expected a name such as 'train.lr'")
        if section not in SECTIONS:
            raise ConfigError(f"setting {name!r}: {unknown('section', section, SECTIONS)}")
        sections[section][key] = list(value) if isinstance(value, tuple) else value
    return sections


def parse_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except (ValueError, RecursionError):  # also thousands of digits or brackets
        return text.strip()


def merge(*layers: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Later layers win; one that asks for epochs ends an earlier budget in steps."""
    merged: Settings = {section: {} for section in SECTIONS}
    for layer in layers:
        for section in SECTIONS:
            merged[section].update(layer.get(section, {}))
        given = layer.get("train", {})
        if "epochs" in given and "steps" not in given and "steps" in merged["train"]:
            merged["train"]["steps"] = 0
    return merged


def to_toml(
    settings: Mapping[str, Mapping[str, Any]], recipe: str | None = None, start: str | None = None
) -> str:
    """Sections of plain values; JSON's spelling of them is TOML's too."""
    names = {RECIPE: recipe, START: start}
    head = "\n".join(f"{key} = {json.dumps(name)}" for key, name in names.items() if name)
    blocks = [head] if head else []
    for section, values in settings.items():
        lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
        blocks.append("\n".join([f"[{section}]", *lines]))
    return "\n\n".join(blocks) + "\n"
