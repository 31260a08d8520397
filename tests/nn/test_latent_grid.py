"""The latent grid and its deformation against fields whose Fourier sums are known."""

import math

import pytest
import torch
import torch.nn.functional as F

from llt.nn.encoding import unit_grid
from llt.nn.latent_grid import Deformation, LatentGrid, polar
from llt.nn.spectral import SpectralConv, init_uniform, modes_per_axis, spectrum_sizes


class Still(torch.nn.Module):
    """φ⁻¹(x) = x."""

    space_dim = 2

    def forward(self, x):
        return x


def nodes(*grid):
    """Points j / n of a periodic grid, first axis slowest: (N, d)."""
    return torch.cartesian_prod(*(torch.arange(n, dtype=torch.double) / n for n in grid))


def smooth(x):
    """A function of period 1 with frequencies up to 2: (N, 2) -> (N,)."""
    angles = 2 * math.pi * x
    return 1 + (2 * angles[:, 0] + 1).cos() + (angles[:, 0] - 2 * angles[:, 1]).sin()


def latent_of_one_channel(**settings):
    """All matrices are 1, and positions add nothing."""
    latent = LatentGrid(1, modes=3, size=10, deformation=Still(), **settings).double()
    for name, parameter in latent.named_parameters():
        torch.nn.init.zeros_(parameter)
        if name in ("enters.weight", "leaves.weight"):
            torch.nn.init.ones_(parameter[..., 0])
    return latent


@pytest.mark.parametrize("mixed", [True, False])
def test_a_smooth_field_passes_to_the_grid_and_to_other_points(mixed):
    """Scaled as published: a sum over the points by the size of the grid, then a sum over it."""
    latent = latent_of_one_channel(mixed=mixed)
    x, elsewhere = nodes(9, 8)[None], torch.rand(1, 5, 2, dtype=torch.double)
    image = latent.enter(smooth(x[0])[None, :, None], latent.waves(x), None)
    torch.testing.assert_close(image, 72 / 100 * smooth(nodes(10, 10)).view(1, 1, 10, 10))
    h = latent.leave(image, latent.waves(elsewhere), elsewhere)
    torch.testing.assert_close(h[0, :, 0], 72 * smooth(elsewhere[0]))


def test_either_way_multiplies_by_its_own_matrices():
    for way, scale in (("enters", (2.0, 2.0)), ("leaves", (1.0, 2.0))):
        latent, x = latent_of_one_channel(), nodes(9, 8)[None]
        torch.nn.init.constant_(getattr(latent, way).weight[..., 0], 2)
        image = latent.enter(smooth(x[0])[None, :, None], latent.waves(x), None)
        assert image[0, 0, 0, 0].item() == pytest.approx(scale[0] * 0.72 * smooth(x[0])[0].item())
        h = latent.leave(image, latent.waves(x), x)
        torch.testing.assert_close(h[0, :, 0], scale[1] * 72 * smooth(x[0]))


def test_positions_are_added_either_way():
    latent, x = latent_of_one_channel().float(), torch.rand(1, 7, 2)
    for position in (latent.grid_position, latent.point_position):
        torch.nn.init.normal_(position.weight)
    empty, waves = torch.zeros(1, 7, 1), latent.waves(x)
    image = latent.enter(empty, waves, None)
    place = latent.grid_position(unit_grid((10, 10))).view(10, 10)
    torch.testing.assert_close(image[0, 0], place)
    h = latent.leave(torch.zeros_like(image), waves, x)
    torch.testing.assert_close(h, latent.point_position(x))


@pytest.mark.parametrize("first", [True, False])
def test_deformation_follows_the_formula(first):
    deformation, x = Deformation(2, width=8, first=first).double(), torch.rand(1, 5, 2).double()
    arrow = x[0] - (1e-4 if first else 0.5)
    place = torch.cat(
        (x[0], torch.atan2(arrow[:, 1], arrow[:, 0])[:, None], arrow.norm(dim=1)[:, None]), dim=1
    )
    angles = torch.stack((math.pi * place, 2 * math.pi * place), dim=-1).flatten(1)
    h = deformation.mlp[0](torch.cat((deformation.lift(place), angles.sin(), angles.cos()), dim=1))
    for number in range(3 if first else 2):
        h = deformation.mlp[1 + 2 * number](h)
        h = h.tanh() if first else F.gelu(h)
    torch.testing.assert_close(deformation(x)[0], x[0] + x[0] * deformation.mlp[-1](h))


def test_polar_coordinates_give_the_vector_back():
    arrow = torch.randn(20, 3).double()
    azimuth, elevation, length = polar(arrow).unbind(-1)
    flat = length * elevation.cos()
    back = torch.stack((flat * azimuth.cos(), flat * azimuth.sin(), length * elevation.sin()), -1)
    torch.testing.assert_close(back, arrow)


def test_deformation_is_finite_at_the_center():
    deformation, x = Deformation(2), torch.full((1, 1, 2), 0.5)
    deformation(x).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in deformation.parameters())


def test_frequencies_may_differ_between_axes():
    assert modes_per_axis(4, 0, 3) == (4, 4, 4)
    assert spectrum_sizes(modes_per_axis(4, 7, 2), 2) == (14, 4)
    conv, h = SpectralConv(1, 1, modes=(3, 1), space_dim=2).double(), smooth(nodes(9, 8))
    torch.nn.init.zeros_(conv.weight)
    torch.nn.init.ones_(conv.weight[..., 0])
    expected = 1 + (4 * math.pi * nodes(9, 8)[:, 0] + 1).cos()  # nothing varies along the second
    torch.testing.assert_close(conv(h.view(1, 1, 9, 8)).flatten(), expected)


def test_weights_start_uniform():
    conv = SpectralConv(8, 4, modes=6, space_dim=2)
    init_uniform(conv)
    assert 0 <= conv.weight.min() < conv.weight.max() <= 1 / 32
    assert conv.weight.mean().item() == pytest.approx(1 / 64, rel=0.05)
