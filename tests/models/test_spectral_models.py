"""Fourier operators against slow sums over all points and frequencies."""

import math
from dataclasses import replace
from itertools import product

import pytest
import torch
import torch.nn.functional as F

from llt.errors import ConfigError
from llt.models.base import needs
from llt.models.ffno import FFNO
from llt.models.fno import FNO
from llt.models.geofno import GeoFNO
from llt.models.ufno import UFNO
from llt.models.uno import UNO
from llt.nn.latent_grid import Deformation
from llt.nn.spectral import (
    FourierStack,
    SpectralConv,
    crop,
    pad,
    points_to_spectrum,
    spectrum_sizes,
    spectrum_to_points,
    to_spectrum,
    waves,
)
from llt.problem import DARCY, Problem

GRID = Problem(name="grid", space_dim=2, inputs=("a",), outputs=("u",), grid=(9, 7))
BOX = Problem(name="box", space_dim=3, inputs=("a",), outputs=("u",), grid=(5, 3, 7))
POINTS = Problem(name="points", space_dim=2, inputs=("a",), outputs=("u",))
SMALL = {
    FNO: {"dim": 8, "modes": 3, "num_layers": 2},
    UFNO: {"dim": 8, "modes": 3, "fourier_layers": 1, "unet_layers": 1, "num_levels": 1},
    UNO: {"dim": 8, "modes": 3, "coarse_modes": 2},
    GeoFNO: {"dim": 8, "modes": 3, "num_layers": 3, "latent": 8},
    FFNO: {"dim": 8, "modes": 3, "num_layers": 2, "latent": 8},
}


def nodes(grid):
    """Points j / n of a periodic grid, first axis slowest: (N, d)."""
    axes = [torch.arange(n, dtype=torch.double) / n for n in grid]
    return torch.cartesian_prod(*axes).reshape(-1, len(grid))


