"""Training: `train` makes a run folder from a dataset and a configuration."""

from llt.training.config import TrainConfig
from llt.training.run import resume, train

__all__ = ["TrainConfig", "resume", "train"]
