"""Surrogates into the files of a checkpoint; `loading` is the way back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from llt.checkpoint import write_checkpoint
from llt.surrogate.core import MEAN_FIELD, MESH, Surrogate


def save(surrogate: Surrogate, folder: Path, metadata: Mapping[str, Any]) -> None:
    """See `Surrogate.save`."""
    ranges, files, frames = surrogate.ranges, surrogate.files, surrogate.frames
    config = {
        "model": surrogate.model.name,
        "arguments": surrogate.model.arguments,
        "problem": surrogate.problem.to_dict(),
        "normalizer": surrogate.normalizer.to_dict(),
        "radius": surrogate.radius,
        "shared_mesh": surrogate.shared_mesh,
        **({"points": surrogate.points} if surrogate.points else {}),
        "ranges": None if ranges is None else ranges.to_dict(),
        **({} if files is None else {"files": files.to_dict()}),
        **({} if frames is None else {"frames": frames.to_dict()}),
    }
    means = {MESH: surrogate.mesh, MEAN_FIELD: surrogate.mean_field}
    tensors = {name: tensor for name, tensor in means.items() if tensor is not None}
    write_checkpoint(folder, config, {**surrogate.model.state_dict(), **tensors}, metadata)