def kept_frequencies(grid, modes):
    """Those that the grid can tell apart and the weights know; the last axis has no negative."""
    axes = [range(max(-modes, -(n // 2)), min(modes, (n + 1) // 2)) for n in grid[:-1]]
    return list(product(*axes, range(min(modes, grid[-1] // 2 + 1))))


def fourier_sum(h, weight, modes):
    """K h by the definition; h (B, Ci, *grid), weight (Ci, Co, 2m, .., m) complex."""
    grid = h.shape[2:]
    x, h = nodes(grid), h.flatten(2).to(weight.dtype)
    out = torch.zeros(len(h), weight.shape[1], x.shape[0], dtype=torch.double)
    for k in kept_frequencies(grid, modes):
        wave = torch.exp(2j * math.pi * (x @ torch.tensor(k, dtype=torch.double)))
        coefficient = (h * wave.conj()).mean(-1)
        mirrored = 2 * k[-1] % grid[-1] != 0  # -k is another frequency, not in the sum
        mixed = coefficient @ weight[(..., *k)]
        out += (1 + mirrored) * (mixed[..., None] * wave).real
    return out.unflatten(-1, grid)


def identity(conv):
    """Set W(k) = 1 for all k."""
    with torch.no_grad():
        conv.weight.zero_()
        conv.weight[..., 0] += torch.eye(len(conv.weight)).view(
            *conv.weight.shape[:2], *[1] * (conv.weight.ndim - 3)
        )


def smooth(x):
    """A function of period 1 with frequencies up to 2: (N, d) -> (N,)."""
    angles = 2 * math.pi * x
    return 1 + (2 * angles[:, 0] + 1).cos() + (angles[:, 0] - 2 * angles[:, -1]).sin()


def watch_inverse_transforms(monkeypatch):
    """A list that fills with every spectrum given to `irfft`."""
    spectra, irfft = [], torch.fft.irfft
    monkeypatch.setattr(torch.fft, "irfft", lambda s, **kw: spectra.append(s) or irfft(s, **kw))
    return spectra


@pytest.mark.parametrize("modes", [2, 4])
@pytest.mark.parametrize("grid", [(9, 11), (7, 6), (1, 5), (4, 5, 3), (5, 6, 8)], ids=str)
def test_spectral_convolution_equals_the_fourier_sum(grid, modes):
    conv = SpectralConv(2, 3, modes=modes, space_dim=len(grid)).double()
    h = torch.randn(2, 2, *grid, dtype=torch.double)
    expected = fourier_sum(h, torch.view_as_complex(conv.weight.detach()), modes)
    torch.testing.assert_close(conv(h), expected)


def test_weights_may_begin_anywhere_in_a_vector():
    conv, h = SpectralConv(2, 3, modes=2, space_dim=2), torch.randn(1, 2, 6, 5)
    expected = conv(h)
    vector = torch.cat((torch.zeros(1), conv.weight.detach().flatten()))
    conv.weight.data = vector[1:].view_as(conv.weight)
    conv(h).sum().backward()
    assert torch.equal(conv(h), expected)
    assert conv.weight.grad.any()


def test_frequencies_that_are_their_own_mirror_are_real(monkeypatch):
    """Libraries differ in what they make of an imaginary part there."""
    spectra = watch_inverse_transforms(monkeypatch)
    SpectralConv(2, 2, modes=4, space_dim=2)(torch.randn(1, 2, 5, 6))
    assert spectra[0].imag.any(dim=(0, 1, 2)).tolist() == [False, True, True, False]


@pytest.mark.parametrize("grids", [((9, 8), (13, 12)), ((12, 13), (7, 8)), ((12, 13), (5, 5))])
def test_spectral_convolution_moves_smooth_fields_to_another_grid(grids):
    conv = SpectralConv(1, 1, modes=3, space_dim=2).double()
    identity(conv)
    before, after = (smooth(nodes(grid)).view(1, 1, *grid) for grid in grids)
    torch.testing.assert_close(conv(before, grids[1]), after)


@pytest.mark.parametrize("grid", [(9, 7), (7, 8, 9)], ids=str)
def test_transform_of_points_on_a_grid_is_the_fft(grid):
    modes, h = 3, torch.randn(2, 4, *grid, dtype=torch.double)
    x = nodes(grid).expand(2, -1, -1)
    spectrum = points_to_spectrum(h.flatten(2).transpose(1, 2), waves(x, modes))
    spectrum = spectrum.unflatten(-1, spectrum_sizes(modes, len(grid)))
    fft = torch.fft.rfftn(h, dim=list(range(2, h.ndim)))
    for k in product(*[range(-modes, modes)] * (len(grid) - 1), range(modes)):
        torch.testing.assert_close(spectrum[(..., *k)], fft[(..., *k)])


def test_transform_of_points_leaves_padding_out():
    h, x = torch.randn(2, 9, 4), torch.rand(2, 9, 2)
    h[0, 5:] = torch.nan
    mask = torch.arange(9) < torch.tensor([[5], [9]])
    spectrum = points_to_spectrum(h, waves(x, 2), mask)
    alone = points_to_spectrum(h[:1, :5], waves(x[:1, :5], 2))
    torch.testing.assert_close(spectrum[:1], alone)
    torch.testing.assert_close(spectrum[1:], points_to_spectrum(h[1:], waves(x[1:], 2)))


@pytest.mark.parametrize("space_dim", [2, 3])
def test_inverse_at_the_points_equals_the_fourier_sum(space_dim):
    modes, x = 2, torch.rand(2, 7, space_dim, dtype=torch.double)
    spectrum = torch.randn(2, 3, *spectrum_sizes(modes, space_dim), dtype=torch.cdouble)
    expected = torch.zeros(2, 7, 3, dtype=torch.double)
    for k in product(*[range(-modes, modes)] * (space_dim - 1), range(modes)):
        wave = torch.exp(2j * math.pi * (x @ torch.tensor(k, dtype=torch.double)))
        part = (wave[..., None] * spectrum[(..., *k)][:, None]).real
        expected += part if k[-1] == 0 else 2 * part
    torch.testing.assert_close(spectrum_to_points(spectrum, waves(x, modes)), expected)


def test_fourier_layers_are_sums_with_an_activation_between():
    stack, h = FourierStack(4, modes=2, space_dim=2, num_layers=2), torch.randn(1, 4, 6, 5)
    first, last = stack.layers
    middle = F.gelu(first.spectral(h) + first.pointwise(h))
    torch.testing.assert_close(stack(h), last.spectral(middle) + last.pointwise(middle))


def test_padding_stands_behind_the_end_of_every_axis():
    h = torch.randn(1, 1, 5, 20)
    padded = pad(h, 0.1)
    assert padded.shape == (1, 1, 6, 22)
    assert torch.equal(crop(padded, (5, 20)), h)
    assert padded.sum() == pytest.approx(h.sum().item(), abs=1e-5)


def test_fno_is_lifted_padded_and_projected():
    model = FNO(GRID, padding=2, **SMALL[FNO])
    x, a = torch.rand(2, 63, 2), torch.randn(2, 63, 1)
    lifted = model.lift.linear(torch.cat((x, a), dim=-1))
    h = model.layers(F.pad(lifted.mT.unflatten(-1, (9, 7)), (0, 2, 0, 2)))
    expected = model.project(h[..., :9, :7].flatten(2).mT)
    torch.testing.assert_close(model(x, a), expected)


def test_fno_has_the_size_of_its_authors():
    """Modes 12, width 32, three inputs on Darcy; weights start uniform in [0, 1 / 32²]."""
    model = FNO(DARCY)
    assert sum(p.numel() for p in model.parameters()) == 2_368_001
    weight = model.layers.layers[0].spectral.weight.detach() * 32**2
    assert (weight.min().item(), weight.max().item()) == pytest.approx((0, 1), abs=1e-3)
    assert weight.mean().item() == pytest.approx(0.5, abs=0.01)


def test_only_without_padding_the_domain_is_periodic():
    torch.manual_seed(0)
    problem = replace(GRID, grid=(8, 10))
    x, a = torch.zeros(1, 80, 2), torch.randn(1, 80, 1)
    for padding, periodic in ((0, True), (2, False)):
        model = FNO(problem, padding=padding, **SMALL[FNO])

        def field(a, model=model):
            return model(x, a).view(8, 10)

        rolled = field(a.view(8, 10).roll((3, 4), (0, 1)).view(1, 80, 1))
        same = torch.allclose(rolled, field(a).roll((3, 4), (0, 1)), atol=1e-6)
        assert same == periodic


@pytest.mark.parametrize(
    ("cls", "problem"),
    [(cls, p) for cls in SMALL for p in (GRID, BOX, POINTS) if needs(p) <= cls.supports],
    ids=lambda value: value.name if isinstance(value, Problem) else value.__name__,
)
def test_spectra_stay_float32_under_autocast(cls, problem, monkeypatch):
    torch.manual_seed(0)
    model, spectra = cls(problem, **SMALL[cls]), watch_inverse_transforms(monkeypatch)
    n = problem.num_points or 40
    x, a = torch.rand(2, n, problem.space_dim), torch.randn(2, n, 1)
    full = model(x, a)
    with torch.autocast("cpu", torch.bfloat16):
        half = model(x, a)
    assert {spectrum.dtype for spectrum in spectra} == {torch.complex64}
    assert half.isfinite().all()
    assert (half - full).norm() < 0.05 * full.norm()


def test_autocast_changes_no_bit_of_a_transform():
    conv, h, x = (
        SpectralConv(4, 4, modes=3, space_dim=2),
        torch.randn(1, 4, 9, 8),
        torch.rand(1, 7, 2),
    )
    deformation = Deformation(2)
    torch.nn.init.normal_(deformation.mlp[-1].weight)

    def results():
        basis = waves(deformation(x), 3)
        spectrum = points_to_spectrum(h.flatten(2)[..., :7].transpose(1, 2), basis)
        points = spectrum_to_points(spectrum.unflatten(-1, spectrum_sizes(3, 2)), basis)
        return conv(h), basis, spectrum, points

    with torch.autocast("cpu", torch.bfloat16):
        half = results()
    assert all(map(torch.equal, half, results()))
    assert to_spectrum(h.bfloat16()).dtype == torch.complex64


@pytest.mark.parametrize(
    "cls", [cls for cls in SMALL if cls is not UFNO], ids=lambda cls: cls.__name__
)
def test_settings_out_of_range(cls):
    with pytest.raises(ConfigError, match="modes=0 must be at least 1"):
        cls(GRID, modes=0)
    with pytest.raises(ConfigError, match=r"padding=-1 must (lie between 0 and 1|be at least 0)"):
        cls(GRID, padding=-1)
