"""The fused kernels against their plain twins: outputs and all gradients, odd sizes included.

Without a GPU they run in Triton's interpreter.
"""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

pytest.importorskip("triton")

from llt import kernels
from llt.errors import ConfigError, KernelError
from llt.kernels import fused, reference
from llt.kernels.dispatch import use_fused
from llt.kernels.fused.sums import bias_gradient, weight_gradient
from llt.models.llt import LLT
from llt.models.llt_fused import run_blocks
from llt.problem import DARCY, ELASTICITY, PLASTICITY, Problem

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
# on a GPU products of float32 are TF32, and whole models run in fp16; the interpreter is exact
TOLERANCE = 1e-2 if DEVICE.type == "cuda" else 1e-5


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random(*shape: int) -> Tensor:
    return torch.randn(*shape, device=DEVICE).requires_grad_()


def compare(actual: Tensor, expected: Tensor, inputs: list[Tensor]) -> None:
    """Outputs and the gradients of all inputs, for a random gradient of the output."""
    close(actual, expected, "output")
    up = torch.randn_like(expected)
    first = torch.autograd.grad(actual, inputs, up)
    second = torch.autograd.grad(expected, inputs, up)
    for index, (a, b) in enumerate(zip(first, second, strict=True)):
        close(a, b, f"gradient {index}")


def close(actual: Tensor, expected: Tensor, what: str) -> None:
    assert actual.shape == expected.shape, what
    error = (actual - expected).norm() / expected.norm()
    assert error < TOLERANCE, f"{what}: relative error {error:.2g}"


@pytest.mark.parametrize(("N", "D", "heads"), [(64, 32, 4), (70, 16, 1), (7, 64, 4), (130, 32, 2)])
@pytest.mark.parametrize("timed", [False, True])
def test_project(N, D, heads, timed):
    h, gain, film = random(2, N, D), random(D), random(2, 2 * D) if timed else None
    qkv, gate, bias = random(3 * D, D), random(D, D), random(D)
    mask = torch.rand(2, N, device=DEVICE) > 0.3
    words = (h, gain, film, mask, qkv, gate, bias, heads, 1e-6)

    def read(out: Tensor, n: Tensor, proj: Tensor, state: Tensor) -> Tensor:
        """What the rest of a block reads; k and v it reads through the state alone."""
        q, _, _, g = proj.chunk(4, -1)
        return torch.cat([z.flatten() for z in (out, n, q, g, state)])

    inputs = [h, gain, qkv, gate, bias, *([film] if timed else [])]
    actual = fused.Project.apply(*words, qkv.detach(), gate.detach())
    compare(read(*actual), read(*reference.project(*words)), inputs)


