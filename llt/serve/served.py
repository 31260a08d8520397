"""Runs that are served: loaded once, under the names that requests call them by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from llt.checkpoint import checkpoint_folder
from llt.errors import ConfigError
from llt.surrogate import Surrogate, load

FILES = ("config.json", "model.safetensors", "trust.json")
Stamp = tuple[tuple[int, int] | None, ...]  # of every file: when it was written, and its size


@dataclass(frozen=True, kw_only=True)
class Served:
    """A surrogate in memory, and where it is from."""

    name: str
    surrogate: Surrogate
    folder: Path
    stamp: Stamp

    def state(self) -> str:
        """What has become of the files; answers are of what was read from them."""
        found = _stamp(self.folder)
        if found == self.stamp:
            return "as loaded"
        what = "gone" if found[0] is None or found[1] is None else "changed"
        return f"files are {what} since they were loaded; answers are of the weights in memory"


def load_runs(runs: Iterable[str], device: str) -> Mapping[str, Served]:
    """By name: the folder's, or what follows pretrained:."""
    found: dict[str, Served] = {}
    for run in runs:
        name = run.partition(":")[2] if run.startswith("pretrained:") else Path(run).resolve().name
        if name in found:
            raise ConfigError(f"{run}: another run is called {name!r}; rename a folder")
        folder = checkpoint_folder(Path(run))
        stamp = _stamp(folder)
        surrogate = load(run, device)
        found[name] = Served(name=name, surrogate=surrogate, folder=folder, stamp=stamp)
    return found


def _stamp(folder: Path) -> Stamp:
    def of(path: Path) -> tuple[int, int] | None:
        try:
            about = path.stat()
        except OSError:
            return None
        return about.st_mtime_ns, about.st_size

    return tuple(of(folder / name) for name in FILES)
