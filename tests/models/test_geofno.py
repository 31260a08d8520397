"""Geo-FNO on grids and on points, layer by layer."""

import pytest
import torch
import torch.nn.functional as F

from llt.errors import ConfigError
from llt.models import build_model
from llt.models.geofno import GeoFNO
from llt.presets import find_preset
from llt.problem import AIRFOIL, ELASTICITY, PIPE, Problem

GRID = Problem(name="grid", space_dim=2, inputs=("a",), outputs=("u",), grid=(9, 7))
POINTS = Problem(name="points", space_dim=2, inputs=("a",), outputs=("u",))
SMALL = {"dim": 8, "modes": 3, "num_layers": 3, "latent": 8}


@pytest.mark.parametrize(
    ("problem", "count"), [(AIRFOIL, 4_727_329), (PIPE, 2_368_033), (ELASTICITY, 3_003_075)]
)
def test_parameter_count_is_that_of_the_published_code(problem, count):
    model = build_model("geofno", problem, **find_preset(problem.name, "geofno").model)
    assert sum(p.numel() for p in model.parameters()) == count


def test_on_grids_it_is_a_padded_fno():
    model = GeoFNO(GRID, padding=2, **SMALL)
    x, a = torch.rand(1, 63, 2), torch.randn(1, 63, 1)
    h = F.pad(model.lift(x, a).mT.view(1, 8, 9, 7), (0, 2, 0, 2))
    for number, layer in enumerate(model.layers.layers):
        h = layer.spectral(h) + layer.pointwise(h)
        h = F.gelu(h) if number < 2 else h
    expected = model.project(h[..., :9, :7].flatten(2).mT)
    torch.testing.assert_close(model(x, a), expected)


def test_on_points_the_first_and_the_last_layer_are_the_ways():
    model = GeoFNO(POINTS, **SMALL)
    x, a = torch.rand(1, 20, 2), torch.randn(1, 20, 1)
    latent, (layer,), (position,) = (
        model.layers.latent,
        model.layers.layers,
        model.layers.positions,
    )
    waves = latent.waves(x)
    image = F.gelu(latent.enter(model.lift(x, a), waves, None))
    image = F.gelu(layer(image) + latent.place(position))
    expected = model.project(latent.leave(image, waves, x))
    torch.testing.assert_close(model(x, a), expected)


def test_points_move_before_the_transform():
    model = GeoFNO(POINTS, **SMALL)
    x, a = torch.rand(1, 20, 2), torch.randn(1, 20, 1)
    before = model(x, a)
    torch.nn.init.constant_(model.layers.latent.deformation.mlp[-1].bias, 0.3)
    assert not torch.allclose(model(x, a), before)


def test_point_sets_need_two_layers():
    with pytest.raises(ConfigError, match="num_layers=1 must be at least 2 on point sets"):
        GeoFNO(POINTS, num_layers=1)
