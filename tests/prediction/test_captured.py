"""Captured predictions are those of the model, whatever the number of cases."""

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.models import build_model
from llt.prediction import batching, cache
from llt.prediction.cases import Cases, Packed
from llt.surrogate import Surrogate
from llt.surrogate.forward import forward
from tests.conftest import darcy_like, geometry_only, ragged
from tests.data.test_dataset import timed
from tests.prediction.fake import Replayed, captures_on_the_cpu

KINDS = {"grid": darcy_like, "points": ragged, "geometry": geometry_only, "timed": timed}
SETTINGS = {"dim": 16, "num_layers": 2, "heads": 2}


def make_surrogate(data, **settings):
    torch.manual_seed(0)
    surrogate = Surrogate.fit(build_model("llt", data.problem, **SETTINGS, **settings), data)
    for block in surrogate.model.blocks:
        if block.film is not None:  # zero at first: time would change nothing
            torch.nn.init.normal_(block.film.weight)
    return surrogate


def some_cases(data, count, seed=0):
    rng = np.random.default_rng(seed)
    N = data.problem.num_points or 30
    x = rng.random((count, N, 2), np.float32)
    a = rng.random((count, N, data.problem.in_channels), np.float32)
    return x, a, 0.3 if data.problem.timed else None


@pytest.fixture(params=KINDS)
def data(request):
    return KINDS[request.param]()


@pytest.mark.parametrize("count", [1, 3, 7])
def test_batches_give_what_single_cases_give(data, count, monkeypatch):
    surrogate, (x, a, t) = make_surrogate(data), some_cases(data, count)
    alone = np.stack([surrogate.predict(*case, t) for case in zip(x, a, strict=True)])
    monkeypatch.setattr(batching, "POINTS", 8 * x.shape[1])
    np.testing.assert_allclose(surrogate.predict(x, a, t), alone, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [1, 3, 7, 13])
def test_captured_predictions_are_the_eager_ones(data, count, monkeypatch):
    """Also where the last batch is padded, and when new cases follow others."""
    surrogate = make_surrogate(data)
    monkeypatch.setattr(batching, "POINTS", 8 * (data.problem.num_points or 30))
    requests = [some_cases(data, count, seed) for seed in range(4)]
    eager = [surrogate.predict(*request) for request in requests]
    graphs = captures_on_the_cpu(monkeypatch)
    for request, expected in zip(requests, eager, strict=True):
        found = surrogate.predict(*request)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert sum(graph.replays for graph in graphs) > 1


def test_a_time_that_changes_is_seen(monkeypatch):
    data = timed()
    surrogate, (x, a, _) = make_surrogate(data), some_cases(data, 2)
    expected = [surrogate.predict(x, a, t) for t in (0.1, 0.9)]
    captures_on_the_cpu(monkeypatch)
    for _ in range(2):
        surrogate.predict(x, a, 0.5)
    for t, u in zip((0.1, 0.9), expected, strict=True):
        np.testing.assert_allclose(surrogate.predict(x, a, t), u, rtol=1e-4, atol=1e-5)
    assert np.abs(expected[0] - expected[1]).max() > 1e-3


@pytest.mark.parametrize("room", [32, 8, 4])
def test_several_times_share_a_captured_batch(monkeypatch, room):
    data, times = timed(), [0.1, 0.3, 0.5, 0.7, 0.9]
    surrogate, (x, a, _) = make_surrogate(data), some_cases(data, 3)
    expected = np.stack([surrogate.predict(x, a, t) for t in times], axis=1)
    monkeypatch.setattr(batching, "POINTS", room * x.shape[1])
    graphs = captures_on_the_cpu(monkeypatch)
    for order in (times, times[::-1], times):
        found = surrogate.predict(x, a, order)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert sum(graph.replays for graph in graphs) > 1


def test_fewer_neighbors_than_the_graph_has_room_for(monkeypatch):
    """Columns that an earlier case filled must not be left over."""
    data = geometry_only()
    surrogate = replace(make_surrogate(data, max_neighbors=8), radius=0.3)
    rng = np.random.default_rng(0)
    dense, sparse = rng.random((25, 2), np.float32), 4 * rng.random((25, 2), np.float32)
    sparse[:4] = 0.05 * sparse[:4]  # five to eight neighbors, as a captured graph has eight
    expected = surrogate.predict(sparse)
    assert surrogate.graph(dense).shape[1] == 8 and 4 < surrogate.graph(sparse).shape[1] < 8
    graphs = captures_on_the_cpu(monkeypatch)
    for _ in range(4):
        surrogate.predict(dense)
    np.testing.assert_allclose(surrogate.predict(sparse), expected, rtol=1e-5, atol=1e-6)
    assert len(graphs) == 1


