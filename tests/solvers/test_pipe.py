import numpy as np
import pytest

from llt.errors import ConfigError, SolverError
from llt.solvers import pipe, sample_rng
from llt.solvers.base import Array
from llt.solvers.pipe.centerline import Centerline, draw_centerline, pipe_grid
from llt.solvers.pipe.flow import solve_flow

BENT = Centerline(np.array([0, 0.8, -0.5, 0.3, -0.9]), np.array([1.5, -1.8, 1.0, 2.0, -1.2]))
STRAIGHT = Centerline(np.zeros(5), np.zeros(5))


@pytest.fixture(scope="module")
def full_size() -> pipe.Fields:
    return pipe.solve_fields(BENT, pipe.Settings())


def simpson(u: Array) -> Array:
    """Integral across a pipe of width 1, exact for the solver's piecewise quadratics."""
    weights = np.full(u.shape[1], 2.0)
    weights[1::2] = 4
    weights[[0, -1]] = 1
    return u @ weights / weights.sum()


def with_quarter_points(values: Array) -> Array:
    """Biquadratic interpolation to the points halfway between the nodes, along both axes."""
    for axis in (0, 1):
        v = np.moveaxis(values, axis, 0)
        a, b, c = v[:-2:2], v[1::2], v[2::2]
        out = np.empty((2 * len(v) - 1, *v.shape[1:]))
        out[::2] = v
        out[1::4] = (3 * a + 6 * b - c) / 8
        out[3::4] = (3 * c + 6 * b - a) / 8
        values = np.moveaxis(out, 0, axis)
    return values


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def given_on_the_boundary(fields: Array) -> Array:
    """Velocity known all around, pressure in one corner."""
    known = np.full_like(fields, np.nan)
    known[[0, -1], :, :2] = fields[[0, -1], :, :2]
    known[:, [0, -1], :2] = fields[:, [0, -1], :2]
    known[0, 0, 2] = fields[0, 0, 2]
    return known


def kovasznay(points: Array) -> Array:
    """u_x, u_y, p of the flow behind a row of cylinders at Reynolds number 40."""
    x, y = np.moveaxis(points, -1, 0)
    rate = 20 - np.sqrt(400 + 4 * np.pi**2)
    wave, decay = 2 * np.pi * y, np.exp(rate * x)
    u_x, u_y = 1 - decay * np.cos(wave), rate / (2 * np.pi) * decay * np.sin(wave)
    return np.stack([u_x, u_y, -(decay**2) / 2], axis=-1)


def wavy_square(elements: int) -> Array:
    s, t = np.meshgrid(*2 * [np.linspace(0, 1, 2 * elements + 1)], indexing="ij")
    bump = 0.04 * np.sin(np.pi * s) * np.sin(np.pi * t)
    return np.stack([s + bump, t + np.cos(2 * s) / 8 - bump], axis=-1) - 0.5


@pytest.mark.parametrize(
    "settings",
    [
        pipe.Settings(elements=6),
        pipe.Settings(elements=4, viscosity=0.03, peak_velocity=0.7, length=3.0, width=0.5),
    ],
    ids=["published", "other"],
)
def test_flow_in_a_straight_pipe_is_poiseuilles(settings):
    fields = pipe.solve_fields(STRAIGHT, settings)
    x, y = np.moveaxis(fields.points, -1, 0)
    peak, width = settings.peak_velocity, settings.width
    drop = 8 * settings.viscosity * peak * settings.length / width**2
    assert fields.velocity[..., 0] == pytest.approx(peak * (1 - (2 * y / width) ** 2), abs=1e-10)
    assert fields.velocity[..., 1] == pytest.approx(0 * x, abs=1e-10)
    assert fields.pressure == pytest.approx(drop * (1 - x / settings.length), abs=1e-10)
    assert fields.pressure[0, 0] - fields.pressure[-1, 0] == pytest.approx(drop, abs=1e-10)


