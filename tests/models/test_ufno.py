"""U-FNO and its U-Net against their formulas written the slow way, and the published size."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from llt.errors import ConfigError
from llt.models import build_model
from llt.models.ufno import UFNO
from llt.nn.norm import InstanceNorm
from llt.nn.unet import UNet
from llt.presets import problem_preset
from llt.problem import DARCY, Problem

GRID = Problem(name="grid", space_dim=2, inputs=("a",), outputs=("u",), grid=(9, 7))
BOX = Problem(name="box", space_dim=3, inputs=("a",), outputs=("u",), grid=(5, 3, 7))
SMALL = {"dim": 8, "modes": 3, "fourier_layers": 1, "unet_layers": 2, "num_levels": 2}


def test_unet_widens_while_the_grid_shrinks():
    unet, shapes = UNet(4, space_dim=2, norm=InstanceNorm, levels=3), []
    for part in (*unet.down, *unet.up):
        part.register_forward_hook(lambda *args: shapes.append(tuple(args[-1].shape[1:])))
    unet(torch.randn(1, 4, 16, 8))
    down = [(8, 8, 4), (16, 4, 2), (16, 2, 1)]
    assert shapes == [*down, (8, 4, 2), (4, 8, 4), (4, 16, 8)]


def test_unet_joins_equal_sizes():
    unet = UNet(2, space_dim=2, norm=InstanceNorm, levels=2).double()
    h = torch.randn(1, 2, 8, 12).double()
    fine = unet.first(h)
    middle = unet.down[0](F.max_pool2d(fine, 2))
    coarse = unet.down[1](F.max_pool2d(middle, 2))

    def larger(z):
        return F.interpolate(z, scale_factor=2, mode="bilinear", align_corners=True)

    middle = unet.up[0](torch.cat((middle, larger(coarse)), dim=1))
    expected = unet.out(unet.up[1](torch.cat((fine, larger(middle)), dim=1)))
    torch.testing.assert_close(unet(h), expected)


def test_unet_joins_points_of_one_coarse_cell_and_no_more():
    unet, h = UNet(4, space_dim=2, norm=InstanceNorm, levels=3), torch.randn(1, 4, 128, 8)
    for layer in unet.modules():
        if isinstance(layer, InstanceNorm):
            layer.forward = lambda h: h  # it joins all points by itself
    changed = h.clone()
    changed[..., 0, 0] += 1
    reached = (unet(changed) != unet(h)).any(1)[0, :, 0].nonzero().max().item()
    assert 16 <= reached <= 64


def test_last_layers_have_a_unet_beside_them_and_the_last_no_activation():
    model = UFNO(GRID, **SMALL).double()
    x, a = torch.rand(1, 63, 2).double(), torch.randn(1, 63, 1).double()
    h = model.lift(torch.cat((x, a), dim=-1)).mT.view(1, 8, 9, 7)
    h = F.pad(h, (0, 1, 0, 3))  # multiples of 4
    h = F.gelu(model.layers[0](h))
    h = F.gelu(model.layers[1](h) + model.unets[0](h))
    h = model.layers[2](h) + model.unets[1](h)
    expected = model.project(h[..., :9, :7].flatten(2).mT)
    torch.testing.assert_close(model(x, a), expected)


def norms(problem):
    return {type(part) for part in UFNO(problem, **SMALL).modules() if "Norm" in str(type(part))}


def test_norms_are_over_the_batch_on_steady_problems():
    assert norms(GRID) == {nn.BatchNorm2d}
    assert norms(BOX) == {nn.BatchNorm3d}
    assert norms(replace(GRID, timed=True)) == {InstanceNorm}


@pytest.mark.parametrize("grid", [(7, 9), (1, 5), (13, 6), (5, 3, 7)], ids=str)
def test_any_grid_comes_back(grid):
    n, d = math.prod(grid), len(grid)
    model = UFNO(GRID if d == 2 else BOX, **SMALL)
    u = model(torch.rand(2, n, d), torch.randn(2, n, 1), grid=grid)
    assert u.shape == (2, n, 1)
    assert u.isfinite().all()


def test_it_has_as_many_parameters_as_the_public_code():
    model = build_model("ufno", DARCY, **problem_preset(DARCY, "ufno").model)
    assert sum(p.numel() for p in model.parameters()) == 11_026_465
    start = model.layers[0].spectral.weight
    assert start.min().item() >= 0
    assert start.mean().item() == pytest.approx(0.5 / 32**2, rel=0.01)


def test_settings_out_of_range():
    with pytest.raises(ConfigError, match="modes=0 must be at least 1"):
        UFNO(GRID, modes=0)
    with pytest.raises(ConfigError, match="num_levels=0 must be at least 1"):
        UFNO(GRID, num_levels=0)
