"""Points are moved to where their neighbors are, and nobody outside sees it."""

from dataclasses import replace

import pytest
import torch

from llt import kernels
from llt.data.neighbors import radius_graph
from llt.models import build_model
from llt.models.llt import definition
from llt.models.llt import order as order_module
from llt.models.llt.order import Order, morton_order, spatial_order
from llt.problem import CAR, DARCY

SIZES = {"dim": 16, "num_layers": 2, "heads": 4, "reference_points": 3}


def points(*shape):
    return torch.rand(*shape, 3, generator=torch.Generator().manual_seed(0))


def graphs(x):
    return torch.stack([torch.from_numpy(radius_graph(z.numpy(), 0.4, 8)) for z in x])


@pytest.mark.parametrize("ordered", [spatial_order, morton_order])
def test_an_order_has_every_point_once_and_neighbors_near_each_other(ordered):
    x = points(30_000)
    order = ordered(x)
    assert sorted(order.tolist()) == [*range(30_000)]
    steps = x[order].diff(dim=0).norm(dim=1)
    assert steps.median() < 0.3 * x.diff(dim=0).norm(dim=1).median()


@pytest.mark.parametrize("ordered", [spatial_order, morton_order])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_points_may_have_any_precision_and_want_gradients(ordered, dtype):
    x = points(3_000).to(dtype).requires_grad_()
    assert sorted(ordered(x).tolist()) == [*range(3_000)]


@pytest.fixture
def moved(monkeypatch):
    """A KD-tree leaves as few points as tests have where they are; this one does not."""
    monkeypatch.setattr(order_module, "spatial_order", morton_order)


@pytest.mark.usefixtures("moved")
def test_lists_name_the_same_points_inside():
    x = points(2, 60)
    neighbors, order = graphs(x), Order.of(x)
    inside = order.renumbered(neighbors)
    assert inside.dtype == neighbors.dtype
    for sample in range(2):
        rows = order.rows[sample]
        for place, row in enumerate(rows):
            there = inside[sample, place]
            assert torch.equal(there < 0, neighbors[sample, row] < 0)
            assert torch.equal(rows[there[there >= 0]], neighbors[sample, row][there >= 0].long())
    torch.testing.assert_close(order.outside(order.inside(x)), x)


@pytest.mark.usefixtures("moved")
def test_outputs_and_gradients_are_those_of_the_points_as_they_came(monkeypatch):
    torch.manual_seed(0)
    model = build_model("llt", CAR, **SIZES).double()
    x, a = points(2, 60).double(), torch.randn(2, 60, 4, dtype=torch.double)
    neighbors, mask = graphs(x), torch.arange(60).expand(2, 60) < torch.tensor([[60], [41]])
    neighbors = torch.where(neighbors < mask.sum(1)[:, None, None], neighbors, -1)
    weights, used = [*model.parameters()], []
    monkeypatch.setattr(Order, "of", lambda x, of=Order.of: used.append(len(x)) or of(x))

    def answers(worth):
        monkeypatch.setattr(definition, "WORTH", worth)
        given = x.clone().requires_grad_(), a.clone().requires_grad_()
        u = model(*given, neighbors=neighbors, mask=mask)
        gradients = torch.autograd.grad(u.square().sum(), [*given, *weights])
        return u, *gradients

    as_they_came, moved = answers(61), answers(60)
    assert used == [2]
    torch.testing.assert_close(moved, as_they_came, rtol=1e-9, atol=1e-12)


def test_plain_kernels_leave_points_where_they_are(monkeypatch):
    monkeypatch.setattr(definition, "WORTH", 1)
    monkeypatch.setattr(Order, "of", None)
    model, x = build_model("llt", CAR, **SIZES), points(1, 20)
    with kernels.use("reference"):
        model(x, torch.zeros(1, 20, 4), neighbors=graphs(x))


def test_points_of_a_grid_stay_where_they_are(monkeypatch):
    """Also where neighbors are given, which a grid does not need."""
    monkeypatch.setattr(definition, "WORTH", 1)
    model = build_model("llt", replace(DARCY, grid=(4, 5)), **SIZES)
    x, a = torch.rand(1, 20, 2), torch.rand(1, 20, 1)
    neighbors = torch.zeros(1, 20, 3, dtype=torch.int32)
    torch.testing.assert_close(model(x, a, neighbors=neighbors), model(x, a))
