"""Galerkin Transformer against its formulas written the slow way, and its published size."""

import pytest
import torch
import torch.nn.functional as F

from llt.errors import ConfigError
from llt.models import build_model
from llt.models.galerkin import (
    DownScaler,
    GalerkinAttention,
    GalerkinTransformer,
    SpectralRegressor,
    UpScaler,
    resample,
)
from llt.presets import problem_preset
from llt.problem import AIRFOIL, DARCY, ELASTICITY

SMALL = {"dim": 8, "num_layers": 2, "heads": 2, "modes": 2, "spectral_dim": 4}


def draw(*shape):
    return torch.randn(*shape, dtype=torch.double)


def image(z, grid):
    return z.mT.unflatten(-1, grid)


def test_attention_joins_coordinates_to_every_head():
    layer = GalerkinAttention(8, 2, 2).double().eval()
    torch.nn.init.normal_(layer.key_norm.scale)
    h, x = draw(2, 7, 8), draw(2, 7, 2)
    mask = torch.arange(7)[None] < torch.tensor([[5], [7]])
    out = layer(h, x, mask)
    for b, n in enumerate((5, 7)):
        q, k, v = (h[b] @ w.T for w in layer.qkv.weight.split(8))
        parts = []
        for head, (qh, kh, vh) in enumerate(zip(*(z.chunk(2, 1) for z in (q, k, v)), strict=True)):
            kh, vh = (
                (z - z.mean(1, keepdim=True)) / (z.var(1, keepdim=True, correction=0) + 1e-7).sqrt()
                for z in (kh, vh)
            )
            kh = kh * layer.key_norm.scale[head]
            qh, kh, vh = (torch.cat((x[b], z), dim=1) for z in (qh, kh, vh))
            parts.append(qh @ kh[:n].T @ vh[:n] / n)
        torch.testing.assert_close(out[b], layer.out(torch.cat(parts, dim=1)))


def test_training_drops_half_of_the_projection_and_prediction_nothing():
    layer = GalerkinAttention(64, 1, 2)
    h, x = torch.randn(1, 9, 64), torch.rand(1, 9, 2)
    seen = []
    layer.dropout.register_forward_hook(lambda _, inputs, output: seen.append(output == 0))
    layer(h, x, None)
    layer.eval()(h, x, None)
    assert seen[0].float().mean().item() == pytest.approx(0.5, abs=0.05)
    assert not seen[1].any()


def test_projections_start_near_the_identity_and_layers_alike():
    for part in GalerkinAttention(16, 2, 2).qkv.weight.split(16):
        torch.testing.assert_close(part.diagonal().mean().item(), 0.01, atol=2e-3, rtol=0)
        assert (part - 0.01 * torch.eye(16)).abs().max() < 0.01
    first, second = GalerkinTransformer(DARCY, **SMALL).blocks
    assert torch.equal(first.mlp[0].weight, second.mlp[0].weight)
    assert first.mlp[0].weight is not second.mlp[0].weight


def test_down_scaler_puts_three_convolutions_side_by_side():
    down = DownScaler(1, 8, 0.05).double().eval()
    fields = draw(1, 1, 9, 7)
    h = resample(F.relu(down.first(fields)), (6, 5))
    one = F.relu(down.rest[0](h))
    two = F.relu(down.rest[1](one))
    three = F.relu(down.rest[2](two))
    expected = resample(torch.cat((one, two, three), dim=1), (5, 4))
    assert [part.shape[1] for part in (one, two, three)] == [2, 2, 4]
    torch.testing.assert_close(down(fields, (6, 5), (5, 4)), expected)


def test_up_scaler_activates_twice():
    up = UpScaler(3).double()
    h = draw(1, 3, 4, 4)
    inner = up.conv(resample(h, (5, 5)))
    once = inner * inner.sigmoid()
    expected = resample(once * once.sigmoid(), (7, 7))
    torch.testing.assert_close(up(h, (5, 5), (7, 7)), expected)


def test_spectral_regressor_starts_as_a_pointwise_one():
    regressor = SpectralRegressor(6, 8, 1, modes=2).double()
    assert regressor.spectral[0].weight.std().item() == pytest.approx(1 / 128, rel=0.1)
    for conv in regressor.spectral:
        torch.nn.init.zeros_(conv.weight)
    h = draw(1, 6, 5, 5)
    point = regressor.lift(h[0, :, 2, 3])
    for linear in regressor.pointwise:
        point = F.silu(linear(point))
    torch.testing.assert_close(regressor(h)[0, 13], regressor.project(point))


def test_attention_is_done_on_half_the_grid():
    model = GalerkinTransformer(DARCY, **SMALL).double().eval()
    grid = (9, 7)
    x, a = draw(1, 63, 2), draw(1, 63, 1)
    h = model.embedding(image(a, grid), (6, 5), (5, 4)).flatten(2).mT
    coarse = image(x, grid)[..., ::2, ::2].flatten(2).mT  # corners stay corners
    for block in model.blocks:
        h = block(h, coarse, None)
    h = model.up(image(h, (5, 4)), (6, 5), grid)
    expected = model.regressor(torch.cat((h, image(x, grid)), dim=1))
    torch.testing.assert_close(model(x, a, grid=grid), expected)


def test_points_are_embedded_and_read_one_by_one():
    model = GalerkinTransformer(ELASTICITY, **SMALL).double().eval()
    x, a = draw(1, 11, 2), draw(1, 11, 0)
    h = model.embedding(x)
    for block in model.blocks:
        h = block(h, x, None)
    torch.testing.assert_close(model(x, a), model.regressor(torch.cat((h, x), dim=-1)))


def test_where_no_field_is_given_the_mesh_is_the_input():
    assert GalerkinTransformer(AIRFOIL, **SMALL).embedding.first.in_channels == 2


def test_it_has_as_many_parameters_as_the_authors_code():
    model = build_model("galerkin", DARCY, **problem_preset(DARCY, "galerkin").model)
    assert sum(p.numel() for p in model.parameters()) == 2_220_829


def test_settings_that_cannot_be():
    with pytest.raises(ConfigError, match="dim=30 must be a positive multiple of heads=4"):
        GalerkinTransformer(DARCY, dim=30, heads=4)
    with pytest.raises(ConfigError, match="dropout=1 must lie between 0 and 1"):
        GalerkinTransformer(DARCY, dropout=1)
