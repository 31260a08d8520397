"""Shared fixtures: small problems and datasets that take milliseconds."""

import os
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, settings

if not torch.cuda.is_available():  # Triton reads it when it is first imported
    os.environ.setdefault("TRITON_INTERPRET", "1")

from llt.data import dataset_file
from llt.data.collate import collate
from llt.data.dataset import Dataset, Sample
from llt.data.splits import Splits
from llt.problem import DARCY, ELASTICITY, Problem

torch.set_num_threads(1)  # tests run beside each other; small tensors gain nothing from threads

# the same examples everywhere; how long they take says how busy the machine is
slow = [HealthCheck.too_slow]
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=slow)
settings.load_profile("same")

DEVICES = [
    "cpu",
    pytest.param(
        "cuda",
        marks=[
            pytest.mark.gpu,
            pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA"),
        ],
    ),
]
POINTS = Problem(name="points", space_dim=2, inputs=("load",), outputs=("stress", "strain"))


def darcy_like(num: int = 12, n: int = 9, seed: int = 0) -> Dataset:
    """Smooth fields on a small Darcy grid; u depends on a, so there is something to learn."""
    rng = np.random.default_rng(seed)
    axis = (np.arange(n) + 0.5) / n
    y, x = np.meshgrid(axis, axis, indexing="ij")
    samples = []
    for _ in range(num):
        amplitude = rng.uniform(1, 2)
        a = amplitude + 0.3 * np.sin(2 * np.pi * (x + rng.uniform()))
        u = np.sin(np.pi * x) * np.sin(np.pi * y) / amplitude
        points = np.stack([x, y], axis=-1).reshape(-1, 2)
        samples.append(Sample(points, a.reshape(-1, 1), u.reshape(-1, 1)))
    problem = replace(DARCY, grid=(n, n))
    return collate(problem, samples, Splits.consecutive(num - 4, 2, 2))


def ragged(num: int = 9, seed: int = 0) -> Dataset:
    """Point sets of different sizes."""
    rng = np.random.default_rng(seed)
    samples = []
    for i in range(num):
        x = rng.uniform(size=(20 + 3 * i, 2))
        a = rng.normal(size=(len(x), 1))
        u = np.stack([x[:, 0] + a[:, 0], x[:, 1] * 2 + 1], axis=-1)
        samples.append(Sample(x, a, u))
    return collate(POINTS, samples, Splits.consecutive(num - 4, 2, 2))


def geometry_only(num: int = 8) -> Dataset:
    """Point sets of one size whose coordinates are the only input, as in Elasticity."""
    rng = np.random.default_rng(0)
    samples = []
    for _ in range(num):
        x = rng.uniform(size=(25, 2))
        samples.append(Sample(x, np.empty((25, 0)), x[:, :1] + 1))
    return collate(ELASTICITY, samples, Splits.consecutive(num - 4, 2, 2))


def pytest_addoption(parser):
    parser.addoption("--fuzz", type=int, default=200, help="trials for a kind of file that is fast")


@pytest.fixture(autouse=True)
def own_draws():
    """What a test draws does not depend on the tests before it in its process."""
    torch.manual_seed(0)
    np.random.seed(0)


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    """Tests neither read nor fill the user's cache."""
    monkeypatch.setenv("LLT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def darcy_data() -> Dataset:
    return darcy_like()


@pytest.fixture
def ragged_data() -> Dataset:
    return ragged()


@pytest.fixture
def darcy_file(tmp_path, darcy_data):
    path = tmp_path / "darcy.h5"
    dataset_file.write(path, darcy_data)
    return path
