"""A finished run as small weights with a card: a checkpoint in 16 bits, half the size.

Every tensor is stored in float16 or, where that is closer, in bfloat16, and is float32 again when
loaded. What the model only adds to stays in float32: the mean mesh, deviations from which may be
amplified a hundredfold, and the mean field.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from llt.checkpoint import checkpoint_folder, read_config, read_weights, write_checkpoint
from llt.data.dataset import Dataset
from llt.errors import CheckpointError, ConfigError
from llt.evaluation.kept import kept_evaluation
from llt.evaluation.metrics import Evaluation, open_data
from llt.evaluation.moments import moments_of
from llt.model_card import about_weights, card_of, limits_of, write_readme
from llt.pretrained.card import Card
from llt.runtime.files import replacing_folder, write_json
from llt.surrogate import MEAN_FIELD, MESH, Surrogate, load
from llt.training.state import is_complete
from llt.trust import keep_trust

HALF = (torch.float16, torch.bfloat16)
FILES = ("config.json", "model.safetensors", "card.json", "README.md", "trust.json")
SAMPLES = 8  # of the test split, to compare the packed weights with the run's own


def pack(
    run: Path, out: Path, *, limits: str = "", data_path: Path | None = None, force: bool = False
) -> Card:
    """Write the validation-selected weights of a run, and what they are, into a folder.

    Args:
        limits: a sentence on where the weights are valid; by default what they were trained on.
        data_path: the run's dataset file, where it has moved.
        force: replace what is there.
    """
    _check_free(out, force=force)
    evaluation = _evaluation(run)
    folder = checkpoint_folder(run)
    weights, metadata = read_weights(folder)
    if evaluation.checkpoint != metadata:
        raise CheckpointError(f"{run}: evaluation.json is of other weights; llt evaluate {run}")
    own = load(run)
    data = open_data(run, own, data_path)
    if data.hash != evaluation.data_hash:
        raise CheckpointError(
            f"{run}: was evaluated on data {evaluation.data_hash}, {data_path} holds {data.hash}"
        )
    packed = {name: _packed(name, tensor) for name, tensor in weights.items()}
    with replacing_folder(out) as beside:
        write_checkpoint(beside, read_config(folder), packed, metadata)
        about = about_weights(beside, packed) | _deviation(own, load(beside), data)
        card = card_of(run, own, evaluation, about, limits or limits_of(data))
        write_json(beside / "card.json", card.to_dict())
        if own.trust is not None:
            keep_trust(beside, own.trust)
        write_readme(beside, card, own, out.name)
    return card


def _check_free(out: Path, *, force: bool) -> None:
    """Replacing removes all that was there: it must not be more than what is written."""
    if not out.exists():
        return
    if not force:
        raise ConfigError(f"{out}: already exists; choose another -o, or --force to replace it")
    others = {path.name for path in out.iterdir()} - {*FILES}
    if others:
        raise ConfigError(f"{out}: holds {min(others)}, which is no part of a pack; another -o")


def in_16_bits(values: Tensor) -> Tensor:
    """In the 16-bit type whose rounding changes the values least; float16 if both are equal."""

    def change(dtype: torch.dtype) -> float:
        return float((values.double() - values.to(dtype).double()).norm())

    return values.to(min(HALF, key=change))


def _packed(name: str, values: Tensor) -> Tensor:
    exact = name in (MESH, MEAN_FIELD) or not values.is_floating_point()
    return values if exact else in_16_bits(values)


def _evaluation(run: Path) -> Evaluation:
    if not (run / "config.toml").is_file():
        raise CheckpointError(f"{run}: not a run folder, config.toml is missing")
    if not is_complete(run):
        raise CheckpointError(f"{run}: training is not complete; llt train --resume {run}")
    evaluation = kept_evaluation(run)
    if evaluation is None:
        raise CheckpointError(f"{run}: not evaluated yet; llt evaluate {run}")
    return evaluation


def _deviation(own: Surrogate, small: Surrogate, data: Dataset) -> dict[str, Any]:
    """How far predictions of the packed weights are from those of the run, relative to them."""
    found = []
    last = 0 if data.times is None else len(data.times) - 1
    for index in map(int, data.split("test")[:SAMPLES]):
        pair = (moments_of(surrogate, data, index, [last])[0] for surrogate in (own, small))
        u, other = (moment.u for moment in pair)
        found.append(np.linalg.norm(other - u) / np.linalg.norm(u))
    return {"deviation": float(np.mean(found)), "samples": len(found)}
