"""Surrogates from the files of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from llt.checkpoint import checkpoint_folder, read_config, read_weights
from llt.data.folder.plan import Plan as FilePlan
from llt.data.frames import Frames
from llt.data.normalizer import Normalizer
from llt.errors import CheckpointError
from llt.models import Operator, build_model
from llt.prediction.ranges import Ranges
from llt.problem import Problem
from llt.runtime.device import find_device, resolve_precision
from llt.runtime.reading import reading
from llt.surrogate.core import MEAN_FIELD, MESH, Surrogate
from llt.trust.kept import kept_trust


def load(
    path: str | Path, device: torch.device | str = "cpu", *, precision: str = "auto"
) -> Surrogate:
    """Load a surrogate from a run folder (its validation-selected weights) or a checkpoint.

    Args:
        path: of the folder, or pretrained:NAME for weights inside the package.
        device: cpu, cuda, or auto for the best there is.
        precision: of matrix products on CUDA: fp32, tf32, bf16, fp16, or auto, the model's own.
    """
    target = find_device(str(device))
    folder = checkpoint_folder(Path(path))
    config = read_config(folder)
    weights, about = read_weights(folder)
    mesh, field = (_taken(weights, name) for name in (MESH, MEAN_FIELD))
    with reading(folder / "config.json", CheckpointError):
        problem = Problem.from_dict(config["problem"])
        normalizer = Normalizer.from_dict(config["normalizer"])
        radius = None if config["radius"] is None else float(config["radius"])
        model = _filled(config, problem, weights)
        found = config.get("ranges")  # older checkpoints have none
        ranges = Ranges.from_dict(found) if found else None
        points = int(config.get("points", 0))
        files = FilePlan.from_dict(config["files"]) if "files" in config else None
        frames = Frames.from_dict(config["frames"]) if "frames" in config else None
        if frames is not None and frames.problem.signature != problem.signature:
            raise CheckpointError(f"frames give {frames.problem.describe()}, not the model's")
    shared = bool(config.get("shared_mesh", False))
    resolve_precision(precision, model.precision, target)  # refused here, if at all
    trust = kept_trust(folder, about)
    kept = (mesh, shared, field, precision, ranges, points, trust, files, frames)
    surrogate = Surrogate(model, normalizer, radius, *kept)
    return surrogate.to(target)


def _taken(weights: dict[str, Tensor], name: str) -> Tensor | None:
    """A copy: what was read is a view of the file, which may be cut short while it is in use."""
    found = weights.pop(name, None)
    return None if found is None else found.clone()


def _filled(config: Mapping[str, Any], problem: Problem, weights: Mapping[str, Tensor]) -> Operator:
    """The model with its weights; its memory is asked for once it is known that they fit."""
    build = partial(build_model, config["model"], problem, **config["arguments"])
    with torch.device("meta"):
        wanted = {name: tuple(value.shape) for name, value in build().state_dict().items()}
    found = {name: tuple(value.shape) for name, value in weights.items()}
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise CheckpointError(
                f"weights do not fit: {name} has shape {found.get(name, 'none')}, "
                f"the model's has {wanted.get(name, 'none')}"
            )
    model = build()
    model.load_state_dict(weights)
    return model
