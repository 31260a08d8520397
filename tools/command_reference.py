"""The reference of the `llt` command as Markdown, from the command itself."""

from __future__ import annotations

import re
from typing import Any

import typer

from llt.cli import app


def reference() -> str:
    """Every command with its arguments and options, those of groups behind their group."""
    root = typer.main.get_command(app)
    parts = []
    for name, command in root.commands.items():
        parts.append(section(f"llt {name}", command))
        for inner, part in getattr(command, "commands", {}).items():
            parts.append(section(f"llt {name} {inner}", part, level=3))
    return "\n\n".join(parts)


def section(path: str, command: Any, level: int = 2) -> str:
    """What it does, an example, and a table of what it takes, in the words of its help."""
    context = command.make_context(path, [], resilient_parsing=True)
    records = [found for p in command.params if (found := p.get_help_record(context))]
    lines = [f"{'#' * level} {path}", "", escaped(" ".join(command.help.split()))]
    lines += ["", *(f"    {line}" for line in _example(command.epilog)), ""]
    if rows := [f"| `{words.strip()}` | {escaped(about)} |" for words, about in records]:
        lines += ["| takes | |", "|---|---|", *rows]
    return "\n".join(lines)


def _example(epilog: str | None) -> list[str]:
    return [line.strip() for line in (epilog or "").splitlines() if line.strip().startswith("llt ")]


def escaped(text: str) -> str:
    """As the terminal shows it: no character means anything to Markdown."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", text)
