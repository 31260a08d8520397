"""Checkpoints as files: a folder with what a surrogate is, and its weights.

`config.json` holds model, arguments, problem, normalizer and radius, `model.safetensors` the
weights, with metadata (epoch, error ...) beside them. Nothing is unpickled. Each file has a
checksum of what it holds, and equal surrogates are equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import safe_open
from torch import Tensor

from llt.errors import CheckpointError
from llt.pretrained import resolve
from llt.runtime.checked import CHECKSUM, checksum, digest, verified, write_checked
from llt.runtime.files import write_bytes
from llt.runtime.reading import read_json, reading

FORMAT, VERSION = "llt-checkpoint", 1
ABOUT, CONFIG = "about", "config"
WEIGHTS = "model.safetensors"


def write_checkpoint(
    folder: Path,
    config: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    metadata: Mapping[str, Any],
) -> None:
    config = {"format": FORMAT, "version": VERSION, **config}
    write_checked(folder / "config.json", config)
    # a kill between the two must not leave a surrogate of neither
    about = {**metadata, CONFIG: checksum(config)}
    write_tensors(folder / WEIGHTS, weights, about)


def write_tensors(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Tensors with what is to be known about them, and a checksum of both."""
    tensors = {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()}
    about = {**about, CHECKSUM: _checksum(tensors, about)}
    # one entry, since safetensors writes several in any order
    text = json.dumps(about, sort_keys=True)
    write_bytes(path, safetensors.torch.save(tensors, {ABOUT: text}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `write_tensors` wrote, or older versions, which had no checksum."""
    with reading(path, CheckpointError), safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        about = _metadata(file.metadata() or {})
    written = about.pop(CHECKSUM, None)
    # the first checksums were of the tensors alone
    if written not in (None, _checksum(tensors), _checksum(tensors, about)):
        raise CheckpointError(f"{path}: damaged: it is not what was written")
    return tensors, about


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
    path = folder / WEIGHTS
    weights, metadata = read_tensors(path)
    written = metadata.pop(CONFIG, None)  # older files have none
    if written not in (None, checksum(read_config(folder))):
        raise CheckpointError(
            f"{path}: is not of the same moment as config.json, the run was killed between the "
            "two; llt train --resume mends it"
        )
    for name, tensor in weights.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise CheckpointError(f"{path}: {name} holds numbers that are NaN or infinite")
    return weights, metadata


def read_config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    config = read_json(path, CheckpointError)
    if config.get("format") != FORMAT:
        raise CheckpointError(f"{path}: not an llt checkpoint")
    if config.get("version") != VERSION:
        raise CheckpointError(f"{path}: version {config.get('version')}, this llt reads {VERSION}")
    return verified(path, config, CheckpointError, older=True)


def _metadata(entries: Mapping[str, str]) -> dict[str, Any]:
    """As written now, in one entry, or as before, in an entry each."""
    if ABOUT in entries:
        return dict(json.loads(entries[ABOUT]))
    return {name: json.loads(text) for name, text in entries.items()}


def _checksum(tensors: Mapping[str, Tensor], about: Mapping[str, Any] | None = None) -> str:
    parts = [] if about is None else [json.dumps(about, sort_keys=True).encode()]
    for name, tensor in sorted(tensors.items()):
        head = f"{name} {tensor.dtype} {tuple(tensor.shape)}"
        content = tensor.contiguous().reshape(-1).view(torch.uint8).numpy()
        parts += [head.encode(), content.tobytes()]
    return digest(*parts)
