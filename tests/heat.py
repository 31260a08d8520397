"""Heat that spreads in a square with insulated walls: a time series with a closed form."""

import numpy as np

from llt.data.dataset import Dataset


def heat(
    num: int = 16,
    *,
    frames: int = 9,
    side: int = 12,
    points: int = 0,
    own_points: bool = False,
    end: float = 0.2,
    power: float = 1.0,
    modes: int = 4,
    seed: int = 0,
) -> Dataset:
    """Cases of temperatures T that begin at random, with a conductivity each.

    Args:
        points: of a point set instead of a grid.
        own_points: cases have different points, and numbers of them.
        power: of the times, evenly spaced if it is 1.
        modes: along each side, that temperatures begin with.
    """
    rng = np.random.default_rng(seed)
    times = end * np.linspace(0, 1, frames) ** power
    axis = (np.arange(side) + 0.5) / side
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    sizes = [points + 3 * i for i in range(num)] if own_points else [points] * num
    shared = rng.random((points, 2)) if points else grid
    x = [rng.random((size, 2)) for size in sizes] if own_points else [shared] * num
    conductivity = rng.uniform(0.5, 1.5, num)
    u = [temperatures(p, times, k, modes, rng) for p, k in zip(x, conductivity, strict=True)]
    return Dataset.from_arrays(
        "heat",
        points=x if own_points else shared,
        outputs={"T": u if own_points else np.stack(u)},
        parameters={"conductivity": conductivity},
        units={"T": "K"},
        times=times,
        splits={
            "train": range(num - 4),
            "val": range(num - 4, num - 2),
            "test": range(num - 2, num),
        },
    )


def temperatures(x, times, conductivity, modes, rng) -> np.ndarray:
    """Solutions of ∂T/∂t = k ΔT at the times, (T, ...)."""
    weights = rng.normal(size=(modes, modes)) / (1 + np.add.outer(*[np.arange(modes)] * 2))
    u = np.full((len(times), *x.shape[:-1]), 20.0)
    for i in range(modes):
        for j in range(modes):
            shape = np.cos(np.pi * i * x[..., 0]) * np.cos(np.pi * j * x[..., 1])
            decay = np.exp(-conductivity * np.pi**2 * (i**2 + j**2) * times)
            u += weights[i, j] * np.multiply.outer(decay, shape)
    return u
