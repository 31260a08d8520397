"""Trainings through `llt`, for tables: begun or gone on with, and what came of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "llt.cli"]


def is_done(out: Path) -> bool:
    return (out / "last").is_dir()


def train_command(data: Path, out: Path, settings: Mapping[str, Any], *words: str) -> list[str]:
    """`llt train` with `settings` of train., or its resumption where a run was interrupted."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if (out / "state.safetensors").is_file():
        return [*COMMAND, "train", "--resume", str(out)]
    chosen = [word for k, v in settings.items() for word in ("--set", f"train.{k}={v}")]
    return [*COMMAND, "train", str(data), "--out", str(out), *words, *chosen]


def outcome(out: Path) -> dict[str, Any]:
    """Test error of the epoch with the smallest validation error, and what belongs to it."""
    subprocess.run([*COMMAND, "evaluate", str(out)], check=True, capture_output=True)
    evaluation = json.loads((out / "evaluation.json").read_text())
    metrics = [json.loads(text) for text in (out / "metrics.jsonl").read_text().splitlines()]
    best = min(metrics, key=lambda m: m["val_error"])
    return {
        "parameters": evaluation["parameters"],
        "test error": evaluation["relative_l2"],
        "validation error": best["val_error"],
        "selected epoch": best["epoch"],
        "train loss": metrics[-1]["train_loss"],
        "training seconds": metrics[-1]["seconds"],
        "commit": json.loads((out / "env.json").read_text())["commit"],
    }
