"""What is particular to LLT: the paper's counts and formulas."""

from dataclasses import replace
from math import log, prod

import pytest
import torch
import torch.nn.functional as F

from llt import kernels
from llt.errors import ConfigError
from llt.kernels import attend
from llt.models import build_model
from llt.models.llt.block import Block, Neighborhood
from llt.models.llt.definition import LLT
from llt.models.llt.description import Description
from llt.nn.norm import RMSNorm
from llt.presets import PRESETS
from llt.problem import DARCY, PLASTICITY, PROBLEMS

ABOUT = Description(
    dim=8,
    heads=2,
    ffn_dim=5,
    alpha=0.7,
    local="convolution",
    kernel=3,
    space_dim=2,
    timed=False,
)


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_parameter_count_is_within_ten_percent_of_the_papers(name):
    preset = PRESETS[name]
    model = build_model("llt", PROBLEMS[name], **preset.model)
    count = sum(p.numel() for p in model.parameters())
    assert count == pytest.approx(preset.paper_parameters, rel=0.10)


def test_rms_norm_has_epsilon_outside_the_root():
    norm = RMSNorm(4, eps=0.5)
    x = torch.tensor([[1.0, -1.0, 3.0, 1.0]])
    torch.testing.assert_close(norm(x), x / (3.0**0.5 + 0.5))


def test_attention_follows_the_formula_on_a_grid():
    """W_out (σ(W_gate h) ⊙ (α LinAttn + (1 - α) PW(DW(n)))), written point by point."""
    torch.manual_seed(0)
    block = Block(ABOUT).double()
    layer = block.attention
    grid, N = (3, 4), 12
    normed, h = torch.randn(2, 1, N, 8, dtype=torch.double)
    q, k, v = (normed[0] @ w.T for w in layer.qkv.weight.split(8))

    def phi(z):
        return torch.where(z > 0, z + 1, z.exp())

    far = torch.zeros(N, 8, dtype=torch.double)
    for head in range(2):
        part = slice(4 * head, 4 * head + 4)
        weights = phi(q[:, part]) @ phi(k[:, part]).T  # (N, N)
        far[:, part] = weights @ v[:, part] / (weights.sum(1, keepdim=True) + 1e-6)

    near = torch.zeros(N, 8, dtype=torch.double)
    weight = layer.local.depthwise.weight
    for i in range(3):
        for j in range(4):
            total = layer.local.depthwise.bias.clone()
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if 0 <= i + di < 3 and 0 <= j + dj < 4:
                        neighbor = normed[0, (i + di) * 4 + j + dj]
                        total = total + weight[:, 0, di + 1, dj + 1] * neighbor
            near[i * 4 + j] = layer.local.pointwise(total)

    mixed = 0.7 * far + 0.3 * near
    expected = layer.out(torch.sigmoid(layer.gate(h[0])) * mixed)
    linear = attend(block.queries(normed), block.reduce(normed))
    actual = layer(h, linear, layer.local(normed, Neighborhood(grid)))
    torch.testing.assert_close(actual[0], expected)


@pytest.mark.parametrize("conv_branch", [False, True], ids=["plain", "conv-branch"])
def test_model_follows_the_formula_on_a_grid(conv_branch):
    """s = (γ(x), d, fields), h = MLP(s), L blocks, u = MLP(RMSNorm(h + W_skip s))."""
    torch.manual_seed(0)
    settings = {"dim": 8, "num_layers": 2, "heads": 2, "reference_points": 2, "bands": 2}
    model = LLT(DARCY, **settings, conv_branch=conv_branch).double()
    grid, N = (3, 4), 12
    x, a = torch.rand(1, N, 2, dtype=torch.double), torch.randn(1, N, 1, dtype=torch.double)

    angles = torch.stack([x[0, :, 0], 2 * x[0, :, 0], x[0, :, 1], 2 * x[0, :, 1]], dim=-1)
    distances = torch.zeros(N, 4, dtype=torch.double)  # from the index grid, not from x
    for i in range(3):
        for j in range(4):
            for m, (p, q) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
                distances[4 * i + j, m] = ((i / 2 - p) ** 2 + (j / 3 - q) ** 2) ** 0.5
    fields = torch.cat((x[0], a[0]), dim=-1)
    if conv_branch:
        first, _, second = model.embedder.conv.layers
        image = fields.view(3, 4, 3).permute(2, 0, 1)
        image = F.gelu(F.conv2d(image[None], first.weight, first.bias, padding=1))
        image = F.conv2d(image, second.weight, second.bias, padding=1)[0]
        fields = image.permute(1, 2, 0).reshape(N, 8)
    s = torch.cat((angles.sin(), angles.cos(), distances, fields), dim=-1)

    h = model.embedder.mlp(s)[None]
    for block in model.blocks:
        n, around = block.norm1(h), Neighborhood(grid)
        linear = attend(block.queries(n), block.reduce(n))
        h = h + block.attention(h, linear, block.attention.local(n, around))
        h = h + block.ffn(block.norm2(h))
    expected = model.head(model.norm(h + s @ model.skip.weight.T))
    # the index grid and the norm are float32 by design
    torch.testing.assert_close(model(x, a, grid=grid), expected, atol=1e-5, rtol=1e-5)


