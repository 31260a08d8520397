"""When a shape is captured, kept, and let go."""

import copy
import gc
import warnings
import weakref

import numpy as np
import pytest
import torch

from llt import kernels
from llt.prediction import cache
from tests.conftest import darcy_like, geometry_only
from tests.prediction.fake import captures_on_the_cpu
from tests.prediction.test_captured import make_surrogate, some_cases


@pytest.fixture
def graphs(monkeypatch):
    return captures_on_the_cpu(monkeypatch)


@pytest.fixture
def surrogate():
    return make_surrogate(geometry_only())


def ask(surrogate, points=20, times=1):
    x = np.random.default_rng(0).random((points, 2), np.float32)
    for _ in range(times):
        u = surrogate.predict(x)
    return u


def test_a_shape_is_captured_when_it_comes_again(graphs, surrogate):
    ask(surrogate)
    assert not graphs
    ask(surrogate, times=2)
    assert len(graphs) == 1 and graphs[0].replays == 2
    ask(surrogate, points=21)
    assert len(graphs) == 1


def test_the_least_recently_used_graph_goes_first(graphs, surrogate, monkeypatch):
    monkeypatch.setattr(cache, "MOST", 2)
    ask(surrogate, 20, times=2)
    ask(surrogate, 21, times=2)
    ask(surrogate, 20)
    ask(surrogate, 22, times=2)  # in the place of 21
    assert len(graphs) == 3 and len(surrogate._captures) == 2
    ask(surrogate, 20)
    assert len(graphs) == 3
    ask(surrogate, 21)
    assert len(graphs) == 4


def test_graphs_share_their_memory(graphs, surrogate):
    for points in (20, 21, 22):
        ask(surrogate, points, times=2)
    assert len({id(graph.pool()) for graph in graphs}) == 1


def test_weights_trained_in_place_are_seen(graphs, surrogate):
    before = ask(surrogate, times=3)
    with torch.no_grad():
        surrogate.model.head[0].weight.mul_(2)
    after = ask(surrogate)
    assert len(graphs) == 1 and np.abs(after - before).max() > 1e-3


def replace_parameter(surrogate):
    surrogate.model.skip.weight = torch.nn.Parameter(torch.ones_like(surrogate.model.skip.weight))


def replace_memory(surrogate):
    """As an optimizer does that keeps all parameters in one vector."""
    weight = surrogate.model.skip.weight
    weight.data = torch.ones_like(weight)


def replace_module(surrogate):
    head = copy.deepcopy(surrogate.model.head)
    torch.nn.init.ones_(head[0].weight)
    surrogate.model.head = head


def replace_statistics(surrogate):
    surrogate.normalizer.u_mean = surrogate.normalizer.u_mean + 1


CHANGES = [replace_parameter, replace_memory, replace_module, replace_statistics]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_replaced_tensors_make_graphs_useless(graphs, surrogate, change):
    before = ask(surrogate, times=3)
    change(surrogate)
    again = [ask(surrogate) for _ in range(3)]
    assert len(graphs) == 2
    np.testing.assert_allclose(again[2], again[0], rtol=1e-5)
    assert np.abs(again[0] - before).max() > 1e-3


def test_another_device_starts_anew(graphs, surrogate):
    ask(surrogate, times=2)
    held = weakref.ref(graphs.pop())
    surrogate.to("cpu")
    gc.collect()
    assert held() is None and not len(surrogate._captures)


def test_kernels_and_precision_have_graphs_of_their_own(graphs, surrogate):
    ask(surrogate, times=2)
    with kernels.use("reference"):
        ask(surrogate, times=2)
    assert len(graphs) == 2
    ask(surrogate, times=2)
    assert len(graphs) == 2


def test_another_mesh_or_gain_has_a_graph_of_its_own(graphs):
    from tests.data.test_normalizer import bumps

    data = bumps(1e-2)
    surrogate = make_surrogate(data)
    x = data.points[0]
    before = [surrogate.predict(x) for _ in range(3)][-1]
    surrogate.mesh = surrogate.mesh + 0.1
    moved = [surrogate.predict(x) for _ in range(3)][-1]
    surrogate.normalizer.gain *= 2
    amplified = [surrogate.predict(x) for _ in range(3)][-1]
    assert len(graphs) == 3
    assert len({float(u.sum()) for u in (before, moved, amplified)}) == 3


def test_inference_mode_leaves_no_trace(graphs, surrogate):
    with torch.inference_mode():
        inside = ask(surrogate, times=3)
    np.testing.assert_array_equal(ask(surrogate), inside)
    assert len(graphs) == 1


def test_a_copy_has_its_own_graphs(graphs, surrogate):
    ask(surrogate, times=2)
    other = copy.deepcopy(surrogate)
    assert not len(other._captures) and len(surrogate._captures) == 1
    with torch.no_grad():
        other.model.head[0].weight.mul_(2)
    assert np.abs(ask(other, times=3) - ask(surrogate)).max() > 1e-3


def test_what_cannot_be_captured_runs_eagerly(monkeypatch, surrogate):
    expected = ask(surrogate)

    def refuse(work, pool):
        raise RuntimeError("operation not permitted when stream is capturing\nmore lines")

    monkeypatch.setattr(cache, "capture_on", lambda device: refuse)
    ask(surrogate)
    with pytest.warns(UserWarning, match=r"predicts eagerly: operation not .* capturing$"):
        found = ask(surrogate)
    np.testing.assert_array_equal(found, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ask(surrogate, times=2)
        ask(surrogate, 21, times=2)


def test_many_cases_in_one_call_are_captured_within_it(graphs, monkeypatch):
    from llt.prediction import batching

    data = darcy_like()
    surrogate = make_surrogate(data)
    monkeypatch.setattr(batching, "POINTS", 2 * 81)
    surrogate.predict(*some_cases(data, 9))
    assert len(graphs) == 1 and graphs[0].replays == 3  # 2 eagerly, 3 x 2 replayed, 1 left over


def test_nothing_is_captured_on_the_cpu(surrogate):
    ask(surrogate, times=3)
    assert not len(surrogate._captures)
