"""The derivative term: what it measures on uniform, stretched and curved grids and on graphs."""

import math

import numpy as np
import pytest
import torch

from llt.data.batch import Batch
from llt.data.neighbors import radius_graph
from llt.errors import ConfigError
from llt.problem import Problem
from llt.training.loss import RelativeL2, WithDerivatives, build_loss, relative_l2
from llt.training.loss.derivative import relative_derivatives


def on_grid(*grid, outputs=1):
    names = tuple(f"u{i}" for i in range(outputs))
    return Problem(name="box", space_dim=len(grid), inputs=(), outputs=names, grid=grid)


POINTS = Problem(name="cloud", space_dim=2, inputs=(), outputs=("u", "v"))


def batch_of(x, u, **more):
    """Of one sample or several: x (..., N, d), u (..., N, C)."""
    x, u = (z if z.ndim == 3 else z.unsqueeze(0) for z in (x, u))
    return Batch(x=x, a=x[..., :0], u=u, **more)


def mesh(*axes):
    """Points (N, d) of a grid with these coordinates along its axes."""
    return torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1).flatten(0, -2)


@pytest.mark.parametrize("grid", [(7, 9), (4, 5, 6), (2, 5)])
def test_on_a_uniform_grid_it_is_the_relative_error_of_plain_differences(grid):
    """Central inside, one-sided at the ends, as torch.gradient takes them with spacing one."""
    torch.manual_seed(0)
    problem = on_grid(*grid, outputs=2)
    x = mesh(*(0.3 * torch.arange(n) + 5 for n in grid)).expand(3, -1, -1)
    u, prediction = torch.randn(2, 3, math.prod(grid), 2)
    expected = 0
    for axis in range(1, len(grid) + 1):
        a, b = (torch.gradient(z.unflatten(1, grid), dim=axis)[0] for z in (prediction, u))
        expected = expected + relative_l2(a, b)
    actual = relative_derivatives(prediction, batch_of(x, u), problem)
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=0)


def test_differences_are_over_the_distance_of_the_points():
    """Of x² the slope between two points is the sum of both, however far apart they are."""
    side, other = torch.linspace(0, 1, 9) ** 3, torch.linspace(1, 2, 6).exp()
    x = mesh(side, other)
    u = x @ torch.tensor([[2.0], [5.0]])
    prediction = u + x[:, :1] ** 2 + x[:, 1:]
    slopes = torch.stack([side[min(i + 1, 8)] + side[max(i - 1, 0)] for i in range(9)])
    expected = slopes.square().mean().sqrt() / 2 + 1 / 5
    error = relative_derivatives(prediction.unsqueeze(0), batch_of(x, u), on_grid(9, 6))
    torch.testing.assert_close(error, expected.reshape(1), rtol=1e-4, atol=0)


def test_on_a_curved_grid_lengths_are_those_of_the_arcs():
    """Around a ring, axes are radius r and angle: derivatives are by r and by r times the angle."""
    r, angle = torch.linspace(1, 3, 200, dtype=torch.float64), torch.linspace(0, 3, 300)
    polar = mesh(r, angle.double())
    x = polar[:, :1] * torch.stack((polar[:, 1].cos(), polar[:, 1].sin()), dim=-1)

    def derivatives(power, order):
        """By radius and arc of r^power sin(order angle), beside it."""
        r, angle = polar.T
        u, wave = r**power * (order * angle).sin(), r ** (power - 1) * order
        return u, power * r ** (power - 1) * (order * angle).sin(), wave * (order * angle).cos()

    (u, *exact), (prediction, *other) = derivatives(1, 2), derivatives(2, 1)
    expected = sum((b - a).norm() / a.norm() for a, b in zip(exact, other, strict=True))
    batch = batch_of(x, u.unsqueeze(-1))
    actual = relative_derivatives(prediction.reshape(1, -1, 1), batch, on_grid(200, 300))
    assert actual.item() == pytest.approx(expected.item(), rel=1e-3)


def cloud(counts=(30, 20), seed=0):
    """A padded batch of point sets with their graphs, and a prediction."""
    rng, N = np.random.default_rng(seed), max(counts)
    x = rng.uniform(size=(len(counts), N, 2)).astype(np.float32)
    mask = np.arange(N) < np.array(counts)[:, None]
    graph = np.full((len(counts), N, 6), -1, np.int32)
    for row, count in enumerate(counts):
        graph[row, :count] = radius_graph(x[row, :count], 0.4, 6)
    u, prediction = torch.from_numpy(rng.normal(size=(2, len(counts), N, 2)).astype(np.float32))
    x, graph, mask = map(torch.from_numpy, (x, graph, mask))
    return batch_of(x, u, neighbors=graph, mask=mask), prediction


