"""Radius graphs: which points are near which.

Built on the CPU with SciPy's KD-tree and kept in a cache folder (`LLT_CACHE`, by default
~/.cache/llt), since every run on the same data needs the same graphs.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from llt.data.dataset import Dataset
from llt.runtime.files import cache_folder, replacing, write_text

Floats = NDArray[np.floating]
Graph = NDArray[np.int32]
QUERIES = 2**18  # points asked for at once


def radius_graph(
    points: Floats, radius: float, max_neighbors: int, among: int = 0, *, threads: int = -1
) -> Graph:
    """Indices (N, K) of the points within `radius`, nearest first, -1 where there are fewer.

    A point is its own first neighbor. Where more than K are in reach, the K nearest are kept.

    Args:
        among: neighbors are so many of the points, drawn evenly; 0: all of them.
        threads: that search; -1: one for every core.
    """
    drawn = _drawn(len(points), among)
    tree, count = cKDTree(points[drawn]), min(max_neighbors, len(drawn))
    asked = tree.indices if len(drawn) == len(points) else np.arange(len(points))
    names = np.append(drawn, -1)  # a search that finds fewer answers with the number after the last
    graph = np.full((len(points), max_neighbors), -1, dtype=np.int32)
    # it would go on beyond the radius until it has K, which takes longer than all before; what
    # lies exactly at its end it leaves out, and the square of that must be above zero
    beyond = max(radius * (1 + 1e-9), 1e-150)
    # in parts, since the answers take four times the memory of the graph, and in the tree's own
    # order, where points near in space are near in memory: more than twice as fast
    for start in range(0, len(points), QUERIES):
        rows = asked[start : start + QUERIES]
        distance, index = tree.query(
            points[rows], [*range(1, count + 1)], distance_upper_bound=beyond, workers=threads
        )
        graph[rows, :count] = np.where(distance <= radius, names[index], -1)
    _put_self_first(graph)
    return graph


def _drawn(count: int, among: int) -> NDArray[np.int64]:
    """Which of the points can be neighbors."""
    if not 0 < among < count:
        return np.arange(count)
    return np.sort(np.random.default_rng(among).choice(count, among, replace=False))


def _put_self_first(graph: Graph) -> None:
    """A point may be missing, or come after its duplicates: the tree gives ties in any order.

    Those before it move on by one place, and the last one is dropped for a point that was missing.
    """
    own = np.arange(len(graph), dtype=np.int32)
    late = np.flatnonzero(graph[:, 0] != own)
    for rows in np.array_split(late, len(late) // QUERIES + 1):
        given = graph[rows]
        there = given == rows[:, None]
        there[:, -1] |= ~there.any(1)
        after = np.logical_or.accumulate(there, axis=1)[:, :-1]  # of its own place
        given[:, 1:] = np.where(after, given[:, 1:], given[:, :-1])
        given[:, 0] = rows
        graph[rows] = given


def radius_graphs(
    data: Dataset,
    indices: NDArray[np.int64],
    radius: float,
    max_neighbors: int,
    among: int = 0,
) -> Graph:
    """The graphs of several samples, padded to the largest: (S, N, K), cached.

    K is the largest number of neighbors any point really has, `max_neighbors` at most.
    """
    path = _cache_file(data, indices, radius, max_neighbors, among)
    # graphs of samples that stay in their file may be larger than memory, too
    mapped: Literal["r"] | None = "r" if data.file else None
    if (kept := _kept(path, mapped)) is not None:
        return kept
    try:
        with replacing(path) as beside, TemporaryDirectory(dir=path.parent) as scratch:
            folder = Path(scratch) if mapped else None
            graphs = _build(data, indices, radius, max_neighbors, among, folder)
            with beside.open("wb") as file:
                np.save(file, graphs)
        write_text(_digest_file(path), _digest(path))
    except OSError:  # a cache that cannot be written only costs time
        return _build(data, indices, radius, max_neighbors, among)
    return np.load(path, mapped, allow_pickle=False)


def _kept(path: Path, mapped: Literal["r"] | None) -> Graph | None:
    """Graphs from the cache, if they are there and as they were written."""
    try:
        if _digest_file(path).read_text() != _digest(path):
            return None
        graphs: Graph = np.load(path, mapped, allow_pickle=False)
        return graphs
    except (OSError, ValueError):
        return None


def _digest_file(path: Path) -> Path:
    return path.with_suffix(".sha256")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def trim(graphs: Graph) -> Graph:
    """Drop the last columns where no point has so many neighbors: they cost time for nothing."""
    used = int((graphs >= 0).sum(axis=-1).max())
    return np.ascontiguousarray(graphs[..., :used])


def median_spacing(points: Floats) -> float:
    """Median distance of a point to its nearest other point."""
    distance, _ = cKDTree(points).query(points, k=2)
    return float(np.median(distance[:, 1]))


def training_radius(data: Dataset, factor: float = 2.0, most: int = 100) -> float:
    """A multiple of the training set's median nearest-neighbor spacing; the paper's is twice."""
    train = data.split("train")[:most]
    return factor * float(np.median([median_spacing(data.sample(i).points) for i in train]))


def _build(
    data: Dataset,
    indices: NDArray[np.int64],
    radius: float,
    max_neighbors: int,
    among: int = 0,
    scratch: Path | None = None,
) -> Graph:
    """The graphs in memory, or in a file of the scratch folder where they may not fit there."""
    shape = (len(indices), int(data.counts[indices].max()), max_neighbors)
    graphs = (_padded(data, index, radius, shape[1:], among) for index in indices)
    if scratch is None:
        return trim(np.stack([*graphs]))
    used = 1
    with (scratch / "graphs").open("wb") as file:
        for graph in graphs:
            used = max(used, int((graph >= 0).sum(axis=-1).max()))
            file.write(graph.data)
    return np.memmap(scratch / "graphs", np.int32, "r", shape=shape)[..., :used]


def _padded(data: Dataset, index: int, radius: float, shape: tuple[int, ...], among: int) -> Graph:
    graph = np.full(shape, -1, dtype=np.int32)
    points = data.sample(index).points
    graph[: len(points)] = radius_graph(points, radius, shape[-1], among)
    return graph


def _cache_file(
    data: Dataset, indices: NDArray[np.int64], radius: float, max_neighbors: int, among: int
) -> Path:
    digest = hashlib.sha256(data.checksums[indices].tobytes())
    digest.update(f"{radius!r} {max_neighbors}{f' {among}' if among else ''}".encode())
    return cache_folder() / "graphs" / f"{digest.hexdigest()[:24]}.npy"