@pytest.mark.parametrize(("N", "D", "heads"), [(64, 32, 4), (70, 16, 1), (7, 64, 4)])
def test_mix(N, D, heads):
    h, q, g, near = (random(2, N, D) for _ in range(4))
    filler = torch.zeros(2, N, 2 * D, device=DEVICE)
    proj = torch.cat((q, filler, g), -1)  # its k and v columns are the projection's affair
    state = torch.rand(2, D // heads + 1, D, device=DEVICE).add(0.1).requires_grad_()
    weight, bias = random(D, D), random(D)
    words = (h, proj, state, near, weight, bias, 0.7, 1e-6)
    inputs = [h, q, g, state, near, weight, bias]
    compare(fused.Mix.apply(*words, weight.detach()), reference.mix(*words), inputs)


@pytest.mark.parametrize("biased", [False, True])
def test_linear(biased):
    n, weight, bias = random(2, 70, 16), random(48, 16), random(48) if biased else None
    inputs = [n, weight, *([bias] if biased else [])]
    compare(fused.Linear.apply(n, weight, bias, weight.detach()), F.linear(n, weight, bias), inputs)


@pytest.mark.parametrize(("N", "D"), [(64, 32), (70, 16), (7, 64)])
def test_feedforward(N, D):
    hidden = D * 2 // 3
    inputs = [random(2, N, D), random(D), random(2 * hidden, D), random(D, hidden)]
    narrow = [z.detach() for z in inputs[2:]]
    actual = fused.FeedForward.apply(*inputs, 1e-6, *narrow)
    compare(actual, reference.feed_forward(*inputs, 1e-6), inputs)


@pytest.mark.parametrize("grid", [(9, 11), (3, 40), (1, 5), (3, 4, 5)])
@pytest.mark.parametrize("kernel", [1, 3, 5])
def test_depthwise(grid, kernel):
    D = 16
    n = random(2, math.prod(grid), D)
    weight, bias = random(D, 1, *(kernel,) * len(grid)), random(D)
    actual = fused.DepthwiseConv.apply(n, weight, bias, grid)
    expected = reference.depthwise_conv(n, weight, bias, grid)
    compare(actual, expected, [n, weight, bias])


@pytest.mark.parametrize(("N", "K", "heads"), [(16, 3, 2), (37, 5, 4), (5, 1, 1)])
def test_neighbor_attention(N, K, heads):
    D = 16
    qkv = random(2, N, 3 * D)
    neighbors = torch.randint(-1, N, (2, N, K), device=DEVICE)
    neighbors[0, 0] = -1  # a point without any
    q, k, v = (z.unflatten(-1, (heads, -1)) for z in qkv.chunk(3, -1))
    expected = reference.neighbor_attention(q, k, v, neighbors).flatten(2)
    reverse = fused.reverse_lists(neighbors)
    actual = fused.NeighborAttention.apply(qkv, neighbors, *reverse, heads)
    compare(actual, expected, [qkv])


def test_reverse_lists_say_who_has_me_as_a_neighbor():
    neighbors = torch.randint(-1, 9, (2, 9, 4))
    starts, sources = fused.reverse_lists(neighbors)
    for b in range(2):
        for i in range(9):
            row = 9 * b + i
            who = sorted(9 * b + j for j in range(9) for near in neighbors[b, j] if near == i)
            assert sorted(sources[starts[row] : starts[row + 1]].tolist()) == who


def test_sums_over_points_are_float32():
    a, b = (torch.randn(2, 70, width, device=DEVICE) for width in (48, 16))
    expected = torch.einsum("bni,bnj->ij", a[..., 16:], b)
    close(weight_gradient(a[..., 16:], b), expected, "weights")
    close(bias_gradient(a[..., 16:]), a[..., 16:].sum((0, 1)), "biases")
    many = torch.ones(1, 70_000, 16, device=DEVICE, dtype=torch.float16)  # beyond fp16's range
    assert weight_gradient(many, many).dtype == torch.float32
    assert (weight_gradient(many, many) == 70_000).all() and (bias_gradient(many) == 70_000).all()


@pytest.mark.parametrize("decoupled", [False, True])
@pytest.mark.parametrize("finite", [None, True, False])
def test_adam(decoupled, finite):
    state = [torch.rand(1500, device=DEVICE) for _ in range(3)]
    gradient = torch.randn(1500, device=DEVICE)
    row = torch.tensor([0.9, 0.1, 1e-2, 0.3, 0.99], device=DEVICE)
    flag = None if finite is None else torch.tensor(finite, device=DEVICE)
    results = []
    for name in ("reference", "fused"):
        tensors = [z.clone() for z in state]
        with kernels.use(name):
            kernels.adam_update(
                *tensors, gradient, row, torch.tensor(0.5, device=DEVICE), flag,
                beta2=0.999, eps=1e-8, weight_decay=0.1, decoupled=decoupled,
            )  # fmt: skip
        results.append(tensors)
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)
    changed = not torch.equal(results[0][0], state[0])
    assert changed == (finite is not False)


