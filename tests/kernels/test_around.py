"""What is around the blocks, fused: positions, the first convolution, embedding and decoder.

Each against the plain layers that it stands for. Without a GPU in Triton's interpreter.
"""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F

pytest.importorskip("triton")

from llt import kernels
from llt.kernels import triton_tiles as tiles
from llt.kernels.conv_gelu import triton as conv_gelu
from llt.kernels.conv_gelu.plain import conv_gelu as plain_conv_gelu
from llt.kernels.conv_gelu.triton import ConvGelu, row_width
from llt.kernels.embed.plain import embed as plain_embed
from llt.kernels.embed.triton import Embed
from llt.kernels.embed.triton import Weights as EmbedWeights
from llt.kernels.encoding import triton as encoding
from llt.kernels.head.plain import head as plain_head
from llt.kernels.head.triton import Head
from llt.kernels.head.triton import Weights as HeadWeights
from llt.models.llt import LLT
from llt.models.llt import fused as llt_fused
from llt.nn.encoding import distance_encoding, fourier_features, unit_grid
from llt.problem import DARCY, ELASTICITY
from tests.kernels.compared import DEVICE, close, compare, half, random

KIND = torch.float32


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize(
    ("grid", "d", "C", "N", "dim"),
    [
        ((5, 7), 2, 0, 35, 32),
        ((4, 3, 5), 3, 0, 60, 16),
        ((1, 9), 2, 0, 9, 16),
        ((5, 7), 2, 16, 35, 32),
        ((4, 3, 5), 3, 32, 60, 32),
        (None, 2, 3, 33, 16),
        (None, 3, 4, 70, 64),
    ],
)
def test_encode(grid, d, C, N, dim, biased):
    x, fields = torch.rand(2, N, d, device=DEVICE), torch.randn(2, N, C, device=DEVICE)
    bias = torch.randn(C, device=DEVICE) if biased else None
    reference = unit_grid((3,) * d, DEVICE)
    places = x if grid is None else unit_grid(grid, DEVICE).expand(2, -1, -1)
    last = fields if bias is None else fields + bias
    expected = torch.cat(
        (fourier_features(x, 4), distance_encoding(places, reference), last), dim=-1
    )
    rows = encoding.encode(x, fields, bias, reference, 4, grid, KIND, dim)
    width = expected.shape[-1]
    assert rows.shape[-1] % dim == 0 and 0 <= rows.shape[-1] - width < dim
    torch.testing.assert_close(rows[..., :width], expected, atol=2e-6, rtol=1e-6)
    assert not rows[..., width:].any()


@pytest.mark.parametrize(("grid", "C"), [((5, 7), 3), ((9, 11), 5), ((3, 4, 5), 2), ((1, 1), 1)])
def test_conv_gelu(grid, C, programs):
    d, N = len(grid), torch.Size(grid).numel()
    weight, bias = random(16, C, *[3] * d), random(16)
    fields = torch.randn(2, N, C, device=DEVICE)
    expected = plain_conv_gelu(fields, weight, bias, grid)
    compare(ConvGelu.apply(fields, weight, bias, grid, KIND), expected, [weight, bias])


def test_tiles_of_few_channels_hold_their_neighborhoods():
    """In shared memory, which the interpreter has no end of."""
    wide = torch.empty(16, 5, 3, 3)  # 45 numbers and a one: rows of 64
    assert conv_gelu._launch(conv_gelu.BACKWARD, wide).rows * 64 == conv_gelu.BACKWARD.rows * 128


def test_a_row_has_room_for_the_bias():
    assert row_width(torch.empty(16, 3, 3, 3)) == 32
    assert row_width(torch.empty(16, 31, 1, 1)) == 32
    assert row_width(torch.empty(16, 32, 1, 1)) == 64


@pytest.mark.parametrize("convolved", [True, False])
@pytest.mark.parametrize("S", [16, 21, 32, 40])
def test_embed(S, convolved, programs):
    D, N = 16, 45
    s = torch.randn(2, N, S, device=DEVICE)
    fields = s[..., -D:].clone().requires_grad_(convolved)
    bias = random(D) if convolved else None
    parameters = random(2 * D, S), random(2 * D), random(D, 2 * D), random(D), random(D, S)
    whole = torch.cat((s[..., :-D], fields if bias is None else fields + bias), dim=-1)
    expected = torch.cat(plain_embed(whole, *parameters), dim=-1)
    weights = EmbedWeights(*(z.detach() for z in parameters))
    tiled = F.pad(whole.detach(), (0, -S % D))
    actual = Embed.apply(tiled, fields, bias, weights, torch.float32, *parameters)
    leaves = [*parameters, fields, bias] if convolved else [*parameters]
    compare(torch.cat(actual, dim=-1), expected, leaves)


