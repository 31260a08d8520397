"""ONO against its formulas written the slow way, and its published size."""

import math

import pytest
import torch

from llt.errors import ConfigError
from llt.models import build_model
from llt.models.ono import ONO, Kernel, LinearAttention, NystromAttention, pseudo_inverse, whiten
from llt.presets import problem_preset
from llt.problem import DARCY, ELASTICITY, PLASTICITY

MASK = torch.arange(7)[None] < torch.tensor([[5], [7]])  # two samples, the first with padding


def draw(*shape):
    return torch.randn(*shape, dtype=torch.double)


def per_head(layer, h):
    """Triples q, k, v (N, C) of the heads of points (N, D)."""
    maps = layer.qkv(h).chunk(3, dim=-1)
    return zip(*(z.chunk(layer.heads, dim=-1) for z in maps), strict=True)


def test_whitening_gives_orthonormal_features():
    psi = draw(2, 7, 4) @ draw(4, 4) + 1
    white = whiten(psi, MASK)
    for sample, n in zip(white, (5, 7), strict=True):
        torch.testing.assert_close(sample[:n].T @ sample[:n] / n, torch.eye(4).double())
    # triangular: the first feature is only scaled
    ratio = white[1, :, 0] / psi[1, :, 0]
    torch.testing.assert_close(ratio, ratio[:1].expand(7))


def test_whitening_survives_dependent_features():
    psi = torch.randn(1, 50, 1).expand(-1, -1, 4).clone().requires_grad_()
    white = whiten(psi)
    white.square().sum().backward()
    assert white.abs().max() < 10  # rounding is not blown up to a feature
    assert white.isfinite().all()
    assert psi.grad.isfinite().all()


def test_kernel_is_a_dense_sum_over_the_points():
    kernel = Kernel(8, 3).double()
    torch.nn.init.normal_(kernel.mu)
    h, f = draw(2, 7, 8), draw(2, 7, 8)
    psi = whiten(kernel.project(h), MASK)
    for b, n in enumerate((5, 7)):
        dense = psi[b] @ torch.diag(kernel.mu.exp().add(1).log()) @ psi[b, :n].T  # (N, n)
        torch.testing.assert_close(kernel(h, f, MASK)[b], dense @ f[b, :n])
    assert not Kernel(8, 3).mu.any()  # as published


def test_linear_attention_is_the_dense_one():
    layer = LinearAttention(8, 2).double()
    h = draw(2, 7, 8)
    for b, n in enumerate((5, 7)):
        parts = [
            q.softmax(1) @ k[:n].softmax(0).T @ v[:n] / 2  # √C = 2
            for q, k, v in per_head(layer, h[b])
        ]
        torch.testing.assert_close(layer(h, MASK)[b], layer.out(torch.cat(parts, dim=1)))


@pytest.mark.parametrize("n", [2, 7, 8], ids=["fewer points", "filled up", "even"])
def test_nystrom_attention_is_the_product_of_its_three_softmaxes(n):
    layer = NystromAttention(8, 2, landmarks=4, kernel=3).double()
    h = draw(1, n, 8)
    parts = []
    for head, (q, k, v) in enumerate(per_head(layer, h[0])):
        zeros = torch.zeros(-n % 4, 4).double()
        q, k, v = (torch.cat((zeros, z)) for z in (q / 2, k, v))
        q_m, k_m = (z.view(4, -1, 4).mean(1) for z in (q, k))
        inner = (q_m @ k_m.T).softmax(1)
        parts.append((inner, (q @ k_m.T).softmax(1), (q_m @ k.T).softmax(1) @ v, head, v))
    # both heads' inverses start from one scale
    inverses = pseudo_inverse(torch.stack([inner for inner, *_ in parts])[None])[0]
    mixed = []
    for (_, left, right, head, v), inverse in zip(parts, inverses, strict=True):
        w = layer.near.weight[head, 0, :, 0]
        padded = torch.cat((v[:1] * 0, v, v[:1] * 0))
        near = sum(w[i] * padded[i : i + len(v)] for i in range(3))
        mixed.append((left @ inverse @ right + near)[-n:])
    torch.testing.assert_close(layer(h)[0], layer.out(torch.cat(mixed, dim=1)))


def test_nystrom_attention_of_padded_sets_equals_single_ones():
    layer = NystromAttention(8, 2, landmarks=3, kernel=5).double()
    h = draw(2, 7, 8)
    together = layer(h, MASK)
    torch.testing.assert_close(together[:1, :5], layer(h[:1, :5]))
    torch.testing.assert_close(together[1:], layer(h[1:]))


def test_pseudo_inverse_inverts():
    matrix = (3 * torch.eye(4).double() + draw(1, 2, 4, 4) / 3).softmax(dim=-1)
    inverse = pseudo_inverse(matrix, steps=12)
    torch.testing.assert_close(inverse @ matrix, torch.eye(4).double().expand(1, 2, 4, 4))


def test_solution_passes_mlps_that_are_not_added_and_time_reaches_the_features():
    model = ONO(PLASTICITY, dim=8, num_layers=2, heads=2, psi_dim=3).double()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    x, a, t = draw(1, 12, 2), draw(1, 12, PLASTICITY.in_channels), draw(1)
    h, f = model.embedding(torch.cat((x, a), dim=-1)).split(8, dim=-1)
    h = h + model.timestep(t)
    for block in model.blocks:
        h = block.features(h, None)
        f = block.after(f + block.kernel(h, f, None))
    expected = model.readout(f)
    assert isinstance(model.blocks[1].after, torch.nn.Identity)
    torch.testing.assert_close(model(x, a, t=t, grid=(3, 4)), expected)


def test_it_has_as_many_parameters_as_the_authors_code():
    model = build_model("ono", DARCY, **problem_preset(DARCY, "ono").model)
    assert sum(p.numel() for p in model.parameters()) == 2_027_985
    assert model.blocks[0].features.mlp[0].weight.std().item() == pytest.approx(0.02, rel=0.05)


def test_attention_of_the_features_is_the_published_one():
    kinds = {
        problem.name: problem_preset(problem, "ono").model.get("attention", "linear")
        for problem in (DARCY, ELASTICITY, PLASTICITY)
    }
    assert kinds == {"darcy": "nystrom", "elasticity": "nystrom", "plasticity": "linear"}
    with pytest.raises(ConfigError, match="unknown attention of model ono 'nystroem'; did you"):
        ONO(DARCY, attention="nystroem")


def test_heads_must_divide_the_width():
    with pytest.raises(ConfigError, match="dim=30 must be a positive multiple of heads=4"):
        ONO(DARCY, dim=30, heads=4)


def test_other_resolutions_run():
    model = ONO(DARCY, dim=8, heads=2, num_layers=1, attention="nystrom")
    grid = (9, 5)
    n = math.prod(grid)
    assert model(torch.rand(2, n, 2), torch.rand(2, n, 1), grid=grid).shape == (2, n, 1)