def test_error_of_kovasznay_flow_falls_at_orders_three_and_two():
    errors = []
    for elements in (6, 12, 24):
        points = wavy_square(elements)
        exact = kovasznay(points)
        flow = solve_flow(points, given_on_the_boundary(exact), viscosity=1 / 40).fields
        # between the nodes too, where the error of interpolation shows
        fine = kovasznay(with_quarter_points(points))[..., :2]
        pressure = flow[..., 2] - exact[..., 2]
        errors.append(
            (rms(with_quarter_points(flow[..., :2]) - fine), rms(pressure - pressure.mean()))
        )
    velocity, pressure = np.log2(np.divide(errors[:-1], errors[1:])).T
    assert velocity == pytest.approx(3, abs=0.2)
    assert pressure == pytest.approx(2, abs=0.2)


def test_a_quadratic_flow_driven_by_a_force_is_exact():
    # u = (y², x²) and p = x - 2y lie in the discrete space; n and m differ
    x, y = np.meshgrid(np.linspace(0, 2, 9), np.linspace(-1, 1, 7), indexing="ij")
    exact = np.stack([y**2, x**2, x - 2 * y], axis=-1)
    viscosity = 0.1

    def force(x: Array) -> Array:
        return np.stack([2 * x[0] ** 2 * x[1] + 1, 2 * x[1] ** 2 * x[0] - 2]) - 2 * viscosity

    points, known = np.stack([x, y], axis=-1), given_on_the_boundary(exact)
    flow = solve_flow(points, known, viscosity=viscosity, force=force, tolerance=1e-12)
    assert flow.fields == pytest.approx(exact, abs=1e-10)


def test_mass_is_conserved_in_every_column_of_elements():
    # what the discrete equations make exact: the flux averaged over a column of elements, for
    # its sum with hat functions of x vanishes, and the flux through the outlet
    settings = pipe.Settings(elements=12)
    flux = simpson(pipe.solve_fields(BENT, settings).velocity[..., 0])
    inlet = settings.peak_velocity * 2 / 3
    columns = (flux[:-2:2] + 4 * flux[1::2] + flux[2::2]) / 6
    assert flux[[0, -1]] == pytest.approx(inlet, abs=1e-13)
    assert columns == pytest.approx(inlet, abs=1e-13)


def test_mass_through_single_stations_is_conserved_to_mesh_accuracy(full_size):
    flux = simpson(full_size.velocity[..., 0])
    assert flux == pytest.approx(1 / 6, rel=0.004)


def test_the_outlet_is_free(full_size):
    # the flow leaves downwards, as the pipe does, and nothing pushes back
    u_x, u_y = full_size.velocity[-1, 64]
    inlet, outlet = simpson(full_size.pressure)[[0, -1]]
    assert u_y < -0.5 * u_x
    assert abs(outlet) < 0.001 * inlet


def test_a_mirrored_pipe_has_the_mirrored_flow():
    settings = pipe.Settings(elements=12)
    fields = pipe.solve_fields(BENT, settings)
    mirrored = pipe.solve_fields(Centerline(-BENT.heights, -BENT.slopes), settings)
    flipped = fields.velocity[:, ::-1] * [1, -1]
    assert mirrored.velocity == pytest.approx(flipped, abs=1e-11)
    assert mirrored.pressure == pytest.approx(fields.pressure[:, ::-1], abs=1e-11)
    # and the bend matters: the flow itself is not symmetric
    assert np.abs(fields.velocity - flipped).max() > 0.05


def test_newton_converges_quadratically():
    stokes, *rest = pipe.solve_fields(BENT, pipe.Settings(elements=12)).residuals
    ratios = np.divide(rest, np.square([stokes, *rest[:-1]]))
    assert len(rest) == 4
    assert ratios.max() < 4 * ratios.min()


def test_error_falls_by_more_than_four_when_the_mesh_is_halved(full_size):
    exact = full_size.velocity[..., 0]
    errors = []
    for elements in (16, 32):
        u = pipe.solve_fields(BENT, pipe.Settings(elements=elements)).velocity[..., 0]
        step = 64 // elements
        errors.append(rms(u - exact[::step, ::step]) / rms(exact))
    assert errors[1] < 0.01
    assert errors[0] > 4 * errors[1]


def test_grid_follows_the_centerline_along_the_first_index():
    points = pipe_grid(BENT, 8, length=10.0, width=1.0)
    assert points.shape == (17, 17, 2)
    assert points[:, 3, 0] == pytest.approx(np.linspace(0, 10, 17))
    assert points[::4, 8, 1] == pytest.approx(BENT.heights)
    assert points[5, :, 1] - points[5, 0, 1] == pytest.approx(np.linspace(0, 1, 17))


