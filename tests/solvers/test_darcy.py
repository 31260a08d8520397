from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from llt.errors import ConfigError, DataError, SolverError
from llt.solvers import darcy, random_field
from llt.solvers.base import sample_rng
from llt.solvers.darcy import Settings, solve, solve_permeability, solve_sample

SMALL = Settings(resolution=85)
MEANS = ["arithmetic", "harmonic"]


def manufactured(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a = 2 + sin(2 pi x) cos(pi y), u = sin(pi x) sin(2 pi y) and the f that joins them."""
    y, x = np.meshgrid(*2 * [np.pi * np.linspace(0, 1, n)], indexing="ij")
    a, u = 2 + np.sin(2 * x) * np.cos(y), np.sin(x) * np.sin(2 * y)
    a_x, a_y = 2 * np.cos(2 * x) * np.cos(y), -np.sin(2 * x) * np.sin(y)
    u_x, u_y = np.cos(x) * np.sin(2 * y), 2 * np.sin(x) * np.cos(2 * y)
    return a, np.pi**2 * (5 * a * u - a_x * u_x - a_y * u_y), u


def two_phase(n: int, seed: int = 0) -> np.ndarray:
    """Blocks of 3 and 12, without symmetry."""
    blocks = np.random.default_rng(seed).choice([3.0, 12.0], (8, 8))
    return np.kron(blocks, np.ones((n // 8 + 1, n // 8 + 1)))[:n, :n]


def sparse_matrix(a: np.ndarray, face_mean: str) -> sp.csc_array:
    """The five-point matrix on the interior nodes, link by link."""
    n = len(a)
    inside = np.full((n, n), -1)
    inside[1:-1, 1:-1] = np.arange((n - 2) ** 2).reshape(n - 2, n - 2)
    entries = []
    for i, j in np.ndindex(n - 2, n - 2):
        for di, dj in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            here, there = a[i + 1, j + 1], a[i + 1 + di, j + 1 + dj]
            link = (here + there) / 2 if face_mean == "arithmetic" else 2 / (1 / here + 1 / there)
            row, column = inside[i + 1, j + 1], inside[i + 1 + di, j + 1 + dj]
            entries.append((row, row, link))
            if column >= 0:
                entries.append((row, column, -link))
    rows, columns, values = zip(*entries, strict=True)
    return sp.csc_array(sp.coo_array((values, (rows, columns)))) * (n - 1) ** 2


def relative(difference: np.ndarray, reference: np.ndarray) -> float:
    return float(np.linalg.norm(difference) / np.linalg.norm(reference))


@pytest.mark.parametrize("face_mean", MEANS)
def test_error_falls_at_second_order(face_mean):
    errors = []
    for n in (27, 53, 105):
        a, f, exact = manufactured(n)
        errors.append(np.abs(solve(a, f, face_mean=face_mean)[0] - exact).max())
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert orders == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("face_mean", MEANS)
def test_agrees_with_a_sparse_direct_solve(face_mean):
    n = 53
    a, f = two_phase(n), 1 + np.random.default_rng(1).random((n, n))
    u, _ = solve(a, f, face_mean=face_mean)
    direct = spsolve(sparse_matrix(a, face_mean), f[1:-1, 1:-1].ravel()).reshape(n - 2, n - 2)
    assert relative(u[1:-1, 1:-1] - direct, direct) < 1e-10


def test_constant_permeability_gives_the_poisson_series():
    n = 169
    u, info = solve(np.full((n, n), 4.0), np.ones((n, n)))
    assert u[n // 2, n // 2] == pytest.approx(0.0736713 / 4, rel=5e-5)
    assert info["iterations"] == 2  # one, and one for single precision


@pytest.mark.parametrize("face_mean", MEANS)
def test_flux_through_the_boundary_balances_the_source(face_mean):
    n = 85
    a, f = two_phase(n), 1 + np.random.default_rng(1).random((n, n))
    u, _ = solve(a, f, face_mean=face_mean)
    outflow = 0.0
    for _side in range(4):
        faces = darcy.FACE_MEANS[face_mean](a[0], a[1])
        outflow += faces[1:-1] @ u[1, 1:-1]
        a, u = np.rot90(a), np.rot90(u)
    assert outflow == pytest.approx(f[1:-1, 1:-1].sum() / (n - 1) ** 2, rel=1e-9)


def test_iterations_do_not_depend_on_the_mesh():
    iterations = [solve(two_phase(n), np.ones((n, n)))[1]["iterations"] for n in (41, 161)]
    assert abs(iterations[0] - iterations[1]) <= 3
    assert max(iterations) < 30


def test_no_source_gives_no_pressure():
    u, info = solve(two_phase(21), np.zeros((21, 21)))
    assert not u.any()
    assert info == {"iterations": 0, "residual": 0.0}


def test_inputs_are_left_as_they_were():
    a, f = two_phase(21), np.ones((21, 21))
    solve(a, f)
    np.testing.assert_array_equal(a, two_phase(21))
    np.testing.assert_array_equal(f, np.ones((21, 21)))


@pytest.mark.parametrize("variant", ["spline", "nodal"])
def test_scaled_permeability_scales_the_pressure_down(variant):
    settings = replace(SMALL, variant=variant)
    one, five = (solve_permeability(c * two_phase(85), settings) for c in (1, 5))
    assert (
        relative(5 * five.outputs["pressure"] - one.outputs["pressure"], one.outputs["pressure"])
        < 1e-12
    )


@pytest.mark.parametrize("symmetry", [np.transpose, np.flipud, np.fliplr, np.rot90])
@pytest.mark.parametrize("variant", ["spline", "nodal"])
def test_symmetries_of_the_square_carry_over(variant, symmetry):
    settings = Settings(resolution=169, variant=variant)
    plain = solve_permeability(two_phase(169), settings)
    moved = solve_permeability(symmetry(two_phase(169)), settings)
    for fields, moved_fields in ((plain.inputs, moved.inputs), (plain.outputs, moved.outputs)):
        for name, values in fields.items():
            assert relative(moved_fields[name] - symmetry(values), values) < 1e-9


def test_samples_have_the_statistics_of_the_published_data():
    pressure = np.stack(
        [solve_sample(sample_rng(0, i), Settings()).outputs["pressure"] for i in range(12)]
    )
    inside, edge = pressure[:, 1:-1, 1:-1], np.ones((85, 85), dtype=bool)
    edge[1:-1, 1:-1] = False
    assert np.sqrt((inside**2).mean()) == pytest.approx(6.95e-3, rel=0.06)
    assert np.abs(pressure[:, edge]).mean() == pytest.approx(5.17e-5, rel=0.1)
    largest = pressure.max(axis=(1, 2))
    assert 0.009 < largest.min() < largest.max() < 0.016


def test_permeability_takes_its_two_values_equally_often():
    samples = [solve_sample(sample_rng(0, i), SMALL).inputs["permeability"] for i in range(20)]
    assert set(np.unique(samples)) == {3.0, 12.0}
    assert np.mean(np.equal(samples, 12)) == pytest.approx(0.5, abs=0.05)


def test_permeability_is_high_where_the_random_field_is_positive():
    noise = np.zeros((85, 85))
    noise[0, 1] = 1  # cos(pi x)

    class OneMode:
        def standard_normal(self, shape, out=None):
            return noise

    sample = solve_sample(OneMode(), SMALL)
    x = sample.points[..., 0]
    np.testing.assert_array_equal(sample.inputs["permeability"], np.where(x <= 0.5, 12, 3))


def test_settings_shape_the_random_field():
    sigma = darcy.linear_maps(replace(SMALL, alpha=3.0, tau=5.0)).sigma
    np.testing.assert_array_equal(sigma, random_field.spectrum(85, alpha=3, tau=5))


def test_both_variants_solve_the_same_draw():
    spline, nodal = (
        solve_sample(sample_rng(0, 0), Settings(resolution=169, variant=variant)).outputs[
            "pressure"
        ]
        for variant in ("spline", "nodal")
    )
    assert relative(spline - nodal, nodal) < 0.02


def test_nodal_pressure_vanishes_on_the_boundary():
    u = solve_sample(sample_rng(0, 0), replace(SMALL, variant="nodal")).outputs["pressure"]
    assert not u[[0, -1]].any() and not u[:, [0, -1]].any()
    assert (u[1:-1, 1:-1] > 0).all()


def test_splines_are_exact_for_cubics_also_beyond_the_cell_centers():
    maps = darcy.linear_maps(SMALL)
    cells, nodes = (np.arange(85) + 0.5) / 85, np.linspace(0, 1, 85)

    def cubic(x: np.ndarray) -> np.ndarray:
        return 1 - 2 * x + 3 * x**2 - 4 * x**3

    np.testing.assert_allclose(maps.to_nodes @ cubic(cells), cubic(nodes), rtol=0, atol=1e-12)
    np.testing.assert_allclose(maps.to_stored @ cubic(nodes), cubic(cells), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("variant", "x"),
    [("spline", (np.arange(0, 169, 2) + 0.5) / 169), ("nodal", np.linspace(0, 1, 85))],
)
def test_points_are_the_places_of_the_stored_values(variant, x):
    points = solve_sample(sample_rng(0, 0), Settings(resolution=169, variant=variant)).points
    assert points.shape == (85, 85, 2)
    np.testing.assert_allclose(points[7, :, 0], x)
    np.testing.assert_allclose(points[:, 7, 1], x)


@pytest.mark.parametrize("variant", ["spline", "nodal"])
def test_stored_values_are_every_kth_of_the_solve(variant):
    full = Settings(resolution=85, stored_resolution=85, variant=variant)
    few = replace(full, stored_resolution=22)
    every, fourth = (solve_sample(sample_rng(0, 0), settings) for settings in (full, few))
    np.testing.assert_array_equal(
        fourth.inputs["permeability"], every.inputs["permeability"][::4, ::4]
    )
    np.testing.assert_allclose(
        fourth.outputs["pressure"], every.outputs["pressure"][::4, ::4], atol=1e-15
    )


def test_same_seed_same_sample():
    first, again, other = (
        solve_sample(sample_rng(seed, 0), SMALL).outputs["pressure"] for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_failure_to_converge_says_how_far_it_came():
    with pytest.raises(SolverError, match=r"residual \d\.\de-0\d after 3 iterations, wanted 1e-10"):
        solve_sample(sample_rng(0, 0), replace(SMALL, max_iterations=3))


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (42, "not positive definite"),
        (232, r"pressure from 0 to 0\.042, must be within 0 and 0\.027"),
    ],
)
def test_draws_that_the_splines_spoil_are_refused(index, message):
    with pytest.raises(SolverError, match=message):
        solve_sample(sample_rng(0, index), Settings(resolution=43, stored_resolution=43))


def test_an_indefinite_operator_is_refused():
    with pytest.raises(SolverError, match="not positive definite"):
        solve(-np.ones((9, 9)), np.ones((9, 9)), face_mean="arithmetic")


def test_bad_arrays_are_refused():
    with pytest.raises(DataError, match=r"a \(5, 5\) and f \(5, 6\)"):
        solve(np.ones((5, 5)), np.ones((5, 6)))
    with pytest.raises(DataError, match="positive a, its minimum is -1"):
        solve(-np.ones((5, 5)), np.ones((5, 5)))
    with pytest.raises(ConfigError, match="unknown face mean 'harmonious'; did you mean harmonic"):
        solve(np.ones((5, 5)), np.ones((5, 5)), face_mean="harmonious")
    with pytest.raises(DataError, match=r"permeability is \(5, 5\), must be \(85, 85\)"):
        solve_permeability(np.ones((5, 5)), SMALL)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"variant": "nodall"}, "unknown variant 'nodall'; did you mean nodal"),
        ({"resolution": 4}, "resolution=4 must be at least 5"),
        ({"resolution": 13, "stored_resolution": 6}, "choose from 2, 3, 4, 5, 7, 13"),
        ({"stored_resolution": 86}, "stored_resolution=86 is not every k-th of 421 points"),
        ({"low": 0.0}, "low=0 and high=12"),
        ({"low": 13.0}, "low=13 and high=12"),
        ({"high": float("nan")}, "high=nan"),
        ({"alpha": 1.0}, "alpha=1 must be above 1"),
        ({"tau": 0.0}, "tau=0 above 0"),
        ({"tolerance": 0.0}, "tolerance=0 must be between 0 and 1"),
        ({"max_iterations": 0}, "max_iterations=0 must be at least 1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        Settings(**settings)
