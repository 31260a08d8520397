"""Questions of any size, answered batch by batch, or in chunks where a case is large.

Shapes: B cases, T times, N points, Cu outputs.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from llt.data.cells import cell_graph
from llt.data.neighbors import Graph
from llt.errors import ConfigError, DataError, RangeWarning
from llt.models.llt import LLT
from llt.models.llt.streaming import stream
from llt.prediction.batching import Times, batch_arrays, batch_shape, graph_batches, same_graph
from llt.prediction.cases import Cases, tensor
from llt.prediction.question import Question, check_positive
from llt.prediction.symmetrized import symmetrized_case
from llt.surrogate.forward import captured, computing, forward

if TYPE_CHECKING:
    from llt.surrogate.core import Surrogate

STREAM_ABOVE = 2**16  # points per case: larger meshes are predicted in chunks
Floats = NDArray[np.float32]


def check_question(
    surrogate: Surrogate,
    question: Question,
    times: Times,
    *,
    chunk: int | None,
    known: Graph | None,
    ranges: bool,
) -> None:
    """Refuse what cannot be answered; warn of what was not trained on, where that is wanted."""
    problem, encode = surrogate.problem, surrogate.normalizer
    if chunk is not None and chunk < 1:
        raise ConfigError(f"chunk={chunk} must be at least 1")
    if ranges and surrogate.ranges is not None:
        outside = surrogate.ranges.leave(problem, question, times)
        if outside:
            warnings.warn(outside, RangeWarning, stacklevel=3)
    if encode.a_log is not None:
        check_positive(problem, question, encode.a_log.channels.tolist())
    num_points = question.x.shape[1]
    if known is not None and len(known) != num_points:
        raise DataError(f"{problem.name}: neighbors of {len(known)} points, there are {num_points}")


def answer(
    surrogate: Surrogate,
    question: Question,
    times: Times,
    *,
    chunk: int | None,
    symmetrize: bool,
    known: Graph | None,
) -> Floats:
    """The outputs of all cases at all times: (B, T, N, Cu)."""
    x, a, grid = question.x, question.a, question.grid
    B, N, _ = x.shape
    u = np.empty((B, len(times), N, surrogate.problem.out_channels), np.float32)
    if not (isinstance(surrogate.model, LLT) and (chunk or N > STREAM_ABOVE)):
        _in_batches(surrogate, question, times, u, symmetrize, known)
        return u
    for case, (points, fields) in enumerate(zip(x, a, strict=True)):
        neighbors = large_graph(surrogate, points) if known is None else known
        for moment, t in enumerate(times):
            ask = partial(
                surrogate.predict_chunks, t=t, grid=grid, neighbors=neighbors, chunk=chunk
            )
            average = partial(symmetrized_case, ask, surrogate.problem, grid)
            u[case, moment] = (average if symmetrize else ask)(points, fields)
    return u


def large_graph(surrogate: Surrogate, points: Floats) -> Graph | Tensor | None:
    """The neighbors of a large case; a GPU finds them itself, and keeps them."""
    most, radius, among = surrogate.model.max_neighbors, surrogate.radius, surrogate.points
    on_gpu = surrogate.device.type == "cuda" and not 0 < among < len(points)
    if not (most and radius and on_gpu):
        return surrogate.graph(points)
    return cell_graph(tensor(points).to(surrogate.device), radius, most)


def in_chunks(
    surrogate: Surrogate,
    x: Floats,
    a: Floats,
    t: float | None,
    grid: tuple[int, ...] | None,
    neighbors: Graph | Tensor | None,
    chunk: int | None,
) -> Floats:
    """See `Surrogate.predict_chunks`."""
    model, encode, device = surrogate.model, surrogate.normalizer, surrogate.device
    assert isinstance(model, LLT)
    model.eval()
    with computing(surrogate):
        u = stream(
            model,
            surrogate.encode_points(tensor(x).to(device), grid),
            encode.encode_inputs(tensor(a).to(device)),
            t=None if t is None else encode.encode_time(torch.tensor([float(t)], device=device)),
            grid=grid,
            neighbors=neighbors,
            chunk=chunk,
        )
    return np.asarray(surrogate.decode(u, grid).cpu().numpy())


def _in_batches(
    surrogate: Surrogate,
    question: Question,
    times: Times,
    u: Floats,
    symmetrize: bool,
    known: Graph | None,
) -> None:
    """Fill u (B, T, N, Cu); while the device computes a batch, the next one is prepared."""
    started, grid = [], question.grid
    with surrogate.alone():
        group = surrogate.group(grid) if symmetrize else None
        graphs_of = surrogate.graphs if known is None else partial(same_graph, known)
        for rows, moments, graphs in graph_batches(question.x, len(times), graphs_of):
            inputs = batch_arrays(question, rows, times[moments], graphs)
            out = u[rows, moments].reshape(-1, *u.shape[2:])  # a view: a batch is one piece
            replayed = captured(surrogate, batch_shape(*inputs, grid), group)
            if replayed is None:
                cases = Cases.of(*inputs, grid, surrogate.device)
                out[...] = forward(surrogate, cases, group).cpu().numpy()
            else:
                replayed.start(*inputs, out)
                started.append(replayed)
        for replayed in started:
            replayed.finish()
