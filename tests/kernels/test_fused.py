"""The fused kernels against their plain twins: outputs and all gradients, odd sizes included.

Without a GPU they run in Triton's interpreter.
"""

import math
import weakref
from dataclasses import replace

import pytest
import torch
from torch import Tensor

pytest.importorskip("triton")

from llt import kernels
from llt.bench.case import Case
from llt.bench.cost import Protocol, build_step
from llt.errors import KernelError
from llt.kernels.attention import plain
from llt.kernels.attention.triton_mix import mix, mix_gradient
from llt.kernels.attention.triton_project import project, state_gradient
from llt.kernels.depthwise.plain import depthwise_conv as plain_depthwise_conv
from llt.kernels.depthwise.triton import (
    depthwise_conv,
    depthwise_gradient,
)
from llt.kernels.feedforward.plain import feed_forward as plain_feed_forward
from llt.kernels.feedforward.triton import _part, feed_forward, feed_forward_gradient
from llt.kernels.limits import H200, KILOBYTE, assume
from llt.kernels.neighbors.plain import neighbor_attention as plain_neighbor_attention
from llt.kernels.neighbors.triton import neighbor_attention, neighbor_gradient, reverse_lists
from llt.kernels.norm.triton import added_norms, norm_partials
from llt.kernels.triton_tiles import reduce_partials
from llt.kernels.weight_gradients.plain import weight_gradient
from llt.kernels.weight_gradients.triton import (
    Product,
    split_weights,
    weight_gradients,
    weight_partials,
)
from llt.models.llt import LLT
from llt.models.llt.block import Neighborhood
from llt.models.llt.fused import blocks, run_blocks
from llt.models.llt.fused.model import _weights, narrow
from llt.problem import CAR, DARCY, ELASTICITY, PLASTICITY, Problem
from llt.training.optimizer import FlatParameters
from tests.kernels.compared import DEVICE, close, compare, half, random


def features(N: int, D: int) -> tuple[Tensor, Tensor]:
    """Raw q, k, v, gate as a leaf, and what `project` makes of them."""
    raw = random(2, N, 4 * D)
    q, k, v, g = raw.chunk(4, -1)
    proj = torch.cat((plain.phi(q), plain.phi(k), v, g.sigmoid()), -1)
    return raw, proj


SIZES = pytest.mark.parametrize(
    ("N", "D", "heads"), [(64, 32, 4), (70, 16, 1), (7, 64, 2), (130, 32, 2)]
)


@SIZES
@pytest.mark.parametrize("timed", [False, True])
def test_project(N, D, heads, timed, programs):
    film = random(2, 2 * D) if timed else None
    mask = torch.rand(2, N, device=DEVICE) > 0.3
    matrices = random(3 * D, D), random(D, D), random(D)
    words = (random(2, N, D), random(D), film, mask, *matrices, heads, 1e-6)
    names = "n", "proj", "state"
    n, proj, parts = project(*words)
    expected = plain.project(*words)
    for name, a, b in zip(names, (n, proj, reduce_partials(parts)), expected, strict=True):
        close(a, b, name)


@SIZES
def test_gradient_of_the_state(N, D, heads, programs):
    raw, proj = features(N, D)
    _, k, v, _ = raw.chunk(4, -1)
    state = plain.compact(plain.attention_state(k, v, heads)) / N
    up = torch.randn_like(state)
    (expected,) = torch.autograd.grad(state, raw, up)
    actual = torch.zeros_like(proj)
    state_gradient(proj.detach(), actual, up)
    close(actual, expected, "dk and dv")


