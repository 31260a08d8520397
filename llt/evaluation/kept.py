"""The evaluation that a run folder keeps, so that reports and records need not compute it again."""

from __future__ import annotations

from pathlib import Path

from llt.errors import CheckpointError
from llt.evaluation.metrics import Evaluation
from llt.runtime.checked import read_checked, write_checked

NAME = "evaluation.json"


def keep_evaluation(run: Path, evaluation: Evaluation) -> None:
    write_checked(run / NAME, evaluation.to_dict())


def kept_evaluation(run: Path) -> Evaluation | None:
    """None where there is none, or where it is not what was written: it can be computed again."""
    if not (run / NAME).is_file():
        return None
    try:
        return Evaluation.from_dict(read_checked(run / NAME, CheckpointError))
    except (CheckpointError, TypeError):  # damaged, or of a version that had other entries
        return None
