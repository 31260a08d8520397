"""OFormer against its dense formulas."""

import math

import pytest
import torch
import torch.nn.functional as F

from llt.models import build_model
from llt.models.oformer import OFormer, RotaryAttention, start_near_identity
from llt.nn.encoding import RandomFeatures
from llt.nn.rotary import rotate
from llt.presets import find_preset
from llt.problem import DARCY

MASK = torch.arange(7)[None] < torch.tensor([[5], [7]])  # two samples, the first with padding


def draw(*shape):
    return torch.randn(*shape, dtype=torch.double)


def test_parameter_count_is_that_of_the_published_code():
    model = build_model("oformer", DARCY, **find_preset("darcy", "oformer").model)
    assert sum(p.numel() for p in model.parameters()) == 2_556_321


def test_cross_attention_is_the_dense_one():
    layer = RotaryAttention(8, 2, space_dim=2, frequency=5.0).double()
    z, h, x = draw(2, 7, 8), draw(2, 7, 8), draw(2, 7, 2)
    out = layer(z, x, MASK, h)
    for b, n in enumerate((5, 7)):
        q = layer.query(z[b]).view(7, 2, 8)
        k, v = (part.view(7, 2, 8) for part in layer.key_value(h[b]).split(16, dim=-1))
        mixed = []
        for head in range(2):
            kh, vh = (
                (part[:, head] - part[:, head].mean(1, keepdim=True))
                / (part[:, head].var(1, correction=0, keepdim=True) + 1e-5).sqrt()
                for part in (k, v)
            )  # over the channels of a head
            qh, kh = (
                rotate(part[None, :, None], x[b : b + 1], highest=5.0)[0, :, 0]
                for part in (q[:, head], kh)
            )
            mixed.append(qh @ kh[:n].T @ vh[:n] / n)
        torch.testing.assert_close(out[b], layer.out(torch.cat(mixed, dim=1)))


def test_residuals_start_from_normalized_features():
    model = OFormer(DARCY, dim=8, latent_dim=8, num_layers=1).double().eval()
    block, h, x = model.encoder[0], draw(1, 7, 8), draw(1, 7, 2)
    h1 = F.layer_norm(h, (8,))
    h2 = F.layer_norm(h1 + block.attention(h1, x), (8,))
    torch.testing.assert_close(block(h, x, None), h2 + block.mlp(h2))


def test_first_layers_turn_fastest():
    model = OFormer(DARCY, dim=8, latent_dim=8, num_layers=4, resolution=80)
    frequencies = [block.attention.frequency for block in model.encoder]
    assert frequencies == [80 * 80, 20 * 80, 80, 80]
    assert model.cross.frequency == 16 * 80


def test_matrices_start_near_the_identity():
    linear = torch.nn.Linear(6, 12, bias=False)
    start_near_identity(linear)
    for matrix in linear.weight.detach().split(6):
        rotation = 6 * matrix - torch.eye(6)
        torch.testing.assert_close(rotation @ rotation.T, torch.eye(6), atol=1e-5, rtol=0)
    model = OFormer(DARCY, dim=8, latent_dim=8, num_layers=1)
    attention, cross = model.encoder[0].attention, model.cross
    near = (attention.query, cross.query, cross.key_value)
    assert all(linear.weight.norm(dim=1).max() <= 2 / 8 + 1e-6 for linear in near)
    assert attention.key_value.weight.norm(dim=1).max() > 2 / 8


def test_query_features_are_sinusoids_of_fixed_random_frequencies():
    features, x = RandomFeatures(2, 3, scale=0.5).double(), draw(5, 2)
    assert not list(features.parameters())
    assert set(features.state_dict()) == {"frequencies"}
    angles = 2 * math.pi * x @ features.frequencies
    torch.testing.assert_close(features(x), torch.cat((angles.sin(), angles.cos()), dim=-1))
    assert 0.4 < RandomFeatures(2, 2000, scale=0.5).frequencies.std() < 0.6


def test_queries_see_the_input_through_the_cross_attention_alone():
    model = OFormer(DARCY, dim=8, latent_dim=8, num_layers=1).double().eval()
    x, a = draw(1, 7, 2), draw(1, 7, 1)
    z = model.query(x)
    h = model.encoder[0](model.embedding(torch.cat((x, a), dim=-1)), x, None)
    z = z + model.cross(z, x, None, model.latent(h))
    z = z + model.mlp(z)
    expected = model.readout(torch.cat((z, x), dim=-1))
    torch.testing.assert_close(model(x, a, grid=(7, 1)), expected)


@pytest.mark.parametrize("rates", [(0.5, 0.0), (0.0, 0.5)])
def test_dropout_is_for_training(rates):
    inner, embedding = rates
    settings = {"dim": 8, "latent_dim": 8, "num_layers": 1}
    model = OFormer(DARCY, **settings, dropout=inner, embedding_dropout=embedding)
    x, a = torch.rand(1, 7, 2), torch.randn(1, 7, 1)
    assert not torch.equal(model(x, a, grid=(7, 1)), model(x, a, grid=(7, 1)))
    model.eval()
    assert torch.equal(model(x, a, grid=(7, 1)), model(x, a, grid=(7, 1)))