@SIZES
def test_mix(N, D, heads, programs):
    h, near, weight, bias = random(2, N, D), random(2, N, D), random(D, D), random(D)
    raw, proj = features(N, D)
    state = torch.rand(2, D // heads + 1, D, device=DEVICE).add(0.1).requires_grad_()
    words = (h, proj, state, near, weight, bias, 0.7, 1e-6)
    close(mix(*words), plain.mix(*words), "output")
    middle = plain.mixed(proj, state, near, 0.7, 1e-6)
    up = torch.randn_like(middle)
    expected = torch.autograd.grad(middle, [raw, state, near], up)
    dproj, parts, dnear, actual = mix_gradient(up, proj.detach(), state, near, 0.7, 1e-6)
    close(actual, middle, "what is projected")
    for columns in (slice(0, D), slice(3 * D, None)):  # k and v are the projection's affair
        close(dproj[..., columns], expected[0][..., columns], "q and gate")
    close(reduce_partials(parts), expected[1], "state")
    close(dnear, expected[2], "near")


@pytest.mark.parametrize(("N", "D"), [(600, 32), (70, 16), (7, 64)])
def test_feed_forward(N, D, programs):
    _compare_feed_forward(N, D, D * 2 // 3)


@pytest.mark.parametrize("hidden", [20, 32, 42, 64])
def test_feed_forward_in_parts(hidden):
    """Where shared memory has no room for whole matrices."""
    with assume(H200._replace(shared=40 * KILOBYTE, processors=1)):
        assert _part(64) == 32
        _compare_feed_forward(150, 64, hidden)


def _compare_feed_forward(N: int, D: int, hidden: int) -> None:
    h, gain = random(2, N, D), random(D)
    inputs = [h, gain, random(2 * hidden, D), random(D, hidden)]
    expected = plain_feed_forward(*inputs, 1e-6)
    close(feed_forward(*inputs, 1e-6), expected, "output")
    up = torch.randn(expected.shape, device=DEVICE)
    dh, dgain, dgate_up, ddown = torch.autograd.grad(expected, inputs, up)
    partials = norm_partials(h, 1, timed=False)
    found, middle, left = feed_forward_gradient(*inputs, 1e-6, up, partials[0])
    close(found, dh, "h")
    close(added_norms(partials)[0][0], dgain, "gain")
    products = [Product(up, middle), *(Product(part, h) for part in left.chunk(2, -1))]
    parts = weight_partials(h, 3)
    weight_gradients(products, h.dtype, parts, gain=gain.detach(), scaled=2)
    square, _ = split_weights(reduce_partials(parts[None]), D)
    close(square[0, 0, :, :hidden], ddown, "down")
    close(square[0, 1:, :hidden].flatten(0, 1), dgate_up, "gate and up")


@pytest.mark.parametrize(
    ("grid", "kernel"),
    [((9, 11), 3), ((3, 20), 3), ((1, 5), 3), ((4, 6), 5), ((4, 6), 1), ((3, 2, 5), 3)],
)
def test_depthwise(grid, kernel, programs):
    D = 16
    n = random(2, math.prod(grid), D)
    weight, bias = random(D, 1, *(kernel,) * len(grid)), random(D)
    taps = weight.detach().flatten(1).T.contiguous()
    expected = plain_depthwise_conv(n, weight, bias, grid)
    close(depthwise_conv(n, taps, bias, grid), expected, "output")
    up = torch.randn(expected.shape, device=DEVICE)
    dn, dweight, dbias = torch.autograd.grad(expected, [n, weight, bias], up)
    found, parts = depthwise_gradient(n, taps, up, grid)
    close(found, dn, "n")
    sums = reduce_partials(parts[None])[0]
    close(sums[0], dbias, "bias")
    close(sums[1:].T, dweight.flatten(1), "weight")


@pytest.mark.parametrize(("N", "K", "heads"), [(16, 3, 2), (37, 5, 4), (5, 1, 1)])
def test_neighbor_attention(N, K, heads):
    D = 16
    qkv = random(2, N, 3 * D)
    neighbors = torch.randint(-1, N, (2, N, K), device=DEVICE)
    neighbors[0, 0] = -1  # a point without any
    q, k, v = (z.unflatten(-1, (heads, -1)) for z in qkv.chunk(3, -1))
    expected = plain_neighbor_attention(q, k, v, neighbors).flatten(2)
    actual, lse = neighbor_attention(qkv.detach(), neighbors, heads)
    close(actual, expected, "output")
    up = torch.randn(expected.shape, device=DEVICE)
    (gradient,) = torch.autograd.grad(expected, qkv, up)
    lists = (neighbors, *reverse_lists(neighbors))
    close(neighbor_gradient(qkv.detach(), *lists, actual, lse, up), gradient, "gradient")


def test_reverse_lists_say_who_has_me_as_a_neighbor():
    neighbors = torch.randint(-1, 9, (2, 9, 4))
    starts, sources = reverse_lists(neighbors)
    for b in range(2):
        for i in range(9):
            row = 9 * b + i
            who = sorted(9 * b + j for j in range(9) for near in neighbors[b, j] if near == i)
            assert sorted(sources[starts[row] : starts[row + 1]].tolist()) == who


@pytest.mark.parametrize("N", [1, 70, 700])
def test_weight_gradients(N, programs):
    """Columns of wider tensors, biases, and scaled columns; more slices than points."""
    D = 32
    wide, narrow, gain = random(2, N, 4 * D).detach(), random(2, N, D).detach(), random(D).detach()
    products = [Product(left, narrow) for left in wide.chunk(4, -1)]
    products.append(Product(narrow, wide[..., D : 2 * D]))
    parts = weight_partials(narrow, 5)
    weight_gradients(products, torch.float32, parts, gain=gain, scaled=2)
    square, rows = split_weights(reduce_partials(parts[None]), D)
    for index, (left, right) in enumerate(products):
        weight, bias = weight_gradient(left, right)
        close(square[0, index], weight * (gain if index >= 3 else 1), f"weight {index}")
        close(rows[0, index], bias, f"bias {index}")


def test_sums_over_points_are_float32():
    many = torch.ones(1, 70_000, 16, device=DEVICE, dtype=torch.float16)  # beyond fp16's range
    parts = weight_partials(many, 1)
    weight_gradients([Product(many, many)], torch.float16, parts)
    square, rows = split_weights(reduce_partials(parts[None]), 16)
    assert (square == 70_000).all() and (rows == 70_000).all()


@pytest.mark.parametrize("shape", [(3, 5, 7), (1, 300, 2, 9), (2, 1, 5000)])
def test_partial_sums(shape):
    partials = torch.randn(*shape, device=DEVICE)
    close(reduce_partials(partials), partials.sum(1), "sum")


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
    "wide kernel": (replace(DARCY, grid=(4, 5)), {"kernel": 5}),
    "timed": (replace(PLASTICITY, grid=(7, 9)), {"conv_branch": False}),
    "box": (Problem(name="box", space_dim=3, inputs=("a",), outputs=("u",), grid=(2, 3, 4)), {}),
    "spacing": (replace(DARCY, grid=(5, 6)), {"spacing": True}),
    "points": (ELASTICITY, {}),
    "points in space": (CAR, {}),
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
        with kernels.use(name), half():
            assert network.plan_for(x).fused == (name == "fused")
            outputs.append(network(x, a, **words))
    compare(*outputs, list(network.parameters()))


def test_half_precision_stays_close():
    """Products and stream in fp16, sums in float32."""
    network = LLT(replace(DARCY, grid=(9, 11)), dim=32, num_layers=2, heads=4).to(DEVICE)
    x, a = torch.rand(2, 99, 2, device=DEVICE), torch.randn(2, 99, 1, device=DEVICE)
    exact = network(x, a)
    with kernels.use("fused"), torch.autocast(DEVICE.type, torch.float16):
        rough = network(x, a)
        h = run_blocks(
            network.about, network.blocks, random(2, 99, 32).half(), Neighborhood((9, 11))
        )
    assert 0 < (rough - exact).norm() / exact.norm() < 0.01
    assert h.dtype == torch.float16


def test_the_stream_has_more_bits_than_bf16():
    network = LLT(replace(DARCY, grid=(3, 4)), dim=16, num_layers=1, heads=2).to(DEVICE)
    h = random(1, 12, 16)
    with kernels.use("fused"), torch.autocast(DEVICE.type, torch.bfloat16):
        rough = run_blocks(network.about, network.blocks, h, Neighborhood((3, 4)))
    assert rough.dtype == torch.float32
    if DEVICE.type == "cuda":  # the interpreter takes bf16 for whole numbers
        exact = network.blocks[0](h, Neighborhood((3, 4)))
        assert 0 < (rough - exact).norm() / exact.norm() < 0.03


def test_prediction_keeps_nothing_of_the_blocks_behind_it(monkeypatch):
    run, behind = blocks.block_forward, []

    def watched(*words):
        assert all(one() is None for one in behind)
        out, kept = run(*words)
        behind.append(weakref.ref(kept.proj))
        return out, kept

    monkeypatch.setattr(blocks, "block_forward", watched)
    network = LLT(replace(DARCY, grid=(3, 4)), dim=16, num_layers=3, heads=2).to(DEVICE)
    with torch.no_grad(), torch.autocast(DEVICE.type, torch.float16):
        run_blocks(network.about, network.blocks, random(1, 12, 16), Neighborhood((3, 4)))
    assert len(behind) == 3


def test_second_derivatives_are_refused_instead_of_wrong():
    network = LLT(replace(DARCY, grid=(3, 4)), dim=16, num_layers=1, heads=2).to(DEVICE)
    x, a = torch.rand(1, 12, 2, device=DEVICE), torch.randn(1, 12, 1, device=DEVICE)
    with kernels.use("fused"), half(), pytest.raises(KernelError, match="first derivatives only"):
        u = network(x, a.requires_grad_())
        torch.autograd.grad(u.sum(), a, create_graph=True)


def test_more_points_than_offsets_can_tell_apart_are_refused(monkeypatch):
    monkeypatch.setattr("llt.models.llt.fused.model.OFFSETS", 12 * 4 * 16 - 1)
    network = LLT(replace(DARCY, grid=(3, 4)), dim=16, num_layers=1, heads=2).to(DEVICE)
    x, a = torch.rand(1, 12, 2, device=DEVICE), torch.randn(1, 12, 1, device=DEVICE)
    message = "12 points exceed the 11 that the fused kernels take at width 16; use LLT_KERNELS"
    with kernels.use("fused"), half(), pytest.raises(KernelError, match=message):
        network(x, a)


@pytest.mark.filterwarnings("default")  # the compiler's own
def test_a_compiler_takes_the_rest():
    """Plain kernels compile as one graph; fused ones are left alone by the compiler."""
    network = LLT(replace(DARCY, grid=(9, 11)), dim=32, num_layers=1, heads=4).to(DEVICE)
    x, a = torch.rand(1, 99, 2, device=DEVICE), torch.randn(1, 99, 1, device=DEVICE)
    expected = network(x, a)
    close(torch.compile(network, backend="eager", fullgraph=True)(x, a), expected, "plain")
    torch.compiler.reset()
    with kernels.use("fused"):
        close(torch.compile(network, backend="eager")(x, a), expected, "fused")
    torch.compiler.reset()


def test_weights_in_an_optimizers_vector_are_narrowed_alike():
    """One copy of the vector gives what a copy of each tensor gives."""
    network = LLT(replace(DARCY, grid=(3, 4)), dim=16, num_layers=2, heads=2).to(DEVICE)
    parameters = [_weights(block) for block in network.blocks]
    each = narrow(parameters, torch.float16)
    FlatParameters(network, clip=0.0)
    shared = narrow([_weights(block) for block in network.blocks], torch.float16)
    for a, b in zip(each, shared, strict=True):
        for x, y in zip(a.tensors(), b.tensors(), strict=True):
            assert x.dtype == y.dtype and x.is_contiguous() and y.is_contiguous()
            assert torch.equal(x, y)


def test_trainings_go_alike(few_programs):
    """After three complete steps, with weights narrowed from the optimizer's vector."""
    problem = replace(DARCY, grid=(4, 5))
    settings = {"llt": {"dim": 16, "num_layers": 2, "heads": 2}}
    case = Case(name="small", problem=problem, num_points=20, settings=settings)
    precision = "fp16" if DEVICE.type == "cuda" else "fp32"
    protocol = Protocol(device=DEVICE, precision=precision, optimizer=True, repetitions=3)
    moved = []
    for name in ("fused", "reference"):
        with kernels.use(name):
            step = build_step(case, "llt", protocol)
            before = step.optimizer.parameters.flat.clone()
            for _ in range(3):
                step()
                step.position.zero_()
        moved.append(step.optimizer.parameters.flat - before)
    assert moved[1].norm() > 0
    # Adam's first steps have the size of the rate whatever the gradient's: noise turns some around
    limit = 0.03 if DEVICE.type == "cuda" else 1e-3
    assert (moved[0] - moved[1]).norm() < limit * moved[1].norm()