def test_masked_batches_on_the_device(monkeypatch):
    """As validation asks them; a result stays as it is when the graph is replayed."""
    data = ragged()
    surrogate = make_surrogate(data)
    part = surrogate.source(data, np.arange(6))
    batches = [part.batch(torch.tensor(items)) for items in ([0, 5], [4, 1], [2, 3])]

    def predict():
        return [
            surrogate.predict_batch(b.x, b.a, neighbors=b.neighbors, mask=b.mask) for b in batches
        ]

    eager = predict()
    graphs = captures_on_the_cpu(monkeypatch)
    for found, expected in zip(predict(), eager, strict=True):
        torch.testing.assert_close(found, expected)
    assert len(graphs) == 1 and graphs[0].replays == 2


def test_parts_of_a_packed_batch_do_not_overlap():
    rng = torch.Generator().manual_seed(0)
    cases = Cases(
        torch.rand(3, 7, 2, generator=rng),
        torch.rand(3, 7, 1, generator=rng),
        torch.rand(3, generator=rng),
        torch.randint(-1, 7, (3, 7, 5), generator=rng, dtype=torch.int32),
        torch.rand(3, 7, generator=rng) > 0.5,
    )
    packed = Packed(cases.shape, torch.device("cpu"))
    packed.fill(cases)
    for name in ("x", "a", "t", "neighbors", "mask"):
        part = getattr(packed.cases, name)
        assert torch.equal(part, getattr(cases, name))
        assert (part.data_ptr() - packed.words.data_ptr()) % 256 == 0 or name == "mask"


def test_threads_take_turns(monkeypatch):
    data = darcy_like()
    surrogate = make_surrogate(data)
    requests = [some_cases(data, 2, seed) for seed in range(8)]
    expected = [surrogate.predict(*request) for request in requests]
    captures_on_the_cpu(monkeypatch)
    replay = Replayed.replay

    def slow_replay(graph):
        time.sleep(1e-3)  # the others could go on here
        replay(graph)

    monkeypatch.setattr(Replayed, "replay", slow_replay)
    found = [None] * len(requests)

    def ask(number):
        for _ in range(5):
            found[number] = surrogate.predict(*requests[number])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("model", ["llt", "transolver"])
def test_cuda_graphs_predict_what_the_model_does(data, model, monkeypatch):
    surrogate = Surrogate.fit(build_model(model, data.problem, **SETTINGS), data).to("cuda")
    requests = [some_cases(data, 5, seed) for seed in range(4)]
    monkeypatch.setattr(cache, "capture_on", lambda device: None)
    eager = [surrogate.predict(*request) for request in requests]
    monkeypatch.undo()
    for request, expected in zip(requests, eager, strict=True):
        found = surrogate.predict(*request)
        assert np.linalg.norm(found - expected) < 2e-3 * np.linalg.norm(expected)
    assert len(surrogate._captures) == 1


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("model", ["llt", "transolver"])
def test_cuda_graphs_see_weights_that_are_trained_in_place(model):
    """Also within the caller's autocast, which keeps 16-bit copies of weights."""
    torch.manual_seed(0)
    data = darcy_like()
    network = build_model(model, data.problem, **SETTINGS)
    surrogate = replace(Surrogate.fit(network, data), precision="fp16").to("cuda")
    batch = surrogate.source(data, np.arange(3)).batch(torch.arange(3, device="cuda"))
    with torch.autocast("cuda", torch.float16):
        for _ in range(3):
            before = surrogate.predict_batch(batch.x, batch.a)
        with torch.no_grad():
            for parameter in surrogate.model.parameters():
                parameter.mul_(1.5)
        after = surrogate.predict_batch(batch.x, batch.a)
        assert len(surrogate._captures) == 1
        eager = forward(surrogate, Cases(batch.x, batch.a))
    assert (after - before).norm() > 1e-2 * before.norm()
    assert (after - eager).norm() < 2e-3 * eager.norm()
