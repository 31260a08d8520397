"""U-NO against its formulas written the slow way, and its published size."""

import math

import pytest
import torch
import torch.nn.functional as F

from llt.models import build_model
from llt.models.uno import UNO, FourierBlock
from llt.nn.norm import InstanceNorm
from llt.presets import problem_preset
from llt.problem import DARCY, Problem

GRID = Problem(name="grid", space_dim=2, inputs=("a",), outputs=("u",), grid=(9, 7))
BOX = Problem(name="box", space_dim=3, inputs=("a",), outputs=("u",), grid=(5, 3, 7))
SMALL = {"dim": 8, "modes": 3, "coarse_modes": 2}


def test_instance_norm_scales_every_channel_of_every_sample():
    norm, h = InstanceNorm(3).double(), 5 + 3 * torch.randn(2, 3, 6, 5, dtype=torch.double)
    torch.nn.init.normal_(norm.gain)
    torch.nn.init.normal_(norm.shift)
    for b in range(2):
        for c in range(3):
            z = h[b, c]
            expected = (z - z.mean()) / (z.var(correction=0) + 1e-5).sqrt()
            expected = expected * norm.gain[c] + norm.shift[c]
            torch.testing.assert_close(norm(h)[b, c], expected)
    assert norm(h[..., :1, :1]).isfinite().all()


def test_grid_is_halved_and_width_doubled_twice():
    model, shapes = UNO(GRID, **SMALL, padding=0.0), []
    for block in (model.down1, model.down2, model.bottom, model.up2, model.up1):
        block.register_forward_hook(lambda *args: shapes.append(tuple(args[-1].shape[1:])))
    model(torch.rand(1, 63, 2), torch.randn(1, 63, 1))
    assert shapes == [(16, 4, 3), (32, 2, 1), (32, 2, 1), (16, 4, 3), (8, 9, 7)]


def test_way_up_is_joined_by_the_way_down():
    model = UNO(GRID, **SMALL, padding=0.5).double()
    x, a = torch.rand(1, 63, 2).double(), torch.randn(1, 63, 1).double()
    h = F.gelu(model.lift[0](torch.cat((a, x), dim=-1)))
    h0 = F.pad(h.mT.view(1, 8, 9, 7), (0, 4, 0, 5))
    h1 = model.down1(h0, (7, 5))
    h2 = model.bottom(model.down2(h1, (3, 2)), (3, 2))
    h1 = torch.cat((model.up2(h2, (7, 5)), h1), dim=1)
    h0 = torch.cat((model.up1(h1, (14, 11)), h0), dim=1)
    expected = model.project(h0[..., :9, :7].flatten(2).mT)
    torch.testing.assert_close(model(x, a), expected)


def test_block_moves_both_parts_to_the_new_grid():
    block = FourierBlock(4, 6, modes=2, space_dim=2, normed=True).double()
    h = torch.randn(1, 4, 8, 6).double()
    near = F.interpolate(
        block.pointwise(h), (5, 9), mode="bicubic", align_corners=True, antialias=True
    )
    expected = F.gelu(block.norm(block.spectral(h, (5, 9)) + near))
    torch.testing.assert_close(block(h, (5, 9)), expected)
    assert isinstance(FourierBlock(4, 6, modes=2, space_dim=2).norm, torch.nn.Identity)


@pytest.mark.parametrize("grid", [(7, 9), (1, 5), (13, 6), (5, 3, 7)], ids=str)
def test_any_grid_comes_back(grid):
    n, d = math.prod(grid), len(grid)
    model = UNO(GRID if d == 2 else BOX, **SMALL)
    u = model(torch.rand(2, n, d), torch.randn(2, n, 1), grid=grid)
    assert u.shape == (2, n, 1)
    assert u.isfinite().all()


def test_it_has_as_many_parameters_as_the_authors_code():
    model = build_model("uno", DARCY, **problem_preset(DARCY, "uno").model)
    assert sum(p.numel() for p in model.parameters()) == 16_393_665
    for block in (model.down1, model.bottom):
        start = 0.5 / block.spectral.weight.shape[0] ** 0.5
        assert block.spectral.weight.std().item() == pytest.approx(start, rel=0.01)


def test_darcy_is_padded_by_twelve_points():
    model, shapes = UNO(DARCY, dim=2, modes=2, coarse_modes=2), []
    model.up1.register_forward_hook(lambda *args: shapes.append(tuple(args[-1].shape[2:])))
    model(torch.rand(1, 85**2, 2), torch.randn(1, 85**2, 1))
    assert shapes == [(97, 97)]
