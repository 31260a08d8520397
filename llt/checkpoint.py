"""Checkpoints as files: a folder with what a surrogate is, and its weights.

`config.json` holds model, arguments, problem, normalizer and radius, `model.safetensors` the
weights, with metadata (epoch, error ...) beside them. Nothing is unpickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from llt.errors import CheckpointError
from llt.pretrained import resolve
from llt.runtime.files import write_bytes, write_json

FORMAT, VERSION = "llt-checkpoint", 1


def write_checkpoint(
    folder: Path,
    config: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    metadata: Mapping[str, Any],
) -> None:
    write_json(folder / "config.json", {"format": FORMAT, "version": VERSION, **config})
    tensors = {name: tensor.detach().cpu().clone() for name, tensor in weights.items()}
    content = safetensors.torch.save(tensors, {k: json.dumps(v) for k, v in metadata.items()})
    write_bytes(folder / "model.safetensors", content)


def checkpoint_folder(path: Path) -> Path:
    """The checkpoint meant by a run folder, by a checkpoint folder itself or by pretrained:NAME."""
    path = resolve(path)
    for folder in (path, path / "best"):
        if (folder / "config.json").is_file():
            return folder
    if not path.exists():
        raise CheckpointError(f"{path}: no such run or checkpoint")
    raise CheckpointError(f"{path}: no checkpoint in it yet (config.json or best/config.json)")


def read_weights(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Weights and metadata of a checkpoint."""
    path = folder / "model.safetensors"
    if not path.is_file():
        raise CheckpointError(f"{path}: no such file")
    try:
        with safe_open(path, framework="pt") as file:
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            metadata = {k: json.loads(v) for k, v in (file.metadata() or {}).items()}
    except SafetensorError as error:
        raise CheckpointError(f"{path}: damaged: {error}") from error
    return weights, metadata


def read_config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CheckpointError(f"{path}: not valid JSON: {error}") from error
    if config.get("format") != FORMAT:
        raise CheckpointError(f"{path}: not an llt checkpoint")
    if config.get("version") != VERSION:
        raise CheckpointError(f"{path}: version {config.get('version')}, this llt reads {VERSION}")
    return config
