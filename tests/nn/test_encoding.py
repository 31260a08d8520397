import math

import torch

from llt.nn.encoding import (
    SlowTimeEmbedding,
    TimeEmbedding,
    distance_encoding,
    fourier_features,
    unit_grid,
)


def test_fourier_features_are_sines_and_cosines_of_doubling_frequency():
    x = torch.tensor([[[0.3, 0.8]]], dtype=torch.double)
    expected = {
        round(f(2**b * z), 12) for f in (math.sin, math.cos) for b in range(4) for z in (0.3, 0.8)
    }
    features = fourier_features(x, bands=4)
    assert features.shape == (1, 1, 16)
    assert {round(v, 12) for v in features.flatten().tolist()} == expected


def test_unit_grid_runs_slowest_axis_first():
    grid = unit_grid((2, 3))
    assert grid.tolist() == [[0, 0], [0, 0.5], [0, 1], [1, 0], [1, 0.5], [1, 1]]


def test_distances_to_reference_points():
    reference = unit_grid((2, 2))
    distances = distance_encoding(torch.tensor([[[1.0, 0.0]]]), reference)
    torch.testing.assert_close(
        distances[0, 0], torch.tensor([1.0, 2**0.5, 0.0, 1.0]), atol=1e-5, rtol=0
    )


def test_distance_gradient_is_finite_on_a_reference_point():
    x = torch.zeros(1, 1, 2, requires_grad=True)
    distance_encoding(x, unit_grid((2, 2))).sum().backward()
    assert x.grad.isfinite().all()


def test_frequencies_of_time_grow_by_a_constant_factor():
    frequencies = TimeEmbedding(8, highest=1000).frequencies
    torch.testing.assert_close(frequencies, torch.tensor([1.0, 10.0, 100.0, 1000.0]))


def test_different_times_get_different_embeddings():
    embed = TimeEmbedding(8)
    a, b = embed(torch.tensor([0.25, 0.3]))
    assert not torch.allclose(a, b)


def test_frequencies_of_slow_time_fall_by_a_constant_factor():
    embed = SlowTimeEmbedding(8)
    torch.testing.assert_close(embed.frequencies, torch.tensor([1.0, 0.1, 0.01, 0.001]))
    assert "frequencies" not in embed.state_dict()
