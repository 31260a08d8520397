"""What a user says of a folder, by options or in a TOML file; the rest is proposed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from llt.errors import ConfigError, unknown
from llt.runtime.reading import naming, read_toml_file

NONE = "none"  # as a table: parameters are not taken from one
LISTS = ("inputs", "outputs", "masks", "parameters", "files")
WORDS = {"location": ("points", "cells"), "time": ("last", "all")}
AXES = ("xyz", "xy", "xz", "yz")


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """None leaves it to the proposal."""

    name: str | None = None  # of the problem
    files: tuple[str, ...] | None = None  # patterns, as "*.vtu"
    steps: bool | None = None  # files as a_1, a_2, b_1, b_2 are time steps
    location: str | None = None  # points or cells
    axes: str | None = None  # xyz, or those of a plane
    grid: bool | None = None
    time: str | None = None  # last or all
    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None  # p, or p@wall where it exists on a patch only
    masks: tuple[str, ...] | None = None
    table: str | None = None  # of parameters; a file in the folder or elsewhere, or none
    parameters: tuple[str, ...] | None = None
    units: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, words in (*WORDS.items(), ("axes", AXES)):
            value = getattr(self, name)
            if value is not None and value not in words:
                raise ConfigError(f"{name} = {value!r}; choose from {', '.join(words)}")

    def changed(self, other: Choice) -> Choice:
        """With all that another one says."""
        said = {f.name: getattr(other, f.name) for f in fields(other) if f.name != "units"}
        said = {name: value for name, value in said.items() if value is not None}
        return replace(self, **said, units={**self.units, **other.units})


def read_choice(path: Path) -> Choice:
    """From a file as `llt inspect FOLDER -o FILE` writes it."""
    with naming(path):
        return choice_of(read_toml_file(path))


def choice_of(content: Mapping[str, Any]) -> Choice:
    """From entries by name."""
    kinds: dict[str, type] = {f.name: str for f in fields(Choice)}
    kinds |= dict.fromkeys(LISTS, list) | {"grid": bool, "steps": bool, "units": dict}
    said: dict[str, Any] = {}
    for name, value in content.items():
        if name not in kinds:
            raise ConfigError(unknown("entry", name, kinds))
        if name in LISTS and isinstance(value, tuple):
            value = list(value)
        words = value.values() if isinstance(value, dict) else value if name in LISTS else ()
        fits = isinstance(value, kinds[name]) and all(isinstance(word, str) for word in words)
        if not fits:
            raise ConfigError(f"{name} = {value!r}; expected {_expected(name)}")
        said[name] = tuple(words) if name in LISTS else value
    return Choice(**said)


def to_toml(choice: Choice, comments: Mapping[str, str]) -> str:
    """Every entry that is set, each with what there is to say of it."""
    lines = ["# What `llt prepare --plan` makes of the folder: change what is not right."]
    for f in fields(choice):
        value = getattr(choice, f.name)
        if value is None or f.name == "units":
            continue
        text = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
        comment = comments.get(f.name, "")
        lines.append(f"{f.name} = {text}" + (f"  # {comment}" if comment else ""))
    if choice.units:
        lines += ["", "[units]"]
        lines += [f"{json.dumps(n)} = {json.dumps(u)}" for n, u in choice.units.items()]
    return "\n".join(lines) + "\n"


def _expected(name: str) -> str:
    if name in LISTS:
        return 'a list of names, as ["p", "U"]'
    return {"grid": "true or false", "steps": "true or false", "units": "names = words"}.get(
        name, "a word in quotes"
    )
