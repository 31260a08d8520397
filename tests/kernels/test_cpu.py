"""The CPU's versions against their plain twins: outputs and all gradients, in double precision."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from llt import kernels
from llt.errors import KernelError
from llt.kernels.attention import cpu as attention_cpu
from llt.kernels.attention import plain as attention_plain
from llt.kernels.feedforward import plain as feedforward_plain
from llt.kernels.linear import cpu as linear_cpu
from llt.kernels.neighbors import cpu as neighbors_cpu
from llt.kernels.neighbors import plain as neighbors_plain
from llt.kernels.norm import plain as norm_plain

PLAIN = {
    "blend": attention_plain.blend,
    "gated": feedforward_plain.gated,
    "rms_norm": norm_plain.rms_norm,
}


def attention(n, weight, heads, mask=None, ops=kernels):
    q, k, v = F.linear(n, weight).chunk(3, dim=-1)
    return ops.attend(q, ops.attention_state(k, v, heads, mask))


has_convolutions = linear_cpu.has_convolutions


@pytest.fixture(autouse=True)
def all_is_large(monkeypatch):
    """And in double precision."""
    for module in (linear_cpu, attention_cpu):
        monkeypatch.setattr(module, "LARGE", 0)
        monkeypatch.setattr(module, "has_convolutions", lambda x: has_convolutions(x.float()))


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
@pytest.mark.parametrize("large", [False, True])
def test_attention(D, heads, masked, large, monkeypatch):
    if not large:
        monkeypatch.setattr(attention_cpu, "LARGE", 2 * 11 * D)
        monkeypatch.setattr(attention_cpu, "convolved", None)
    n, weight = random(2, 11, D), random(3 * D, D)
    mask = torch.arange(11).expand(2, -1) < torch.tensor([[11], [7]]) if masked else None
    actual = attention(n, weight, heads, mask)
    compare(actual, attention(n, weight, heads, mask, attention_plain), [n, weight])


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("points", [(5,), (3, 5), (3, 2, 5)], ids=str)
def test_linear(points, biased):
    inputs = [random(2, *points, 4), random(6, 4), *([random(6)] if biased else [])]
    compare(kernels.linear(*inputs), F.linear(*inputs), inputs)
    assert kernels.linear(*inputs).is_contiguous()


def test_small_products_stay_products(monkeypatch):
    monkeypatch.setattr(F, "conv2d", None)
    monkeypatch.setattr(linear_cpu, "LARGE", 2 * 5 * 4 * 6 + 1)
    x, weight = random(2, 5, 4), random(6, 4)
    torch.testing.assert_close(kernels.linear(x, weight), F.linear(x, weight))


def test_without_the_library_of_convolutions_a_product_stays_one(monkeypatch):
    monkeypatch.setattr("torch.backends.mkldnn.is_available", lambda: False)
    monkeypatch.setattr(F, "conv2d", None)
    x, weight = random(2, 5, 4), random(6, 4)
    torch.testing.assert_close(kernels.linear(x, weight), F.linear(x, weight))
    attention(x, random(12, 4), 2)


@pytest.mark.parametrize("B", [1, 3])
def test_heads_as_groups_of_channels(B):
    x, matrices = random(B, 11, 6).detach(), random(B, 3, 2, 2).detach()
    found = attention_cpu._apply(x, matrices)
    expected = torch.einsum("bnhc,bhcd->bnhd", x.unflatten(-1, (3, 2)), matrices).flatten(2)
    torch.testing.assert_close(found, expected)
    assert found.is_contiguous()


def test_a_single_sample_is_not_copied(monkeypatch):
    kept = []
    real = linear_cpu.convolved
    monkeypatch.setattr(
        attention_cpu, "convolved", lambda *z, **named: kept.append(real(*z, **named)) or kept[0]
    )
    found = attention_cpu._apply(random(1, 11, 6).detach(), random(1, 3, 2, 2).detach())
    assert found.data_ptr() == kept[0].data_ptr()


def test_a_product_in_double_precision_stays_one(monkeypatch):
    """The library has no doubles: torch would take something slower than products."""
    for module in (linear_cpu, attention_cpu):
        monkeypatch.setattr(module, "has_convolutions", has_convolutions)
        monkeypatch.setattr(module, "convolved", None)
    x, weight = random(2, 5, 4), random(6, 4)
    torch.testing.assert_close(kernels.linear(x, weight), F.linear(x, weight))
    attention(x, random(12, 4), 2)


def test_a_batch_may_be_empty(monkeypatch):
    monkeypatch.setattr(attention_cpu, "LARGE", 1)
    assert attention(torch.empty(0, 5, 4), torch.empty(12, 4), 2).shape == (0, 5, 4)


def test_one_thread_takes_the_library_too(monkeypatch):
    """Left to itself, torch takes it for a kernel of one pixel only with several threads."""
    if not has_convolutions(torch.empty(0)):
        pytest.skip("torch was built without it")
    x, weight = (z.float().detach().requires_grad_() for z in (random(2, 5, 4), random(12, 4)))
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        with torch.profiler.profile() as found:
            kernels.linear(x, weight).sum().backward()
            attention(x, weight, 2).sum().backward()
    finally:
        torch.set_num_threads(threads)
    names = {event.name for event in found.events()}
    assert "aten::mkldnn_convolution" in names and not any("slow_conv" in name for name in names)


@pytest.mark.parametrize(("M", "heads", "C"), [(11, 2, 3), (7, 1, 8), (11, 4, 1)])
def test_neighbor_attention(M, heads, C):
    q, k, v = random(2, M, heads, C), random(2, 11, heads, C), random(2, 11, heads, C)
    neighbors = torch.randint(-1, 11, (2, M, 5), dtype=torch.int32)
    neighbors[0, 0] = -1  # a point without any
    actual = kernels.neighbor_attention(q, k, v, neighbors)
    compare(actual, neighbors_plain.neighbor_attention(q, k, v, neighbors), [q, k, v])


def test_neighbor_attention_does_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(neighbors_cpu, "ROWS", 3)
    qkv = [random(2, 11, 2, 3).float() for _ in range(3)]
    neighbors, up = torch.randint(-1, 11, (2, 11, 5)), torch.randn(2, 11, 2, 3)

    def found(threads):
        monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
        out = kernels.neighbor_attention(*qkv, neighbors)
        return [out, *torch.autograd.grad(out, qkv, up)]

    assert all(torch.equal(a, b) for a, b in zip(found(1), found(4), strict=True))


def test_blend():
    inputs = [random(2, 5, 4) for _ in range(3)]
    compare(kernels.blend(*inputs, 0.7), attention_plain.blend(*inputs, 0.7), inputs)


def test_gated():
    inputs = [random(2, 5, 4), random(6, 4)]
    compare(kernels.gated(*inputs), feedforward_plain.gated(*inputs), inputs)


def test_gradients_need_not_lie_as_values_do():
    """What comes from a convolution is transposed."""
    n, weight = random(2, 9, 8), random(24, 8)
    up = torch.randn(2, 8, 9, dtype=torch.float64).mT
    actual = attention(n, weight, 2)
    expected = attention(n, weight, 2, ops=attention_plain)
    for a, b in zip(
        torch.autograd.grad(actual, [n, weight], up),
        torch.autograd.grad(expected, [n, weight], up),
        strict=True,
    ):
        torch.testing.assert_close(a, b)


def test_rms_norm():
    inputs = [random(2, 5, 4), random(4)]
    compare(kernels.rms_norm(*inputs, 1e-6), norm_plain.rms_norm(*inputs, 1e-6), inputs)


@pytest.fixture
def plain_is_marked(monkeypatch):
    monkeypatch.setattr(attention_plain, "blend", lambda *_: "plain")


def test_autocast_takes_the_plain_ones(plain_is_marked):
    inputs = [torch.randn(1, 3, 4) for _ in range(3)]
    assert kernels.blend(*inputs, 0.7) != "plain"
    with torch.autocast("cpu", torch.bfloat16):
        assert kernels.blend(*inputs, 0.7) == "plain"


def test_reference_means_plain_kernels_on_the_cpu_too(plain_is_marked, monkeypatch):
    inputs = [torch.randn(1, 3, 4) for _ in range(3)]
    with kernels.use("reference"):
        assert kernels.blend(*inputs, 0.7) == "plain"
    monkeypatch.setenv("LLT_KERNELS", "reference")
    assert kernels.blend(*inputs, 0.7) == "plain"


SECOND = {
    "attend": lambda x: kernels.attend(
        x, kernels.State(torch.ones(1, 2, 2, 2), torch.ones(1, 2, 2))
    ),
    "state": lambda x: kernels.attention_state(x, x, 2).kv,
    "blend": lambda x: kernels.blend(x, x, x, 0.7),
    "rms_norm": lambda x: kernels.rms_norm(x, torch.ones(4), 1e-6),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_are_refused_instead_of_wrong(name):
    x = torch.randn(1, 3, 4, requires_grad=True)
    with pytest.raises(KernelError, match=r"first derivatives only.*LLT_KERNELS=reference"):
        torch.autograd.grad(SECOND[name](x).sum(), x, create_graph=True)
    torch.autograd.grad(SECOND[name](x).sum(), x)
