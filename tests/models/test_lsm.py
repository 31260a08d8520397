"""The latent spectral model against its formulas."""

import math

import pytest
import torch
import torch.nn.functional as F

from llt.models import build_model
from llt.models.lsm import LSM, BasisUpdate, SpectralBlock
from llt.nn.encoding import unit_grid
from llt.presets import find_preset
from llt.problem import AIRFOIL, DARCY, ELASTICITY, PIPE


def draw(*shape):
    return torch.randn(*shape, dtype=torch.double)


@pytest.mark.parametrize(
    ("problem", "count"), [(DARCY, 19_187_457), (AIRFOIL, 4_812_833), (PIPE, 10_804_913)]
)
def test_parameter_count_is_that_of_the_published_code(problem, count):
    model = build_model("lsm", problem, **find_preset(problem.name, "lsm").model)
    assert sum(p.numel() for p in model.parameters()) == count


def test_update_is_an_explicit_trigonometric_sum():
    update = BasisUpdate(3, 4).double()
    z = draw(5, 3)
    for i in range(5):
        for c in range(3):
            expected = z[i, c]
            for k in range(4):
                angle = math.pi * k / 4 * z[i, c]
                expected = expected + update.weight[c, k] * angle.sin()
                expected = expected + update.weight[c, 4 + k] * angle.cos()
            torch.testing.assert_close(update(z)[i, c], expected, rtol=1e-6, atol=1e-6)


def test_block_is_cross_attention_there_and_back_in_every_patch():
    block = SpectralBlock(4, heads=1, num_tokens=2, num_basis=3).double()
    image = draw(1, 4, 4, 6)
    out = block(image, 2)  # 2 x 2 patches of 2 x 3 points
    points = image[0, :, 2:, 3:].flatten(1).T  # (6, D): the last patch
    k, v = block.key_value(points).split(4, dim=-1)
    latent = block.latent[0]
    tokens = block.update(latent + (latent @ k.T).softmax(1) @ v)
    mixed = (block.query(points) @ tokens.T).softmax(1) @ tokens
    torch.testing.assert_close(out[0, :, 2:, 3:].flatten(1).T, points + mixed)


def test_every_scale_passes_its_spectral_block():
    model = LSM(DARCY, dim=4, heads=2, num_scales=2).double()
    x, a = draw(1, 12, 2), draw(1, 12, 1)
    lifted = model.lift(x, a).mT.view(1, 4, 4, 3)
    unet, fine = model.unet, model.unet.stem(F.pad(lifted, (0, 1)))  # an even number of columns
    pooled = fine.unflatten(3, (2, 2)).unflatten(2, (2, 2)).amax((3, 5))
    coarse = unet.spectral[1](unet.down[0](pooled), 1)
    coarse = F.interpolate(coarse, (4, 4), mode="bilinear", align_corners=True)
    merged = unet.up[0](torch.cat((unet.spectral[0](fine, 2), coarse), dim=1))
    expected = model.readout(unet.out(merged)[..., :3].flatten(2).mT)
    torch.testing.assert_close(model(x, a, grid=(4, 3)), expected)


def test_without_input_fields_the_place_in_the_grid_is_one():
    lift, x = LSM(AIRFOIL, dim=8).lift.double(), draw(1, 6, 2)
    place = unit_grid((2, 3), dtype=torch.double)
    expected = lift.linear(torch.cat((x[0], place), dim=-1))
    torch.testing.assert_close(lift(x, x[..., :0], None, (2, 3))[0], expected)
    assert LSM(DARCY, dim=8).lift.linear.in_features == 3


def test_point_sets_pass_a_latent_grid():
    settings = find_preset("tiny", "lsm").model
    model = build_model("lsm", ELASTICITY, **settings).double().eval()
    x = torch.rand(1, 20, 2, dtype=torch.double)
    waves = model.latent.waves(x)
    image = F.gelu(model.latent.enter(model.lift(x, x[..., :0]), waves, None))
    expected = model.readout(model.latent.leave(model.unet(image), waves, x))
    torch.testing.assert_close(model(x, x[..., :0]), expected)
    assert sum(p.numel() for p in LSM(ELASTICITY).parameters()) == 6_054_979
