import numpy as np
import pytest
from scipy.fft import dctn, idctn

from llt.solvers import random_field
from llt.solvers.random_field import cell_centers, cosine_basis, evaluate, spectrum, white_noise


def variance(n: int) -> np.ndarray:
    """Of each DCT coefficient, from the covariance 9 (-Laplacian + 9)^-2."""
    k = np.arange(n)
    expected = 9 * n**2 / (np.pi**2 * (k[:, None] ** 2 + k**2) + 9) ** 2
    expected[0, 0] = 0
    return expected


def field(n: int, seed: int) -> np.ndarray:
    noise = white_noise(np.random.default_rng(seed), n)
    return evaluate(noise, spectrum(n), cosine_basis(cell_centers(n), n))


def test_fields_have_the_covariance_of_the_benchmark():
    n, num_samples = 16, 600
    modes = np.stack([dctn(field(n, seed), norm="ortho") for seed in range(num_samples)])
    measured, expected = (modes**2).mean(axis=0), variance(n)
    ring = np.round(np.hypot(*np.indices((n, n)))).astype(int)
    for radius in range(1, n):
        ratio = measured[ring == radius].sum() / expected[ring == radius].sum()
        spread = np.sqrt(2 / num_samples / (ring == radius).sum())
        assert ratio == pytest.approx(1, abs=5 * spread)


def test_different_modes_are_uncorrelated():
    modes = np.stack([dctn(field(4, seed), norm="ortho") for seed in range(400)]).reshape(400, 16)
    correlation = np.corrcoef(modes[:, 1:].T)
    assert np.abs(correlation - np.eye(15)).max() < 0.25


def test_alpha_and_tau_shape_the_spectrum():
    expected = 32 * 5**2 / (np.pi**2 * (2**2 + 7**2) + 5**2) ** 1.5
    assert spectrum(32, alpha=3, tau=5)[2, 7] == pytest.approx(expected)


def test_field_is_the_orthonormal_inverse_dct_on_cell_centers():
    noise = white_noise(np.random.default_rng(0), 31)
    expected = idctn(spectrum(31) * noise, norm="ortho")
    measured = evaluate(noise, spectrum(31), cosine_basis(cell_centers(31), 31))
    np.testing.assert_allclose(measured, expected, rtol=0, atol=1e-12)


def test_field_has_no_constant_part():
    assert field(31, seed=0).mean() == pytest.approx(0, abs=1e-13)


def test_one_draw_is_one_function_whatever_the_points():
    n = 12
    noise, sigma = white_noise(np.random.default_rng(0), n), spectrum(n)
    x = np.array([0, 0.3, 1])
    measured = evaluate(noise, sigma, cosine_basis(x, n))
    for row, column in np.ndindex(3, 3):
        value = sum(
            sigma[j, k] * noise[j, k] * (2 - (j == 0)) ** 0.5 * (2 - (k == 0)) ** 0.5 / n
            * np.cos(np.pi * j * x[row]) * np.cos(np.pi * k * x[column])
            for j, k in np.ndindex(n, n)
        )  # fmt: skip
        assert measured[row, column] == pytest.approx(value, abs=1e-12)


def test_noise_in_a_given_array_is_the_same_draw():
    out = np.empty((5, 5))
    random_field.white_noise(np.random.default_rng(3), 5, out)
    np.testing.assert_array_equal(out, white_noise(np.random.default_rng(3), 5))
    assert not np.array_equal(out, white_noise(np.random.default_rng(4), 5))
