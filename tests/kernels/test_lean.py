"""The CPU's versions against their plain twins: outputs and all gradients, in double precision."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from llt import kernels
from llt.kernels import lean, reference


@pytest.fixture(autouse=True)
def all_is_large(monkeypatch):
    monkeypatch.setattr(lean, "LARGE", 0)


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64).requires_grad_()


def compare(actual: Tensor, expected: Tensor, inputs: list[Tensor]) -> None:
    torch.testing.assert_close(actual, expected)
    up = torch.randn_like(expected)
    for _ in range(2):  # a second time through the same graph
        found = torch.autograd.grad(actual, inputs, up, retain_graph=True)
    wanted = torch.autograd.grad(expected, inputs, up)
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize(("D", "heads"), [(8, 2), (6, 1), (6, 6)])
@pytest.mark.parametrize("masked", [False, True])
def test_attention(D, heads, masked):
    n, weight = random(2, 11, D), random(3 * D, D)
    mask = torch.arange(11).expand(2, -1) < torch.tensor([[11], [7]]) if masked else None
    actual = kernels.attention(n, weight, heads, mask)
    compare(actual, reference.attention(n, weight, heads, mask), [n, weight])


@pytest.mark.parametrize("biased", [False, True])
def test_linear(biased):
    inputs = [random(2, 5, 4), random(6, 4), *([random(6)] if biased else [])]
    compare(kernels.linear(*inputs), F.linear(*inputs), inputs)
    assert kernels.linear(*inputs).is_contiguous()


def test_small_products_stay_products(monkeypatch):
    monkeypatch.setattr(F, "conv2d", None)
    monkeypatch.setattr(lean, "LARGE", 2 * 5 * 4 * 6 + 1)
    x, weight = random(2, 5, 4), random(6, 4)
    torch.testing.assert_close(kernels.linear(x, weight), F.linear(x, weight))


def test_without_the_library_of_convolutions_a_product_stays_one(monkeypatch):
    monkeypatch.setattr("torch.backends.mkldnn.is_available", lambda: False)
    monkeypatch.setattr(F, "conv2d", None)
    x, weight = random(2, 5, 4), random(6, 4)
    torch.testing.assert_close(kernels.linear(x, weight), F.linear(x, weight))


def test_blend():
    inputs = [random(2, 5, 4) for _ in range(3)]
    compare(kernels.blend(*inputs, 0.7), reference.blend(*inputs, 0.7), inputs)


def test_gated():
    inputs = [random(2, 5, 4), random(6, 4)]
    compare(kernels.gated(*inputs), reference.gated(*inputs), inputs)


def test_gradients_need_not_lie_as_values_do():
    """What comes from a convolution is transposed."""
    n, weight = random(2, 9, 8), random(24, 8)
    up = torch.randn(2, 8, 9, dtype=torch.float64).mT
    actual = kernels.attention(n, weight, 2)
    expected = reference.attention(n, weight, 2)
    for a, b in zip(
        torch.autograd.grad(actual, [n, weight], up),
        torch.autograd.grad(expected, [n, weight], up),
        strict=True,
    ):
        torch.testing.assert_close(a, b)


def test_the_cpu_takes_them_and_autocast_does_not(monkeypatch):
    n, weight = random(1, 3, 4).float(), random(12, 4).float()
    monkeypatch.setattr(reference, "attention", lambda *_: "plain")
    assert kernels.attention(n, weight, 2) != "plain"
    with torch.autocast("cpu", torch.bfloat16):
        assert kernels.attention(n, weight, 2) == "plain"