CASES = {
    "grid": (replace(DARCY, grid=(9, 11)), {}),
    "wide kernel": (replace(DARCY, grid=(9, 11)), {"kernel": 5}),
    "timed": (replace(PLASTICITY, grid=(7, 9)), {"conv_branch": False}),
    "box": (Problem(name="box", space_dim=3, inputs=("a",), outputs=("u",), grid=(3, 4, 5)), {}),
    "points": (ELASTICITY, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_model(case):
    """All of LLT: fused and plain blocks give the same output and gradients."""
    problem, settings = CASES[case]
    network = LLT(problem, dim=32, num_layers=2, heads=4, **settings).to(DEVICE)
    for parameter in network.parameters():  # away from the zeros that some start with
        parameter.data += 0.05 * torch.randn_like(parameter)
    N = problem.num_points or 83
    x = torch.rand(2, N, problem.space_dim, device=DEVICE)
    a = torch.randn(2, N, problem.in_channels, device=DEVICE)
    words: dict[str, Tensor] = {"t": torch.rand(2, device=DEVICE)} if problem.timed else {}
    if problem.grid is None:
        words["neighbors"] = torch.randint(-1, N - 7, (2, N, 5), device=DEVICE)
        words["mask"] = torch.arange(N, device=DEVICE).expand(2, -1) < N - 7
    outputs = []
    for name in ("fused", "reference"):
        half = torch.autocast(DEVICE.type, torch.float16, enabled=DEVICE.type == "cuda")
        with kernels.use(name), half:
            assert use_fused(torch.empty(1, 1, 32, device=DEVICE), 4) == (name == "fused")
            outputs.append(network(x, a, **words))
    compare(*outputs, list(network.parameters()))


def test_half_precision_stays_close():
    """Products in fp16, sums and residual stream in float32."""
    network = LLT(replace(DARCY, grid=(9, 11)), dim=32, num_layers=2, heads=4).to(DEVICE)
    x, a = torch.rand(2, 99, 2, device=DEVICE), torch.randn(2, 99, 1, device=DEVICE)
    exact = network(x, a)
    with kernels.use("fused"), torch.autocast(DEVICE.type, torch.float16):
        rough = network(x, a)
        h = run_blocks(network.blocks, random(2, 99, 32).half(), None, (9, 11), None, None)
    assert 0 < (rough - exact).norm() / exact.norm() < 0.01
    assert h.dtype == torch.float32


def test_what_does_not_fit_is_left_to_the_plain_kernels():
    with kernels.use("fused"):
        assert not use_fused(torch.empty(1, 1, 48), 4)  # not a power of two
        assert not use_fused(torch.empty(1, 1, 256), 8)  # too wide
    assert not use_fused(torch.empty(1, 1, 32), 4)  # not asked for
    with pytest.raises(ConfigError, match="reference"), kernels.use("refrence"):
        pass


def test_the_cpu_needs_the_interpreter_and_all_need_triton(monkeypatch):
    h = torch.empty(1, 1, 32)
    with kernels.use("fused"):
        monkeypatch.delenv("TRITON_INTERPRET", raising=False)
        assert not use_fused(h, 4)
        monkeypatch.setattr("llt.kernels.dispatch.HAVE_TRITON", False)
        with pytest.raises(KernelError, match="pip install triton"):
            use_fused(h, 4)


def test_environment_chooses(monkeypatch):
    monkeypatch.setenv("LLT_KERNELS", "fused")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert use_fused(torch.empty(1, 1, 32), 4)
    monkeypatch.setenv("LLT_KERNELS", "turbo")
    with pytest.raises(ConfigError, match="turbo"):
        use_fused(torch.empty(1, 1, 32), 4)


@pytest.mark.filterwarnings("default")  # the compiler's own
def test_a_compiler_takes_the_rest():
    """Plain blocks compile as one graph; fused ones run between two compiled parts."""
    network = LLT(replace(DARCY, grid=(9, 11)), dim=32, num_layers=1, heads=4).to(DEVICE)
    x, a = torch.rand(1, 99, 2, device=DEVICE), torch.randn(1, 99, 1, device=DEVICE)
    expected = network(x, a)
    close(torch.compile(network, backend="eager", fullgraph=True)(x, a), expected, "plain")
    torch.compiler.reset()
    with kernels.use("fused"):
        close(torch.compile(network, backend="eager")(x, a), expected, "fused")
    torch.compiler.reset()
