"""A finished run: its folder, its evaluation, and what they were made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llt.data.dataset import Dataset
from llt.errors import CheckpointError
from llt.evaluation.metrics import Evaluation, open_data
from llt.runtime.reading import reading
from llt.surrogate import Surrogate, load
from llt.training.config import TrainConfig
from llt.training.folder import read_environment, read_metrics
from llt.training.settings import read_recipe, read_start, read_toml


@dataclass(frozen=True)
class FinishedRun:
    """All that a report tells of."""

    folder: Path
    evaluation: Evaluation
    surrogate: Surrogate
    data: Dataset
    metrics: list[dict[str, Any]]
    env: dict[str, Any]
    recipe: str | None
    start: str | None  # the weights that it began with
    train: TrainConfig
    config: str  # the text of config.toml

    @classmethod
    def read(
        cls, folder: Path, evaluation: Evaluation, device: str, data_path: Path | None
    ) -> FinishedRun:
        if not (folder / "config.toml").is_file():
            raise CheckpointError(f"{folder}: not a run folder, config.toml is missing")
        config = folder / "config.toml"
        with reading(config, CheckpointError):
            train = TrainConfig.from_dict(read_toml(config)["train"])
            recipe, start = read_recipe(config), read_start(config)
        surrogate = load(folder, device)
        data = open_data(folder, surrogate, data_path)
        if data.hash != evaluation.data_hash:
            raise CheckpointError(
                f"{folder}: was evaluated on data {evaluation.data_hash}, "
                f"{data_path} holds {data.hash}"
            )
        return cls(
            folder=folder,
            evaluation=evaluation,
            surrogate=surrogate,
            data=data,
            metrics=read_metrics(folder),
            env=read_environment(folder),
            recipe=recipe,
            start=start,
            train=train,
            config=config.read_text(encoding="utf-8"),
        )
