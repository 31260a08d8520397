"""Seconds and peak device memory of LLT predictions, in chunks and at once.

Points fill the unit cube at random, with 32 neighbors each (the Car preset); grids are square (the
Darcy preset). Weights are random. A prediction begins and ends with arrays in host memory and
includes the search for neighbors, which is timed by itself, too; where a GPU searches, SciPy on one
core is beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isqrt, pi
from time import perf_counter

import numpy as np
import torch
from torch import Tensor

from llt.bench.timing import peak_memory
from llt.data.neighbors import Graph, radius_graph, trim
from llt.data.normalizer import Normalizer
from llt.models import build_model
from llt.models.llt.streaming import CHUNK
from llt.presets import find_preset
from llt.problem import CAR, DARCY, Problem
from llt.surrogate import STREAM_ABOVE, Floats, Surrogate
from llt.surrogate.answering import large_graph

SEARCHED = 2**20  # points at most that SciPy searches, too

Row = dict[str, float | None]


def measure_prediction(name: str, num_points: int, chunk: int, device: torch.device) -> Row:
    """`name` is car or darcy; at once up to the size at which `predict` chooses chunks itself.

    Args:
        chunk: points at a time; 0: what `predict` chooses.
    """
    problem, N = CAR, num_points
    if name == DARCY.name:
        problem = replace(DARCY, grid=(isqrt(N), isqrt(N)))
        N = isqrt(N) ** 2
    rng = np.random.default_rng(0)
    x = rng.random((N, problem.space_dim), np.float32)
    a = rng.standard_normal((N, problem.in_channels), np.float32)
    if problem.grid:
        x, a = (z.reshape(*problem.grid, -1) for z in (x, a))
    surrogate = _random_surrogate(problem, N).to(device)
    size = chunk or (None if N > STREAM_ABOVE else CHUNK)
    if device.type == "cuda":
        surrogate.predict(x, a, chunk=size)  # kernels are compiled at their first launch
    row: Row = {"num_points": N, **_search(surrogate, x)}
    u, row["chunks_s"], row["chunks_mib"] = _timed(
        device, lambda: surrogate.predict(x, a, chunk=size)
    )
    if N <= STREAM_ABOVE:
        surrogate.predict(x, a)  # to warm up
        expected, row["at_once_s"], row["at_once_mib"] = _timed(
            device, lambda: surrogate.predict(x, a)
        )
        row["difference"] = float(np.abs(u - expected).max() / np.abs(expected).max())
    return row


def _random_surrogate(problem: Problem, N: int) -> Surrogate:
    """With 32 neighbors or more in reach of nearly every point."""
    torch.manual_seed(0)
    model = build_model("llt", problem, **find_preset(problem.name).model)
    d, Ca, Cu = problem.space_dim, problem.in_channels, problem.out_channels
    normalizer = Normalizer(
        x_low=[0.0] * d,
        x_size=[1.0] * d,
        a_mean=[0.0] * Ca,
        a_std=[1.0] * Ca,
        u_mean=[0.0] * Cu,
        u_std=[1.0] * Cu,
        t_range=(0.0, 1.0),
    )
    return Surrogate(model, normalizer, radius=(3 * 100 / (4 * pi * N)) ** (1 / 3))


def _search(surrogate: Surrogate, x: Floats) -> Row:
    if surrogate.radius is None or not surrogate.model.max_neighbors:
        return {"neighbors_s": None}
    start = perf_counter()
    # on a GPU its last step asks for a value: nothing is still running then
    graph = large_graph(surrogate, x)
    row: Row = {"neighbors_s": perf_counter() - start}
    if isinstance(graph, Tensor) and len(x) <= SEARCHED:
        row |= beside_scipy(graph, x, surrogate.radius, surrogate.model.max_neighbors)
    return row


def beside_scipy(graph: Tensor, x: Floats, radius: float, max_neighbors: int) -> Row:
    """Seconds of SciPy on one core, and at how many points it finds other neighbors than a GPU."""
    start = perf_counter()
    expected = trim(radius_graph(x, radius, max_neighbors, threads=1))
    seconds = perf_counter() - start
    differing = _differing(graph.cpu().numpy(), expected)
    return {
        "scipy_neighbors_s": seconds,
        "neighbors_equal": not differing,
        "neighbors_differing": differing,
    }


def _differing(graph: Graph, expected: Graph) -> int:
    """At how many points two graphs have other neighbors, in whatever order.

    Of points equally far SciPy may keep others than the GPU: random ones hardly ever are.
    """
    width = max(graph.shape[1], expected.shape[1])
    ours, theirs = (
        np.sort(np.pad(g, ((0, 0), (0, width - g.shape[1])), constant_values=-1))
        for g in (graph, expected)
    )
    return int((ours != theirs).any(axis=1).sum())


def _timed(
    device: torch.device, predict: Callable[[], Floats]
) -> tuple[Floats, float, float | None]:
    """The prediction, its seconds and its peak of device memory."""
    with peak_memory(device) as peak:
        start = perf_counter()
        u = predict()  # ends with a copy to the host, so nothing is still running
        seconds = perf_counter() - start
    return u, seconds, peak.mib
