"""A compiler takes every model whole: what it has to leave to Python costs speed, or the graph."""

import pytest
import torch

from llt.models import MODELS
from llt.nn.spectral import SpectralConv
from tests.models.test_contract import build, make_inputs

FOURIER = ("ffno", "geofno", "lsm")  # these have transforms of their own on points
KINDS = [
    *((name, "grid-2d") for name in MODELS),
    *((name, "points-2d") for name in ("llt", *FOURIER)),
]


@pytest.mark.parametrize(("name", "case"), KINDS)
def test_a_model_is_one_graph(name, case):
    model = build(name, case).eval()
    inputs = make_inputs(model)
    torch.compiler.reset()
    compiled = torch.compile(model, fullgraph=True, dynamic=False, backend="eager")
    with torch.no_grad():
        torch.testing.assert_close(compiled(**inputs), model(**inputs))


@pytest.mark.parametrize("place", [0, 1])
def test_spectral_weights_may_begin_at_any_place_of_a_vector(place):
    """All weights of a model are parts of one; a compiler sees the vector that they are in."""
    layer = SpectralConv(2, 3, modes=2, space_dim=2)
    shape, h = layer.weight.shape, torch.randn(1, 2, 6, 7)
    expected = layer(h)
    vector = torch.cat([torch.zeros(place), layer.weight.detach().flatten()])
    layer.weight.data = vector[place:].view(shape)
    torch.compiler.reset()
    compiled = torch.compile(layer, fullgraph=True, dynamic=False, backend="aot_eager")
    for found in (layer(h), compiled(h)):
        torch.testing.assert_close(found, expected)
        (gradient,) = torch.autograd.grad(found.square().sum(), layer.weight)
        torch.testing.assert_close(
            gradient,
            torch.autograd.grad(expected.square().sum(), layer.weight, retain_graph=True)[0],
        )