def test_time_scales_and_shifts_what_the_attention_reads():
    torch.manual_seed(0)
    block = Block(replace(ABOUT, timed=True))
    torch.nn.init.normal_(block.film.weight)
    h, condition = torch.randn(1, 12, 8), torch.randn(1, 8)
    scale, shift = (condition @ block.film.weight.T).split(8, dim=-1)
    normed = block.norm1(h) * (1 + scale) + shift
    around = Neighborhood((3, 4))
    expected = block.map(h, normed, block.queries(normed), block.reduce(normed), around)
    torch.testing.assert_close(block(h, around, condition), expected)


def test_timed_model_wants_a_time():
    model = LLT(PLASTICITY, dim=8, num_layers=1)
    with pytest.raises(ValueError, match="plasticity is timed: pass the output time t"):
        model(torch.rand(1, 12, 2), torch.rand(1, 12, 1), grid=(3, 4))


def test_a_model_remembers_all_its_arguments():
    """The paper's shared values among them: a checkpoint must not depend on today's defaults."""
    assert build_model("llt", DARCY, dim=64).arguments == {
        "dim": 64,
        "num_layers": 8,
        "heads": 8,
        "alpha": 0.7,
        "kernel": 3,
        "ffn_dim": 0,
        "reference_points": 8,
        "bands": 4,
        "conv_branch": True,
        "max_neighbors": 32,
        "radius": 2.0,
        "spacing": False,
    }


def test_film_starts_as_the_identity():
    torch.manual_seed(0)
    block = Block(replace(ABOUT, timed=True))
    h, condition = torch.randn(1, 12, 8), torch.randn(1, 8)
    with_time = block(h, Neighborhood((3, 4)), condition)
    block.film = None
    assert torch.equal(with_time, block(h, Neighborhood((3, 4))))


def test_point_sets_need_neighbors():
    model = LLT(PROBLEMS["elasticity"], dim=8, num_layers=1)
    with pytest.raises(ValueError, match="needs `neighbors`"):
        model(torch.rand(1, 5, 2), torch.rand(1, 5, 0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dim": 30}, "dim=30 must be a positive multiple of heads=8"),
        ({"kernel": 4}, "kernel=4 must be odd"),
        ({"alpha": 1.5}, r"alpha=1.5 must lie between 0 and 1"),
        ({"num_layers": 0}, "num_layers=0 must be at least 1"),
        ({"ffn_dim": -1}, "ffn_dim=-1 must not be negative"),
        ({"reference_points": 0}, "reference_points=0 must be at least 1"),
    ],
)
def test_impossible_settings(settings, message):
    with pytest.raises(ConfigError, match=message):
        LLT(DARCY, **settings)


@pytest.mark.parametrize("wanted", ["x", "a"])
@pytest.mark.parametrize("name", ["darcy", "elasticity"])
def test_second_derivatives_agree_with_differences(name, wanted):
    """On the plain path; of a direction that all points move in."""
    torch.manual_seed(0)
    problem = replace(PROBLEMS[name], inputs=("a",), grid=(4, 5) if name == "darcy" else None)
    model = LLT(problem, dim=8, num_layers=2, heads=2, reference_points=2).double()
    inputs = {"x": torch.rand(1, 20, 2).double(), "a": torch.randn(1, 20, 1).double()}
    around = {} if problem.grid else {"neighbors": torch.randint(-1, 20, (1, 20, 4))}
    direction = torch.randn_like(inputs[wanted])

    def value(step):
        moved = inputs | {wanted: inputs[wanted] + step * direction}
        return model(**moved, **around).square().sum()

    with kernels.use("reference"):
        step = torch.zeros((), dtype=torch.double, requires_grad=True)
        (first,) = torch.autograd.grad(value(step), step, create_graph=True)
        (second,) = torch.autograd.grad(first, step)
        with torch.no_grad():
            width = 1e-4
            low, middle, high = (value(torch.tensor(k * width).double()) for k in (-1, 0, 1))
    assert second.item() == pytest.approx(((low - 2 * middle + high) / width**2).item(), rel=1e-5)


@pytest.mark.parametrize("conv_branch", [True, False])
def test_the_spacing_of_the_grid_is_one_more_field(conv_branch):
    """The mean over the axes of the logarithm of how much farther apart points are."""
    problem = replace(DARCY, grid=(5, 5))
    settings = {"dim": 8, "num_layers": 1, "heads": 2, "conv_branch": conv_branch}
    torch.manual_seed(0)
    model = LLT(problem, spacing=True, **settings)
    wider = LLT(replace(problem, inputs=("permeability", "spacing")), **settings)
    wider.load_state_dict(model.state_dict())
    for grid, value in (((5, 5), 0.0), ((9, 17), -1.5 * log(2)), ((3, 5), log(2) / 2)):
        x, a = torch.rand(2, prod(grid), 2), torch.rand(2, prod(grid), 1)
        both = torch.cat((a, torch.full_like(a, value)), dim=-1)
        torch.testing.assert_close(model(x, a, grid=grid), wider(x, both, grid=grid))
    assert not LLT(PROBLEMS["elasticity"], spacing=True, **settings).spacing
