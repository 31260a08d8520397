"""FactFormer against dense contractions."""

import math

import pytest
import torch
import torch.nn.functional as F

from llt.errors import ConfigError
from llt.models.factformer import AxialKernel, FactFormer, FactorizedAttention, Surroundings
from llt.nn.rotary import rotate
from llt.problem import AIRFOIL, DARCY


def draw(*shape):
    return torch.randn(*shape, dtype=torch.double)


def test_parameter_count_is_that_of_the_published_code():
    assert sum(p.numel() for p in FactFormer(DARCY).parameters()) == 3_749_953


@pytest.mark.parametrize("grid", [(3, 4), (2, 3, 4)], ids=["2d", "3d"])
def test_kernels_are_a_dense_contraction_over_all_axes(grid):
    layer = FactorizedAttention(6, heads=2, head_dim=4, kernel_dim=8, axes=len(grid)).double()
    for kernel in layer.kernels:
        torch.nn.init.normal_(kernel.query_key.weight)
    h = draw(1, math.prod(grid), 6)
    shared = layer.shared(h).view(1, *grid, 6)
    kernels = []  # (H, S, S) each
    for axis, kernel in enumerate(layer.kernels):
        others = [m + 1 for m in range(len(grid)) if m != axis]
        kernels.append(kernel(shared.mean(others))[0])
    v = layer.value(h)[0].view(-1, 2, 4)
    mixed = torch.zeros(math.prod(grid), 2, 4).double()
    points = list(torch.cartesian_prod(*map(torch.arange, grid)))
    for i, target in enumerate(points):
        for j, source in enumerate(points):
            for head in range(2):
                weight = math.prod(kernels[m][head, target[m], source[m]] for m in range(len(grid)))
                mixed[i, head] += weight * v[j, head]
    variance = mixed.var((0, 2), keepdim=True)
    normed = (mixed - mixed.mean((0, 2), keepdim=True)) / (variance + 1e-8).sqrt()
    torch.testing.assert_close(layer(h, grid)[0], layer.out(normed.flatten(1)))


def test_kernel_is_the_unscaled_score_of_turned_queries_and_keys():
    kernel, line = AxialKernel(6, 2, 4).double(), draw(1, 5, 6)
    assert 0 < kernel.query_key.weight.abs().max() < 0.02 * math.sqrt(6 / (6 + 8))
    torch.nn.init.normal_(kernel.query_key.weight)
    q, k = kernel.query_key(kernel.line(line)).split(8, dim=-1)
    s = torch.linspace(0, 1, 5).double()[None, :, None]
    turned_q, turned_k = (rotate(z.view(1, 5, 2, 4), s)[0] for z in (q, k))
    torch.testing.assert_close(kernel(line)[0], torch.einsum("ihc,jhc->hij", turned_q, turned_k))


def test_surroundings_are_copied_from_half_the_grid():
    part, image = Surroundings(4, 2).double(), draw(1, 4, 6, 4)
    part.up = torch.nn.Identity()
    out = part(image)
    normed = (image - image.mean((2, 3), keepdim=True)) * (
        image.var((2, 3), correction=0, keepdim=True) + 1e-5
    ).rsqrt()
    assert torch.equal(out[..., 0::2, :], out[..., 1::2, :])
    torch.testing.assert_close(out[..., ::2, ::2], part.down(normed))


def test_blocks_add_features_of_the_position():
    block = FactFormer(DARCY, dim=8, heads=2, head_dim=4, num_layers=1).blocks[0].double()
    h, x = draw(1, 12, 8), draw(1, 12, 2)
    features, linear = block.position
    angles = 2 * math.pi * x @ features.frequencies
    placed = h + linear(torch.cat((angles.sin(), angles.cos()), dim=-1))
    attended = block.attention(F.layer_norm(placed, (8,)), (3, 4))
    torch.testing.assert_close(block(h, x, (3, 4)), placed + attended)


def test_without_input_fields_the_coordinates_are_lifted():
    assert FactFormer(AIRFOIL).lift.in_features == 2
    assert FactFormer(DARCY).lift.in_features == 1


def test_width_is_shared_by_eight_groups_of_two():
    with pytest.raises(ConfigError, match="dim=30 must be a multiple of 4"):
        FactFormer(DARCY, dim=30)
