"""Evaluation: errors, timing, other resolutions, figures and the report of a run."""

from llt.evaluation.metrics import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