def test_slopes_of_the_centerline_are_per_piece():
    knots, step = np.linspace(0, 1, 5), 1e-6
    before, after = BENT(knots[1:] - step), BENT(knots[:-1] + step)
    assert (BENT.heights[1:] - before) / (4 * step) == pytest.approx(BENT.slopes[1:], abs=1e-4)
    assert (after - BENT.heights[:-1]) / (4 * step) == pytest.approx(BENT.slopes[:-1], abs=1e-4)


def test_centerlines_fill_the_published_ranges():
    rng = sample_rng(0, 0)
    drawn = [draw_centerline(rng, 4, max_height=1.0, max_slope=2.0) for _ in range(2000)]
    heights = np.array([c.heights for c in drawn])
    slopes = np.array([c.slopes for c in drawn])
    assert not heights[:, 0].any()
    for values, limit in ((heights[:, 1:], 1.0), (slopes, 2.0)):
        assert np.abs(values).max() == pytest.approx(limit, rel=0.01)
        assert values.std(axis=0) == pytest.approx(limit / np.sqrt(3), rel=0.05)
        assert values.mean(axis=0) == pytest.approx(0, abs=0.05 * limit)


def test_a_sample_holds_the_streamwise_velocity_and_its_parameters():
    settings = pipe.Settings(elements=6)
    solution = pipe.solve_sample(sample_rng(0, 3), settings, index=3)
    info = solution.info
    centerline = Centerline(
        np.array([info[f"height_{k}"] for k in range(5)]),
        np.array([info[f"slope_{k}"] for k in range(5)]),
    )
    fields = pipe.solve_fields(centerline, settings)
    assert solution.inputs == {}
    assert solution.outputs.keys() == {"velocity"}
    assert np.array_equal(solution.points, fields.points)
    assert np.array_equal(solution.outputs["velocity"], fields.velocity[..., 0])
    assert solution.outputs["velocity"][0] == pytest.approx(
        0.25 * (1 - np.linspace(-1, 1, 13) ** 2)
    )
    assert info["newton_iterations"] == len(fields.residuals) - 1
    assert info["residual"] == fields.residuals[-1] <= settings.tolerance


def test_the_same_stream_gives_the_same_sample():
    settings = pipe.Settings(elements=6)
    first, again, other = (pipe.solve_sample(sample_rng(0, k), settings) for k in (1, 1, 2))
    assert np.array_equal(first.outputs["velocity"], again.outputs["velocity"])
    assert first.info == again.info
    assert not np.array_equal(first.points, other.points)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (pipe.Settings(elements=6, max_iterations=1), r"after 1 Newton steps is not below 1e-09"),
        (pipe.Settings(elements=6, viscosity=1e-5), r"after 10 Newton steps"),
        (pipe.Settings(elements=6, viscosity=1e-320), r"flow: factor is exactly singular"),
    ],
    ids=["too few steps", "too fast", "inviscid"],
)
def test_a_flow_that_is_not_found_is_an_error(settings, message):
    with pytest.raises(SolverError, match=message):
        pipe.solve_fields(BENT, settings)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"elements": 1}, "elements=1 must be at least 2"),
        ({"pieces": 0}, "pieces=0 must be at least 1"),
        ({"max_iterations": 0}, "max_iterations=0 must be at least 1"),
        ({"viscosity": 0.0}, "viscosity=0 must be positive and finite"),
        ({"peak_velocity": -1.0}, "peak_velocity=-1 must be positive"),
        ({"length": np.inf}, "length=inf must be positive and finite"),
        ({"width": np.nan}, "width=nan must be positive"),
        ({"max_height": -0.5}, "max_height=-0.5 must be finite and at least 0"),
        ({"max_slope": np.nan}, "max_slope=nan must be finite"),
        ({"tolerance": 0.0}, "tolerance=0 must be between 0 and 1"),
    ],
)
def test_bad_settings_are_named(setting, message):
    with pytest.raises(ConfigError, match=message):
        pipe.Settings(**setting)
