"""The factorized Fourier operator against sums over single axes."""

import math

import pytest
import torch
import torch.nn.functional as F

from llt.models import build_model
from llt.models.ffno import FFNO, FactorizedChange, FactorizedConv
from llt.presets import find_preset
from llt.problem import AIRFOIL, ELASTICITY, PIPE, Problem

GRID = Problem(name="grid", space_dim=2, inputs=("a",), outputs=("u",), grid=(9, 7))
POINTS = Problem(name="points", space_dim=2, inputs=("a",), outputs=("u",))
SMALL = {"dim": 8, "modes": 3, "num_layers": 3, "latent": 8}


@pytest.mark.parametrize(
    ("problem", "count"), [(AIRFOIL, 10_247_938), (PIPE, 7_102_210), (ELASTICITY, 10_865_923)]
)
def test_parameter_count_is_that_of_the_published_code(problem, count):
    model = build_model("ffno", problem, **find_preset(problem.name, "ffno").model)
    assert sum(p.numel() for p in model.parameters()) == count


@pytest.mark.parametrize(("grid", "modes"), [((9, 7), (3, 2)), ((5, 4, 6), (2, 2, 2))], ids=str)
def test_convolution_sums_over_the_axes(grid, modes):
    conv = FactorizedConv(2, modes=modes).double()
    h = torch.randn(2, 2, *grid, dtype=torch.double)
    expected = torch.zeros_like(h)
    for axis, n in enumerate(grid):
        weight = torch.view_as_complex(conv.convs[axis].weight.detach())
        lines = h.movedim(2 + axis, -1)
        for k in range(min(modes[axis], n // 2 + 1)):
            wave = torch.exp(2j * math.pi * k * torch.arange(n, dtype=torch.double) / n)
            coefficient = (lines * wave.conj()).mean(-1)  # (B, C, *others)
            mixed = torch.einsum("bi...,io->bo...", coefficient, weight[..., k])
            part = (mixed[..., None] * wave).real * (1 if 2 * k % n == 0 else 2)
            expected += part.movedim(-1, 2 + axis)
    torch.testing.assert_close(conv(h), expected)
    assert len(list(conv.parameters())) == len(grid)  # no axis shares its weights


def test_change_is_the_mlp_of_the_convolution():
    block, h = FactorizedChange(4, modes=(2, 2), mlp_ratio=2), torch.randn(2, 4, 5, 6)
    change = block.mlp(block.spectral(h).flatten(2).transpose(1, 2))  # (B, N, D)
    torch.testing.assert_close(block(h), change.transpose(1, 2).view_as(h))


def test_on_grids_the_last_change_alone_is_read():
    model = FFNO(GRID, padding=2, **SMALL)
    x, a = torch.rand(1, 63, 2), torch.randn(1, 63, 1)
    h = F.pad(model.lift(x, a).mT.view(1, 8, 9, 7), (0, 2, 0, 2))
    first, second, third = model.blocks
    h = h + first(h)
    last = third(h + second(h))[..., :9, :7].flatten(2).mT
    one, two = model.project  # no activation between
    torch.testing.assert_close(model(x, a), two(one(last)))


def test_on_points_the_last_layer_is_the_way_back():
    model = FFNO(POINTS, **SMALL)
    x, a = torch.rand(1, 20, 2), torch.randn(1, 20, 1)
    latent, waves = model.latent, model.latent.waves(x)
    assert latent.enters is None
    image = latent.enter(model.lift(x, a), waves, None)
    for block in model.blocks:
        image = image + block(image) + latent.place(latent.grid_position)
    expected = model.project(latent.leave(image, waves, x))
    torch.testing.assert_close(model(x, a), expected)
    assert len(model.blocks) == 2
