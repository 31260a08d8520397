"""Training on a dataset that is larger than what memory it may take."""

import os
import subprocess
import sys

import numpy as np
import pytest

from llt.data import dataset_writer
from llt.data.dataset import Sample
from llt.data.dataset_writer import DatasetWriter
from llt.data.splits import Splits
from llt.problem import Problem

GRID = (64, 64)
# many fields make samples large and leave the model small
NOISE = Problem(
    name="noise",
    space_dim=2,
    inputs=tuple(f"a{i}" for i in range(64)),
    outputs=("u",),
    grid=GRID,
)

TRAIN = """
import sys
from pathlib import Path
import torch
from llt.training import TrainConfig, train
from llt.training.trial import peak_memory
torch.set_num_threads(1)
path = Path(sys.argv[1])
config = TrainConfig(epochs=1, batch_size=2, data=sys.argv[2])
settings = {"dim": 8, "num_layers": 1, "heads": 2}
train(path, path.with_suffix(""), model_settings=settings, config=config, device="cpu")
print(peak_memory(torch.device("cpu")))
"""


def write_noise(path, num):
    rng = np.random.default_rng(0)
    axes = np.meshgrid(*(np.linspace(0, 1, n) for n in GRID), indexing="ij")
    points = np.stack(axes, axis=-1).reshape(-1, 2)
    with DatasetWriter(path, NOISE) as writer:
        for _ in range(num):
            fields = rng.random((len(points), 65), np.float32)
            writer.add(Sample(points, fields[:, :64], fields[:, 64:]))
        writer.finish(Splits.consecutive(num - 4, 2, 2))


def peak_bytes(path, where):
    """The most memory that a training has resident; its own, unlike that of `getrusage`."""
    command = [sys.executable, "-c", TRAIN, str(path), where]
    # what is freed goes back at once; when it would is otherwise a matter of chance
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "131072"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(dataset_writer, "_compression", lambda array: {})  # noise only costs time
    write_noise(tmp_path / "small.h5", 20)
    write_noise(tmp_path / "large.h5", 240)
    size = (tmp_path / "large.h5").stat().st_size
    assert size > 250e6
    small, large = (peak_bytes(tmp_path / f"{name}.h5", "file") for name in ("small", "large"))
    assert large - small < size / 10
