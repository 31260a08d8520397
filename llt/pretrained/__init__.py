"""Small trained weights inside the package, by name: `llt.load("pretrained:darcy")`.

Each is a folder beside this file that `llt pack` wrote: a checkpoint with weights in 16 bits, and
its card, for programs (`card.json`) and for readers (`README.md`).
"""

from __future__ import annotations

from pathlib import Path

from llt.errors import CheckpointError, unknown

PREFIX = "pretrained:"
HOME = Path(__file__).parent


def names(home: Path | None = None) -> list[str]:
    """Of all weights in a folder, by default those of the package."""
    return sorted(config.parent.name for config in (home or HOME).glob("*/config.json"))


def resolve(path: Path, home: Path | None = None) -> Path:
    """The folder of pretrained:NAME; any other path as it is."""
    if not str(path).startswith(PREFIX):
        return path
    name, known = str(path).removeprefix(PREFIX), names(home)
    if name in known:
        return (home or HOME) / name
    if not known:
        raise CheckpointError(f"{path}: there are no pretrained weights in this installation")
    raise CheckpointError(unknown("pretrained weights", name, known))
