"""Prediction in chunks gives what the whole model gives."""

from dataclasses import replace
from functools import partial
from math import prod

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from llt import kernels
from llt.data.neighbors import radius_graph
from llt.data.normalizer import Normalizer
from llt.errors import ConfigError
from llt.kernels.choice import HAVE_TRITON
from llt.models import build_model
from llt.models.llt import streaming
from llt.models.llt.order import morton_order, spatial_order
from llt.models.llt.streaming import (
    grid_chunks,
    point_chunks,
    stream,
)
from llt.problem import CAR, DARCY, ELASTICITY, PLASTICITY, Problem
from llt.surrogate import Surrogate, answering
from tests.kernels.compared import DEVICE, half

CUBE = Problem(name="cube", space_dim=3, inputs=("f",), outputs=("u", "v"), grid=(5, 6, 7))
SIZES = {"dim": 16, "num_layers": 3, "heads": 4, "reference_points": 3}


def model_for(problem, **settings):
    torch.manual_seed(0)
    model = build_model("llt", problem, **(SIZES | settings)).eval()
    for block in model.blocks:
        if block.film is not None:
            torch.nn.init.normal_(block.film.weight)  # it starts at zero
    return model


def random_inputs(problem, N):
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.random((N, problem.space_dim), np.float32))
    a = torch.from_numpy(rng.standard_normal((N, problem.in_channels), np.float32))
    return x, a


def difference(u, expected):
    """Largest difference, relative to the largest value."""
    return ((u - expected).abs().max() / expected.abs().max()).item()


GRIDS = {  # problem, grid, points per chunk, settings
    "strips of several rows": (DARCY, (11, 7), 21, {}),
    "strips that do not divide the grid": (DARCY, (11, 7), 15, {}),
    "strips of one row": (DARCY, (11, 7), 1, {}),
    "one strip": (DARCY, (11, 7), 1000, {}),
    "kernel 5": (DARCY, (13, 6), 12, {"kernel": 5}),
    "kernel 7": (DARCY, (13, 6), 12, {"kernel": 7}),
    "kernel 1": (DARCY, (13, 6), 12, {"kernel": 1, "conv_branch": False}),
    "no convolution branch": (DARCY, (11, 7), 15, {"conv_branch": False}),
    "the training grid": (replace(DARCY, grid=(9, 9)), (9, 9), 20, {}),
    "time": (PLASTICITY, (9, 5), 10, {}),
    "one layer": (DARCY, (9, 5), 10, {"num_layers": 1}),
    "no input fields": (replace(DARCY, inputs=()), (9, 5), 10, {}),
    "spacing": (replace(DARCY, grid=(9, 9)), (17, 9), 40, {"spacing": True}),
    "space": (CUBE, (5, 6, 7), 50, {}),
    "space, planes alone": (CUBE, (7, 4, 3), 1, {"kernel": 5}),
}


@pytest.mark.parametrize("case", GRIDS)
def test_grids_in_strips_equal_grids_at_once(case):
    problem, grid, chunk, settings = GRIDS[case]
    model = model_for(problem, **settings)
    x, a = random_inputs(problem, prod(grid))
    t = torch.tensor([0.3]) if problem.timed else None
    with torch.no_grad():
        expected = model(x[None], a[None], t=t, grid=grid)[0]
    assert difference(stream(model, x, a, t=t, grid=grid, chunk=chunk), expected) < 1e-5


POINT_SETS = {  # problem, points, points per chunk, settings
    "chunks that do not divide the points": (ELASTICITY, 300, 47, {}),
    "one point at a time": (ELASTICITY, 30, 1, {}),
    "one chunk": (ELASTICITY, 300, 1000, {}),
    "space": (CAR, 400, 64, {}),
    "time": (replace(ELASTICITY, timed=True), 120, 50, {}),
    "one layer": (CAR, 100, 64, {"num_layers": 1}),
}


