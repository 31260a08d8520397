"""A finished run: its folder, its evaluation, and what they were made of."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llt.data.dataset import Dataset
from llt.errors import CheckpointError
from llt.evaluation.metrics import Evaluation, open_data
from llt.surrogate import Surrogate, load


@dataclass(frozen=True)
class FinishedRun:
    """All that a report tells of."""

    folder: Path
    evaluation: Evaluation
    surrogate: Surrogate
    data: Dataset
    metrics: list[dict[str, Any]]
    env: dict[str, Any]
    config: str  # the text of config.toml

    @classmethod
    def read(
        cls, folder: Path, evaluation: Evaluation, device: str, data_path: Path | None
    ) -> FinishedRun:
        if not (folder / "config.toml").is_file():
            raise CheckpointError(f"{folder}: not a run folder, config.toml is missing")
        surrogate = load(folder, device)
        data = open_data(folder, surrogate, data_path)
        if data.hash != evaluation.data_hash:
            raise CheckpointError(
                f"{folder}: was evaluated on data {evaluation.data_hash}, "
                f"{data_path} holds {data.hash}"
            )
        lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return cls(
            folder=folder,
            evaluation=evaluation,
            surrogate=surrogate,
            data=data,
            metrics=[json.loads(line) for line in lines],
            env=json.loads((folder / "env.json").read_text(encoding="utf-8")),
            config=(folder / "config.toml").read_text(encoding="utf-8"),
        )

    @property
    def settings(self) -> dict[str, Any]:
        return tomllib.loads(self.config)
