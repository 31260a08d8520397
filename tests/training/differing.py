"""`llt train` where the second process has something else: run by torchrun.

torchrun --nproc-per-node 2 -m tests.training.differing KIND llt train DATA ...
"""

import os
import sys
from pathlib import Path

from llt import fitting
from llt.cli import main
from llt.training import setup


def differ(kind: str, words: list[str]) -> list[str]:
    data = words[1]
    if kind == "version":
        setup.__version__ = "9.9"
    elif kind == "setting":
        words = [*words, "--set", "train.lr=0.5"]
    elif kind == "data":
        words = [words[0], str(Path(data).with_name("other.h5")), *words[2:]]
    elif kind == "memory":
        fitting.free_memory = lambda device: 2**20
    elif kind == "weights":
        words[words.index("--from") + 1] += "-other"
    elif kind == "state":
        words[words.index("--resume") + 1] += "-other"
    elif kind == "missing":
        words = [words[0], str(Path(data).with_name("missing.h5")), *words[2:]]
    return words


if __name__ == "__main__":
    _, kind, _, *words = sys.argv
    sys.exit(main(differ(kind, words) if os.environ["RANK"] == "1" else words))
