"""Fast, accurate neural surrogates for PDEs on any mesh: the Local Linear Transformer.

The public names below are loaded when first used, so that `import llt` costs nothing.
docs/python-api.md says what they do.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from llt.runtime.waiting import spin_briefly

if TYPE_CHECKING:
    from llt.api import evaluate, generate, open, predict_files, prepare, resume, train
    from llt.data.dataset import Dataset
    from llt.errors import LltError, RangeWarning
    from llt.evaluation.plot import plot
    from llt.models import MODELS, build_model
    from llt.models.llt import LLT
    from llt.problem import PROBLEMS, Problem
    from llt.surrogate import Surrogate, load
    from llt.training.config import TrainConfig

__version__ = "0.1.0"

_HOMES = {
    "Dataset": "llt.data.dataset",
    "LLT": "llt.models.llt",
    "LltError": "llt.errors",
    "MODELS": "llt.models",
    "PROBLEMS": "llt.problem",
    "Problem": "llt.problem",
    "RangeWarning": "llt.errors",
    "Surrogate": "llt.surrogate",
    "TrainConfig": "llt.training.config",
    "build_model": "llt.models",
    "evaluate": "llt.api",
    "generate": "llt.api",
    "load": "llt.surrogate",
    "open": "llt.api",
    "plot": "llt.evaluation.plot",
    "predict_files": "llt.api",
    "prepare": "llt.api",
    "resume": "llt.api",
    "train": "llt.api",
}

__all__ = [
    "LLT",
    "MODELS",
    "PROBLEMS",
    "Dataset",
    "LltError",
    "Problem",
    "RangeWarning",
    "Surrogate",
    "TrainConfig",
    "__version__",
    "build_model",
    "evaluate",
    "generate",
    "load",
    "open",
    "plot",
    "predict_files",
    "prepare",
    "resume",
    "train",
]


spin_briefly()


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'llt' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