def test_on_a_point_set_it_is_the_relative_error_of_slopes_along_edges():
    batch, prediction = cloud()
    expected = []
    for row in range(2):
        slopes = []
        for i in range(30):
            for j in batch.neighbors[row, i].tolist():
                if j >= 0 and j != i:
                    distance = (batch.x[row, j] - batch.x[row, i]).norm()
                    pair = torch.stack((prediction[row], batch.u[row]))
                    slopes.append((pair[:, j] - pair[:, i]) / distance)
        a, b = torch.stack(slopes, dim=1)
        expected.append((a - b).norm() / b.norm())
    actual = relative_derivatives(prediction, batch, POINTS)
    torch.testing.assert_close(actual, torch.stack(expected), rtol=1e-4, atol=0)


def test_padding_does_not_count():
    batch, prediction = cloud()
    small = batch_of(
        batch.x[1:, :20], batch.u[1:, :20], neighbors=batch.neighbors[1:, :20], mask=None
    )
    alone = relative_derivatives(prediction[1:, :20], small, POINTS)
    torch.testing.assert_close(relative_derivatives(prediction, batch, POINTS)[1:], alone)


class Weighted(Batch):
    """A batch with weights of its own."""

    def weights(self, problem):
        return self.given


def weighted(x, u, weights):
    batch = Weighted(x=x, a=x[..., :0], u=u)
    batch.given = weights
    return batch


def test_at_the_edge_of_where_a_field_exists_derivatives_are_one_sided():
    """As if the grid ended there: field 1 on its first five rows, field 0 on all."""
    torch.manual_seed(0)
    x = mesh(torch.rand(8).cumsum(0), torch.rand(4).cumsum(0)).unsqueeze(0)
    u, prediction = torch.randn(2, 1, 32, 2)
    weights = torch.ones(1, 32, 2)
    weights[:, 20:, 1] = 0
    weights[..., 0] = 0  # of field 0 nothing, to see the other alone
    actual = relative_derivatives(prediction, weighted(x, u, weights), on_grid(8, 4, outputs=2))
    part = batch_of(x[:, :20], u[:, :20, 1:])
    torch.testing.assert_close(
        actual, relative_derivatives(prediction[:, :20, 1:], part, on_grid(5, 4))
    )


@pytest.mark.parametrize("problem", [on_grid(5, 6, outputs=2), POINTS], ids=["grid", "points"])
def test_weights_are_those_of_squared_errors(problem):
    """A field of weight four counts as if it were twice as large."""
    batch, prediction = cloud((30, 30))
    twice = torch.tensor([1.0, 2.0])
    heavy = weighted(batch.x, batch.u, (twice**2).expand(2, 30, 2))
    heavy.neighbors = batch.neighbors
    large = batch_of(batch.x, batch.u * twice, neighbors=batch.neighbors)
    torch.testing.assert_close(
        relative_derivatives(prediction, heavy, problem),
        relative_derivatives(prediction * twice, large, problem),
    )


def test_points_in_one_place_have_no_slope():
    x = mesh(torch.tensor([0.0, 0.0, 1.0, 2.0]), torch.tensor([0.0, 1.0]))
    x.requires_grad_()
    u = torch.arange(8.0).reshape(1, 8, 1)
    prediction = (u + 1).requires_grad_()
    error = relative_derivatives(prediction * 2, batch_of(x, u), on_grid(4, 2))
    error.sum().backward()
    assert error.isfinite().all() and prediction.grad.isfinite().all()


def test_directions_in_which_a_target_does_not_vary_ruin_nothing():
    x = mesh(torch.arange(5.0), torch.arange(4.0)).expand(2, -1, -1)
    u = torch.stack((x[0, :, :1], torch.full((20, 1), 3.0)))  # along one axis; not at all
    prediction = (u + 0.01 * torch.randn_like(u)).requires_grad_()
    error = relative_derivatives(prediction, batch_of(x, u), on_grid(5, 4))
    error.sum().backward()
    assert error[0] < 100 and error[1] == 0
    assert prediction.grad.isfinite().all()


def test_a_perfect_prediction_has_no_error_and_a_gradient_of_zero():
    batch, _ = cloud((30, 30))
    prediction = batch.u.clone().requires_grad_()
    error = WithDerivatives(POINTS, 0.5)(prediction, batch)
    error.sum().backward()
    assert not error.any() and not prediction.grad.any()


def test_the_term_is_added_with_its_weight():
    batch, prediction = cloud()
    loss = build_loss(POINTS, derivative=0.3, graph=True)
    expected = RelativeL2(POINTS)(prediction, batch)
    expected = expected + 0.3 * relative_derivatives(prediction, batch, POINTS)
    torch.testing.assert_close(loss(prediction, batch), expected)
    assert isinstance(build_loss(POINTS, derivative=0.0), RelativeL2)


def test_it_needs_a_grid_or_a_graph():
    message = "^train.derivative=0.1: cloud has no grid, .*; use train.derivative=0, or model llt$"
    with pytest.raises(ConfigError, match=message):
        build_loss(POINTS, derivative=0.1)
    assert isinstance(build_loss(on_grid(3, 3), derivative=0.1), WithDerivatives)