@pytest.mark.parametrize("case", POINT_SETS)
def test_points_in_chunks_equal_points_at_once(case):
    problem, N, chunk, settings = POINT_SETS[case]
    model = model_for(problem, **settings)
    x, a = random_inputs(problem, N)
    graph = radius_graph(x.numpy(), 0.2, 12)
    graph[N // 2] = -1  # a point with no neighbors, not even itself
    t = torch.tensor([0.3]) if problem.timed else None
    with torch.no_grad():
        expected = model(x[None], a[None], t=t, neighbors=torch.from_numpy(graph)[None])[0]
    assert difference(stream(model, x, a, t=t, neighbors=graph, chunk=chunk), expected) < 1e-5


FUSED = {  # problem, grid or number of points, points per chunk, settings
    "grid": (DARCY, (7, 5), 20, {"kernel": 5, "num_layers": 2}),
    "time": (PLASTICITY, (7, 5), 15, {"num_layers": 1}),
    "points": (CAR, 90, 40, {"num_layers": 2}),
}


@pytest.mark.skipif(not HAVE_TRITON, reason="needs Triton")
@pytest.mark.parametrize("case", FUSED)
def test_fused_kernels_give_the_same_in_chunks(case, monkeypatch):
    problem, size, chunk, settings = FUSED[case]
    model = model_for(problem, **settings).to(DEVICE)
    grid, N = (size, prod(size)) if isinstance(size, tuple) else (None, size)
    x, a = (z.to(DEVICE) for z in random_inputs(problem, N))
    graph = None if grid else radius_graph(x.cpu().numpy(), 0.4, 12)
    t = torch.tensor([0.3], device=DEVICE) if problem.timed else None
    ask = partial(stream, model, x, a, t=t, grid=grid, neighbors=graph, chunk=chunk)
    expected, made = ask(), []
    from llt.models.llt.fused import chunks

    halves = chunks.FusedHalves
    monkeypatch.setattr(chunks, "FusedHalves", lambda *args: made.append(halves(*args)) or made[0])
    with kernels.use("fused"), half():
        u = ask()
    assert made
    assert difference(u.float(), expected) < (1e-5 if DEVICE.type == "cpu" else 1e-2)


def test_sums_lose_nothing_over_many_chunks():
    """In float32, 2^24 + 1 = 2^24."""
    total = streaming.Total()
    for part in (2.0**24, 1.0, 1.0, 1.0):
        total.add(torch.full((2, 1), part).unbind())
    assert total.sums == [2**24 + 3] * 2


def test_strips_tile_the_grid_and_have_their_halo():
    chunks = [*grid_chunks((7, 3), 2, 8)]
    assert [(c.rows.start, c.rows.stop) for c in chunks] == [(0, 6), (6, 12), (12, 18), (18, 21)]
    assert [c.grid for c in chunks] == [(4, 3), (6, 3), (5, 3), (3, 3)]
    assert [c.kept.start for c in chunks] == [0, 6, 6, 6]


def test_a_strip_has_at_least_a_row():
    assert [c.grid for c in grid_chunks((4, 3), 1, 1)] == [(2, 3), (3, 3), (3, 3), (2, 3)]


def test_points_find_their_neighbors_in_the_chunk():
    rng = np.random.default_rng(0)
    order = rng.permutation(50)
    graph = rng.integers(-1, 50, (50, 6), dtype=np.int32)
    seen = []
    for chunk in point_chunks(torch.from_numpy(graph), torch.from_numpy(order), 16):
        read = torch.cat((torch.arange(chunk.span.start, chunk.span.stop), chunk.halo))
        users = np.append(order[read], -1)  # the users' number of every point read
        np.testing.assert_array_equal(users[chunk.neighbors], graph[order[chunk.rows]])
        assert len(np.unique(read)) == len(read)
        seen += range(chunk.rows.start, chunk.rows.stop)
    assert seen == [*range(50)]


@pytest.mark.parametrize("ordered", [spatial_order, morton_order])
def test_chunks_are_compact(ordered):
    """The halo of 1000 points of 30,000 in space is smaller than three times the chunk."""
    x = torch.rand(30_000, 3, generator=torch.Generator().manual_seed(0))
    graph = torch.from_numpy(radius_graph(x.numpy(), 1.0, 16))
    order = ordered(x)
    assert sorted(order.tolist()) == [*range(30_000)]
    halos = [len(chunk.halo) for chunk in point_chunks(graph, order, 1000)]
    assert np.mean(halos) < 1500


PRIME = 331  # divides the size of a tensor only where it has a row for every point


class LargestTensors(TorchDispatchMode):
    """Records the largest tensor made for a chunk and, of those for all points, the widest."""

    def __init__(self, N):
        super().__init__()
        self.N, self.chunk, self.width = N, 0, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for z in out if isinstance(out, list | tuple) else [out]:
            if z.numel() % PRIME:
                self.chunk = max(self.chunk, z.numel())
            else:
                self.width = max(self.width, z.numel() / self.N)
        return out


def memory_on_grid(rows):
    model, grid = model_for(DARCY), (rows, 8)
    x, a = random_inputs(DARCY, prod(grid))
    with LargestTensors(prod(grid)) as largest:
        stream(model, x, a, grid=grid, chunk=64)
    return largest


def memory_on_points(N):
    """Points on a line, so that all chunks have the same halo."""
    model = model_for(CAR)
    x, a = random_inputs(CAR, N)
    x[:] = torch.linspace(0, 1, N)[:, None]
    graph = np.arange(N)[:, None] + np.arange(-3, 4)
    graph = np.where((graph < 0) | (graph >= N), -1, graph).astype(np.int32)
    with LargestTensors(N) as largest:
        stream(model, x, a, neighbors=graph, chunk=64)
    return largest


@pytest.mark.parametrize("memory", [memory_on_grid, memory_on_points])
def test_only_the_stores_grow_with_the_mesh(memory):
    small, large = memory(PRIME), memory(5 * PRIME)
    assert large.chunk == small.chunk > 0
    assert small.width == large.width == SIZES["dim"]


@pytest.mark.parametrize("rows", [10, 11])
def test_large_stores_are_pinned_on_the_host(monkeypatch, rows):
    weight = torch.zeros(8, 3, device="meta")  # stands for a GPU
    made = []
    monkeypatch.setattr(torch, "empty", lambda shape, **place: made.append((shape, place)))
    monkeypatch.setattr(streaming, "DEVICE_STORE", 2 * 10 * 8 * 4)
    streaming._stores(rows, weight, torch.float32)
    (shape, place), again = made
    assert (shape, place) == again
    assert shape == (rows, 8)
    assert place["pin_memory"] == (rows > 10)
    assert place["device"] == torch.device("cpu" if rows > 10 else "meta")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("store", [0, 2**31], ids=["host", "device"])
@pytest.mark.parametrize("problem", [DARCY, CAR], ids=lambda problem: problem.name)
def test_chunks_on_a_gpu(monkeypatch, problem, store):
    monkeypatch.setattr(streaming, "DEVICE_STORE", store)
    model = model_for(problem).double()
    grid = None if problem.grid is None else (60, 50)
    x, a = (z.double() for z in random_inputs(problem, 3000))
    graph = None if grid else radius_graph(x.numpy(), 0.1, 12)
    expected = stream(model, x, a, grid=grid, neighbors=graph)
    model, x, a = model.cuda(), x.cuda(), a.cuda()
    u = stream(model, x, a, grid=grid, neighbors=graph, chunk=170)
    assert difference(u.cpu(), expected) < 1e-10


class Types(TorchDispatchMode):
    """Of all floating-point results."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor) and out.is_floating_point():
            self.seen.add(out.dtype)
        return out


@pytest.mark.parametrize("choice", ["reference", "auto"])
@pytest.mark.parametrize("problem", [DARCY, CAR, PLASTICITY], ids=lambda problem: problem.name)
def test_double_precision_is_kept(problem, choice):
    """By the plain kernels too, which are those of a GPU: two devices agree only then."""
    model = model_for(problem).double()
    grid = None if problem.grid is None else (5, 6)
    x, a = (z.double() for z in random_inputs(problem, 30))
    t = torch.tensor([0.3]).double() if problem.timed else None
    graph = None if grid else radius_graph(x.numpy(), 0.3, 4)
    with Types() as types, kernels.use(choice):
        stream(model, x, a, t=t, grid=grid, neighbors=graph, chunk=12)
    assert types.seen == {torch.float64}


def surrogate_for(problem, **settings):
    """With normalization that does something."""
    rng = np.random.default_rng(0)
    d, Ca, Cu = problem.space_dim, problem.in_channels, problem.out_channels
    normalizer = Normalizer(
        gain=3.0,
        x_low=rng.random(d),
        x_size=1 + rng.random(d),
        a_mean=rng.random(Ca),
        a_std=1 + rng.random(Ca),
        u_mean=rng.random(Cu),
        u_std=1 + rng.random(Cu),
        t_range=(2.0, 5.0),
    )
    mesh = (
        None
        if problem.grid is None
        else torch.from_numpy(rng.random((prod(problem.grid), d), np.float32))
    )
    return Surrogate(model_for(problem, **settings), normalizer, 0.2, mesh)


PREDICTIONS = {
    "grid": (replace(DARCY, grid=(6, 5)), (6, 5), None),
    "another grid": (replace(DARCY, grid=(6, 5)), (11, 7), None),
    "batch of grids": (replace(DARCY, grid=(6, 5)), (3, 11, 7), None),
    "flat": (replace(DARCY, grid=(6, 5)), (2, 30), None),
    "time": (replace(PLASTICITY, grid=(6, 5)), (6, 5), 3.0),
    "space": (CUBE, (6, 5, 4), None),
    "points": (CAR, (90,), None),
    "batch of point sets": (CAR, (2, 90), None),
    "geometry alone": (ELASTICITY, (90,), None),
}


@pytest.mark.parametrize("case", PREDICTIONS)
def test_large_meshes_are_predicted_in_chunks_by_themselves(case, monkeypatch):
    problem, lead, t = PREDICTIONS[case]
    predictor, rng = surrogate_for(problem), np.random.default_rng(1)
    x = rng.random((*lead, problem.space_dim))
    a = rng.random((*lead, problem.in_channels)) if problem.inputs else None
    expected = predictor.predict(x, a, t)
    monkeypatch.setattr(answering, "STREAM_ABOVE", 20)
    monkeypatch.setattr(streaming, "CHUNK", 17)
    monkeypatch.setattr(predictor, "predict_batch", None)  # would fail
    u = predictor.predict(x, a, t)
    assert u.shape == (*lead, problem.out_channels)
    assert np.abs(u - expected).max() < 1e-5 * np.abs(expected).max()


def test_chunk_size_can_be_asked_for(monkeypatch):
    predictor, rng = surrogate_for(CAR), np.random.default_rng(1)
    x, a = rng.random((90, 3)), rng.random((90, 4))
    expected = predictor.predict(x, a)
    sizes = []
    chunks = streaming.point_chunks
    monkeypatch.setattr(
        streaming, "point_chunks", lambda *args: sizes.append(args[2]) or chunks(*args)
    )
    u = predictor.predict(x, a, chunk=13)
    assert np.abs(u - expected).max() < 1e-5 * np.abs(expected).max()
    assert sizes == [13]
    with pytest.raises(ConfigError, match="chunk=0 must be at least 1"):
        predictor.predict(x, a, chunk=0)


def test_other_models_predict_at_once(monkeypatch):
    predictor = surrogate_for(replace(DARCY, grid=(6, 5)))
    predictor.model = build_model("transolver", predictor.problem, dim=8, num_layers=1, heads=2)
    rng = np.random.default_rng(1)
    x, a = rng.random((6, 5, 2)), rng.random((6, 5, 1))
    expected = predictor.predict(x, a)
    monkeypatch.setattr(answering, "STREAM_ABOVE", 20)
    np.testing.assert_array_equal(predictor.predict(x, a), expected)
    np.testing.assert_array_equal(predictor.predict(x, a, chunk=7), expected)
