"""Training: `train` makes a run folder from a dataset and a configuration."""

from llt.train.config import TrainConfig
from llt.train.run import resume, train

__all__ = ["TrainConfig", "resume", "train"]
