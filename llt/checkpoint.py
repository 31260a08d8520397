"""Checkpoints as files: a folder with what a surrogate is, and its weights.

`config.json` holds model, arguments, problem, normalizer and radius, `model.safetensors` the
weights, with metadata (epoch, error ...) beside them. Nothing is unpickled. Each file has a
checksum of what it holds, and equal surrogates are equal bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from llt.errors import CheckpointError
from llt.pretrained import resolve
from llt.runtime.files import write_bytes, write_json

FORMAT, VERSION = "llt-checkpoint", 1
ABOUT, CHECKSUM = "about", "checksum"


def write_checkpoint(
    folder: Path,
    config: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    metadata: Mapping[str, Any],
) -> None:
    config = {"format": FORMAT, "version": VERSION, **config}
    config.pop(CHECKSUM, None)
    write_json(folder / "config.json", {**config, CHECKSUM: _digest(json.dumps(config).encode())})
    tensors = {name: tensor.detach().cpu().clone() for name, tensor in weights.items()}
    # one entry, since safetensors writes several in any order
    about = json.dumps({**metadata, CHECKSUM: _checksum(tensors)}, sort_keys=True)
    write_bytes(folder / "model.safetensors", safetensors.torch.save(tensors, {ABOUT: about}))


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
            metadata = _metadata(file.metadata() or {})
    except (SafetensorError, ValueError) as error:
        raise CheckpointError(f"{path}: damaged: {error}") from error
    written = metadata.pop(CHECKSUM, None)  # older files have none
    if written is not None and written != _checksum(weights):
        raise CheckpointError(f"{path}: damaged: the weights are not those that were written")
    for name, tensor in weights.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise CheckpointError(f"{path}: {name} holds numbers that are NaN or infinite")
    return weights, metadata


def read_config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CheckpointError(f"{path}: not valid JSON: {error}") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise CheckpointError(f"{path}: not an llt checkpoint")
    if config.get("version") != VERSION:
        raise CheckpointError(f"{path}: version {config.get('version')}, this llt reads {VERSION}")
    written = config.pop(CHECKSUM, None)  # older files have none
    if written is not None and written != _digest(json.dumps(config).encode()):
        raise CheckpointError(f"{path}: damaged: it is not what was written")
    return config


def _metadata(entries: Mapping[str, str]) -> dict[str, Any]:
    """As written now, in one entry, or as before, in an entry each."""
    if ABOUT in entries:
        return dict(json.loads(entries[ABOUT]))
    return {name: json.loads(text) for name, text in entries.items()}


def _checksum(tensors: Mapping[str, Tensor]) -> str:
    parts = []
    for name, tensor in sorted(tensors.items()):
        about = f"{name} {tensor.dtype} {tuple(tensor.shape)}"
        content = tensor.contiguous().reshape(-1).view(torch.uint8).numpy()
        parts += [about.encode(), content.tobytes()]
    return _digest(*parts)


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:16]
