"""Readers of the published benchmark files, with the literature's splits and protocol.

Samples that the literature leaves unused become the validation set, so that checkpoints can be
selected without looking at the test set.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llt.data.dataset import Dataset
from llt.data.published.darcy import read_darcy
from llt.data.published.geometry import read_airfoil, read_elasticity, read_pipe
from llt.data.published.plasticity import read_plasticity
from llt.errors import ConfigError, DataError, unknown
from llt.runtime.reading import naming

__all__ = ["READERS", "read_published"]

READERS: dict[str, Callable[..., Dataset]] = {
    "airfoil": read_airfoil,
    "darcy": read_darcy,
    "elasticity": read_elasticity,
    "pipe": read_pipe,
    "plasticity": read_plasticity,
}


def read_published(problem: str, folder: Path, **options: Any) -> Dataset:
    """Read a problem's files from a folder; options are the reader's own keyword arguments."""
    if problem not in READERS:
        raise ConfigError(unknown("published problem", problem, READERS))
    reader = READERS[problem]
    parameters = inspect.signature(reader).parameters
    known = {name: p.default for name, p in parameters.items() if name != "folder"}
    for name, value in options.items():
        if not known:
            raise ConfigError(f"--set {name}: the {problem} reader has no settings")
        if name not in known:
            raise ConfigError(unknown(f"setting of the {problem} reader", name, known))
        if type(value) is not type(known[name]):
            raise ConfigError(f"{name}={value!r} must be of type {type(known[name]).__name__}")
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    with naming(folder):
        return reader(folder, **options)