@pytest.mark.parametrize(("N", "D", "out"), [(45, 16, 1), (64, 32, 3), (7, 16, 16)])
def test_head(N, D, out, programs):
    h, skip = random(2, N, D), random(2, N, D)
    parameters = random(D), random(2 * D, D), random(2 * D), random(out, 2 * D), random(out)
    expected = plain_head(h, skip, *parameters, 1e-6)
    weights = HeadWeights(*(z.detach() for z in parameters))
    actual = Head.apply(h, skip, weights, 1e-6, *parameters)
    compare(actual, expected, [h, skip, *parameters])


def test_gelu():
    """Far out, too, where it and its slope have to vanish."""
    import triton
    import triton.language as tl

    @triton.jit
    def both(source, out, SIZE: tl.constexpr):
        at = tl.arange(0, SIZE)
        z = tl.load(source + at)
        value, slope = tiles.gelu(z)
        tl.store(out + at, value)
        tl.store(out + SIZE + at, slope)

    z = torch.linspace(-9, 9, 512, device=DEVICE, requires_grad=True)
    out = torch.empty(2, 512, device=DEVICE)
    both[(1,)](z, out, SIZE=512)
    expected = F.gelu(z)
    (slope,) = torch.autograd.grad(expected.sum(), z)
    torch.testing.assert_close(out[0], expected.detach(), atol=1e-6, rtol=1e-6)
    torch.testing.assert_close(out[1], slope, atol=1e-6, rtol=1e-6)


def small(problem, **settings):
    return LLT(problem, dim=16, num_layers=1, heads=2, **settings).to(DEVICE)


@pytest.mark.parametrize("wanted", ["x", "a"])
def test_gradients_of_inputs_are_not_lost(wanted):
    """The fused embedding has none."""
    network = small(replace(DARCY, grid=(5, 6)))
    inputs = {"x": torch.rand(1, 30, 2), "a": torch.randn(1, 30, 1)}
    leaf = inputs[wanted].to(DEVICE).requires_grad_()
    words = {name: z.to(DEVICE) for name, z in inputs.items()} | {wanted: leaf}
    outputs = []
    for name in ("fused", "reference"):
        with kernels.use(name), half():
            outputs.append(network(**words))
    compare(*outputs, [leaf])


def test_samples_may_share_their_points():
    network = small(replace(DARCY, grid=(5, 6)))
    x, a = torch.rand(1, 30, 2, device=DEVICE), torch.randn(3, 30, 1, device=DEVICE)
    outputs = []
    for name in ("fused", "reference"):
        with kernels.use(name), half():
            outputs.append(network(x.expand(3, -1, -1), a))
    compare(*outputs, [*network.parameters()])


def test_what_does_not_fit_is_left_to_the_plain_layers(monkeypatch):
    def refuse(*_):
        raise AssertionError

    inputs = tuple(f"a{i}" for i in range(9))
    wide = replace(DARCY, grid=(3, 4), inputs=inputs, outputs=tuple(f"u{i}" for i in range(17)))
    network = small(wide)
    x, a = torch.rand(1, 12, 2, device=DEVICE), torch.randn(1, 12, 9, device=DEVICE)
    expected = network(x, a)
    for name in ("Embed", "Head"):
        monkeypatch.setattr(f"llt.models.llt.fused.model.{name}", SimpleNamespace(apply=refuse))
    with kernels.use("fused"), half():
        close(network(x, a), expected, "output")


def noted(used, part, run, *words, **named):
    used.append(part)
    return run(*words, **named)


@pytest.mark.parametrize("name", ["fused", "auto"])
def test_all_of_the_model_is_fused(monkeypatch, name):
    used = []
    for part in ("embed", "run_blocks", "decode"):
        run = getattr(llt_fused, part)
        monkeypatch.setattr(llt_fused, part, partial(noted, used, part, run))
    monkeypatch.setattr("llt.models.plan.device_refusal", lambda device: None)
    network = small(ELASTICITY)
    x, a = torch.rand(1, 12, 2, device=DEVICE), torch.empty(1, 12, 0, device=DEVICE)
    neighbors = torch.randint(0, 12, (1, 12, 4), device=DEVICE)
    with kernels.use(name), half():
        network(x, a, neighbors=neighbors)
    assert used == ["embed", "run_blocks", "decode"]
