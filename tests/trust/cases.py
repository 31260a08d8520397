"""Small problems whose cases differ in known ways."""

from dataclasses import replace

import numpy as np
import torch

from llt.data.collate import collate
from llt.data.dataset import Dataset, Sample
from llt.data.splits import Splits
from llt.models import build_model
from llt.problem import DARCY, ELASTICITY, PIPE, Problem
from llt.surrogate import Surrogate

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}
WING = Problem(
    name="wing", space_dim=2, inputs=(), outputs=("pressure",), parameters=("mach", "angle")
)


def plate(radius: float, rng: np.random.Generator, count: int = 150):
    """Points of the unit square around a hole in its middle."""
    x = rng.random((4 * count, 2))
    x = x[np.linalg.norm(x - 0.5, axis=1) > radius][: count - 40]
    angle = rng.uniform(0, 2 * np.pi) + np.linspace(0, 2 * np.pi, 40, endpoint=False)
    rim = 0.5 + radius * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return np.concatenate([rim, x]).astype(np.float32)


def plates(num: int = 60, seed: int = 0) -> Dataset:
    """Holes of radius 0.2 to 0.3."""
    rng = np.random.default_rng(seed)
    samples = []
    for _ in range(num):
        x = plate(rng.uniform(0.2, 0.3), rng)
        samples.append(Sample(x, np.empty((len(x), 0)), 1 + x[:, :1]))
    return collate(ELASTICITY, samples, Splits.consecutive(num - 20, 10, 10))


def permeability(low: float, high: float, rng: np.random.Generator, n: int = 13):
    """Two values in random stripes."""
    axis = np.arange(n) / (n - 1)
    y, x = np.meshgrid(axis, axis, indexing="ij")
    phase, lines = rng.uniform(0, 6.3, 2), rng.normal(size=(2, 2))
    field = np.sin(4 * (lines[0, 0] * x + lines[0, 1] * y) + phase[0])
    field += np.sin(7 * (lines[1, 0] * x + lines[1, 1] * y) + phase[1])
    return np.where(field > 0, high, low).astype(np.float32)


def stripes(num: int = 60, n: int = 13) -> Dataset:
    """As Darcy's: permeabilities of 3 and 12."""
    rng, axis = np.random.default_rng(0), np.arange(n) / (n - 1)
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    samples = []
    for _ in range(num):
        a = permeability(3, 12, rng).reshape(-1, 1)
        samples.append(Sample(points, a, 1 / a))
    return collate(replace(DARCY, grid=(n, n)), samples, Splits.consecutive(num - 20, 10, 10))


def pipe(width: float, rng: np.random.Generator, n: int = 11):
    """A grid along a bent centerline."""
    along, across = np.meshgrid(np.linspace(0, 4, n), np.linspace(-0.5, 0.5, n), indexing="ij")
    bend = rng.normal(size=2) * np.stack([np.sin(along), np.sin(2 * along)], axis=-1)
    return np.stack([along, bend.sum(-1) + width * across], axis=-1).astype(np.float32)


def pipes(num: int = 60, n: int = 11) -> Dataset:
    """Bent pipes of width 1."""
    rng, samples = np.random.default_rng(0), []
    for _ in range(num):
        x = pipe(1.0, rng, n).reshape(-1, 2)
        samples.append(Sample(x, np.empty((len(x), 0)), 1 + x[:, :1]))
    return collate(replace(PIPE, grid=(n, n)), samples, Splits.consecutive(num - 20, 10, 10))


def wings(num: int = 80) -> Dataset:
    """One set of points; two numbers tell cases apart, and one of them the size of the answer."""
    rng = np.random.default_rng(0)
    x = rng.random((20, 2)).astype(np.float32)
    samples = []
    for _ in range(num):
        numbers = rng.uniform((0.2, -3), (0.8, 3)).astype(np.float32)
        u = np.full((20, 1), numbers[0] ** 2)
        samples.append(Sample(x, np.empty((20, 0)), u, parameters=numbers))
    return collate(WING, samples, Splits.consecutive(num - 40, 20, 20))


def surrogate_of(data: Dataset) -> Surrogate:
    torch.manual_seed(0)
    return Surrogate.fit(build_model("llt", data.problem, **MODEL), data)
