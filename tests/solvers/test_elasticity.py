from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from llt.errors import ConfigError, DataError, SolverError
from llt.solvers.elasticity import (
    VERSION,
    Settings,
    equilibrium,
    material,
    solve_sample,
    solve_void,
    void,
)
from llt.solvers.elasticity.mesh import CENTER, Mesh, morph, quadrature, template
from llt.solvers.elasticity.probe import stress_at
from llt.solvers.elasticity.sample import pull

C1, C2 = 1.863e5, 9.79e3  # the published constants, on purpose not taken from the module
THETA = np.array([12.0, -7.0, 20.0, 3.0, -15.0, 9.0, 4.0, -18.0, 11.0, 6.0])


def strains(num: int) -> np.ndarray:
    """Random Green strains far from zero."""
    f = np.eye(2) + np.random.default_rng(0).uniform(-0.3, 0.3, (num, 2, 2))
    return (f.swapaxes(1, 2) @ f - np.eye(2)) / 2


def distorted_square(n: int = 3) -> Mesh:
    """n x n elements on the unit square, all nodes inside moved at random."""
    ticks = np.linspace(0, 1, 2 * n + 1)
    nodes = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    inside = ((nodes > 0) & (nodes < 1)).all(axis=1)
    nodes[inside] += np.random.default_rng(1).uniform(-0.02, 0.02, (inside.sum(), 2))
    number = np.arange(len(nodes)).reshape(2 * n + 1, 2 * n + 1)
    corners = [(2 * j, 2 * i) for j in range(n) for i in range(n)]
    return Mesh(nodes, np.array([number[j : j + 3, i : i + 3].ravel() for j, i in corners]))


def morphed(theta: np.ndarray, level: int = 0) -> Mesh:
    return morph(template(level), partial(void.radius, theta))


def relative_l2(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


# material


def energy(strain: np.ndarray) -> float:
    """W of the three-dimensional C, with C33 from incompressibility."""
    c = np.eye(3)
    c[:2, :2] += 2 * strain
    c[2, 2] = 1 / np.linalg.det(c[:2, :2])
    i1, i2 = np.trace(c), (np.trace(c) ** 2 - np.trace(c @ c)) / 2
    return C1 * (i1 - 3) + C2 * (i2 - 3)


def slope(function, strain: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """∂function/∂E_kl by central differences, symmetric pairs moved together."""
    slopes = []
    for k, m in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        change = np.zeros((2, 2))
        change[k, m] += step / 2
        change[m, k] += step / 2
        slopes.append((function(strain + change) - function(strain - change)) / (2 * step))
    return np.stack(slopes, axis=-1).reshape(*np.shape(slopes[0]), 2, 2)


def test_stress_is_the_slope_of_the_energy():
    for strain in strains(5):
        assert relative_l2(material.stress(strain), slope(energy, strain)) < 1e-8


def test_tangent_is_the_slope_of_the_stress():
    for strain in strains(5):
        assert relative_l2(material.tangent(strain), slope(material.stress, strain)) < 1e-8


def test_von_mises_stress_of_tension_shear_and_equal_biaxial_tension():
    sigma = np.array([[[0, 0], [0, 5]], [[0, 2], [2, 0]], [[3, 0], [0, 3]]], dtype=float)
    assert material.von_mises(sigma) == pytest.approx([5, 2 * math.sqrt(3), 3])


# finite elements


def test_forces_vanish_inside_a_uniformly_deformed_body():
    """Patch test: the edge is deformed linearly, the inside must follow exactly."""
    mesh = distorted_square()
    linear = mesh.nodes @ np.array([[0.2, -0.1], [0.15, -0.05]]).T
    edge = ((mesh.nodes == 0) | (mesh.nodes == 1)).any(axis=1)
    held = np.repeat(edge[:, None], 2, axis=1)
    start = np.where(held, linear, 0.9 * linear)
    state = equilibrium.solve(mesh, held=held, start=start, load=np.zeros_like(linear))
    assert state.displacement == pytest.approx(linear, abs=1e-10)
    assert np.ptp(state.stress, axis=(0, 1)).max() < 1e-8 * abs(state.stress).max()


def test_finite_uniaxial_stretch_has_the_closed_form_stress():
    mesh, stretch = distorted_square(), 1.7
    x, y = mesh.nodes.T
    held = np.stack([x == 0, (y == 0) | (y == 1)], axis=1)
    u = np.zeros_like(mesh.nodes)
    for height in np.linspace(1, stretch, 4)[1:]:
        u[:, 1] = y * (height - 1)
        state = equilibrium.solve(mesh, held=held, start=u, load=np.zeros_like(u))
        u = state.displacement.copy()
    expected = 2 * (C1 + C2 / stretch) * (stretch**2 - 1 / stretch)
    assert expected == pytest.approx(884148.44, rel=1e-8)
    assert material.von_mises(state.stress) == pytest.approx(expected, rel=1e-8)
    assert state.stress[..., 1, 1] == pytest.approx(expected, rel=1e-8)
    assert u[:, 0] == pytest.approx(x * (stretch**-0.5 - 1), abs=1e-9)


def test_a_balanced_state_turned_inside_out_is_no_solution():
    mesh, stretch = distorted_square(), 1.7
    x, y = mesh.nodes.T
    held = np.stack([x == 0, (y == 0) | (y == 1)], axis=1)
    start = np.stack([x * (-(stretch**-0.5) - 1), y * (stretch - 1)], axis=1)
    with pytest.raises(SolverError, match="Newton diverged"):
        equilibrium.solve(mesh, held=held, start=start, load=np.zeros_like(start))


def test_stiffness_is_the_slope_of_the_internal_forces():
    mesh = distorted_square(2)
    rule, rng = quadrature(mesh), np.random.default_rng(2)
    u, v = rng.uniform(-0.03, 0.03, (2, *mesh.nodes.shape))

    def forces(amount: float) -> np.ndarray:
        h = equilibrium.gradient(mesh, rule, u + amount * v)
        return equilibrium.internal_forces(mesh, rule, h).ravel()

    free = np.ones(u.shape, dtype=bool)
    matrix = equilibrium.stiffness(mesh, rule, equilibrium.gradient(mesh, rule, u), free)
    assert relative_l2(matrix @ v.ravel(), (forces(1e-5) - forces(-1e-5)) / 2e-5) < 1e-8
    assert abs(matrix - matrix.T).max() < 1e-12 * abs(matrix).max()


def test_rotating_the_deformed_body_turns_the_forces_and_keeps_the_stress():
    mesh = morphed(THETA)
    state = pull(mesh, 1e4)
    turn = np.array([[math.cos(1), -math.sin(1)], [math.sin(1), math.cos(1)]])
    rotated = (mesh.nodes + state.displacement) @ turn.T - mesh.nodes
    rule = quadrature(mesh)
    h = equilibrium.gradient(mesh, rule, rotated)
    forces = equilibrium.internal_forces(mesh, rule, h)
    assert forces == pytest.approx(state.forces @ turn.T, abs=1e-8)
    vm = material.von_mises(equilibrium.cauchy_stress(h))
    assert relative_l2(vm, material.von_mises(state.stress)) < 1e-10


def test_the_support_carries_the_load_and_its_moment():
    mesh = morphed(THETA)
    state = pull(mesh, 100.0)
    bottom = mesh.nodes[:, 1] < 1e-12
    assert state.forces[bottom].sum(axis=0) == pytest.approx([0, -100], abs=1e-6)
    assert state.forces[mesh.nodes[:, 1] > 1 - 1e-12].sum(axis=0) == pytest.approx([0, 100])
    x, y = (mesh.nodes + state.displacement).T
    assert abs((x * state.forces[:, 1] - y * state.forces[:, 0]).sum()) < 1e-6


def test_stress_is_nearly_proportional_to_the_load():
    once, twice = (solve_void(THETA, Settings(traction=t)).outputs["stress"] for t in (100, 200))
    assert 1e-5 < relative_l2(twice, 2 * once) < 1e-3


def test_newton_converges_quadratically():
    residuals = pull(morphed(THETA), 3e4).residuals
    orders = [
        math.log(c / b) / math.log(b / a)
        for (a, b), (_, c) in pairwise(pairwise(residuals))
        if 1e-9 < c < b < 0.1
    ]
    assert orders and orders[-1] > 1.8


# plate with a hole


def kirsch_displacement(points: np.ndarray, radius: float) -> np.ndarray:
    """Infinite plate of the linear solid with ν = 1/2 in plane stress, pulled by 1 along y."""
    mu, kappa = 2 * (C1 + C2), 5 / 3
    x, y = (points - CENTER).T  # angles count from the axis of the load
    t, q = np.arctan2(x, y), radius / np.hypot(x, y)
    scale = radius / (8 * mu)
    along = (kappa + 1) * np.cos(t) / q + 2 * q * ((1 + kappa) * np.cos(t) + np.cos(3 * t))
    across = (kappa - 3) * np.sin(t) / q + 2 * q * ((1 - kappa) * np.sin(t) + np.sin(3 * t))
    decay = 2 * q**3
    return scale * np.stack([across - decay * np.sin(3 * t), along - decay * np.cos(3 * t)], axis=1)


def kirsch_stress(points: np.ndarray, radius: float) -> np.ndarray:
    x, y = (points - CENTER).T
    t, q = np.arctan2(x, y), (radius / np.hypot(x, y)) ** 2
    c2, c4, s2, s4 = np.cos(2 * t), np.cos(4 * t), np.sin(2 * t), np.sin(4 * t)
    along = 1 - q * (1.5 * c2 + c4) + 1.5 * q**2 * c4
    across = -q * (0.5 * c2 - c4) - 1.5 * q**2 * c4
    shear = -q * (0.5 * s2 + s4) + 1.5 * q**2 * s4
    return np.stack([across, shear, shear, along], axis=1).reshape(-1, 2, 2)


def test_kirsch_plate_converges_at_second_order_to_three_times_the_load():
    errors, factors, drifts = [], [], []
    for level in range(3):
        mesh = template(level)
        exact = kirsch_displacement(mesh.nodes, 0.3)
        edge = ((mesh.nodes == 0) | (mesh.nodes == 1)).any(axis=1)
        held = np.repeat(edge[:, None], 2, axis=1)
        load = np.zeros_like(exact)
        state = equilibrium.solve(mesh, held=held, start=np.where(held, exact, 0), load=load)
        stress = kirsch_stress(state.points.reshape(-1, 2), 0.3)
        errors.append(relative_l2(state.stress.reshape(-1, 2, 2), stress))
        drifts.append(relative_l2(state.displacement, exact))
        sides = stress_at(mesh, state.displacement, np.array([[0.2, 0.5], [0.8, 0.5]]))
        factors.append(sides[:, 1, 1].mean())
    # measured 1.78 and 1.90: stress comes to order 2 from below, nodal displacement exceeds 3
    assert observed_orders(errors) == pytest.approx([1.8, 1.9], abs=0.1)
    assert (observed_orders(drifts) > 3).all()
    assert factors == pytest.approx([3.043, 3.0123, 3.0035], abs=1e-3)
    assert (4 * factors[2] - factors[1]) / 3 == pytest.approx(3, abs=2e-3)


def observed_orders(errors: list[float]) -> np.ndarray:
    return np.log2(np.divide(errors[:-1], errors[1:]))


# void and mesh


def slow_radius(theta: np.ndarray, phi: float) -> float:
    q = 0.0
    for k in range(1, 6):
        wave = (
            complex(theta[2 * k - 2], -theta[2 * k - 1])
            * complex(math.cos(phi), math.sin(phi)) ** k
        )
        q += wave.real / (math.sqrt(math.pi) * (k * k + 9))
    return 0.2 + 0.2 / (1 + math.exp(q))


def test_radius_follows_the_published_formula():
    radii = void.published_radius(THETA)
    assert radii == pytest.approx([slow_radius(THETA, 2 * math.pi * j / 41) for j in range(42)])
    # θ2 alone at φ = π/2: q = 10 √π / (√π 10) = 1
    theta = np.eye(10)[1] * 10 * math.sqrt(math.pi)
    assert void.radius(theta, np.array(math.pi / 2)) == pytest.approx(0.2 + 0.2 / (1 + math.e))


def test_drawn_voids_have_the_published_spread():
    rng = np.random.default_rng(0)
    theta = np.array([void.draw_theta(rng) for _ in range(4000)])
    assert theta.shape == (4000, 10)
    assert theta.mean() == pytest.approx(0, abs=0.3)
    assert theta.std(axis=0) == pytest.approx(16, rel=0.05)


@pytest.mark.parametrize(
    "level, num_elements, num_nodes", [(0, 108, 496), (1, 432, 1856), (2, 1728, 7168)]
)
def test_template_is_the_published_mesh_and_its_refinements(level, num_elements, num_nodes):
    mesh = template(level)
    assert mesh.elements.shape == (num_elements, 9)
    assert mesh.nodes.shape == (num_nodes, 2)
    assert np.unique(mesh.elements).tolist() == list(range(num_nodes))
    area = quadrature(mesh).weights.sum()
    assert area == pytest.approx(1 - math.pi * 0.3**2, abs=4e-6 / 16**level)


def test_morphing_moves_nodes_along_rays_in_proportion_from_the_void_to_the_edge():
    before, after = template().nodes - CENTER, morphed(THETA).nodes - CENTER
    phi = np.arctan2(*before.T[::-1])
    assert np.arctan2(*after.T[::-1]) == pytest.approx(phi, abs=1e-14)
    to_void = np.array([slow_radius(THETA, angle) for angle in phi])
    to_edge = 0.5 / np.maximum(abs(np.cos(phi)), abs(np.sin(phi)))
    r, s = np.hypot(*after.T), (np.hypot(*before.T) - 0.3) / (to_edge - 0.3)
    assert r == pytest.approx(to_void * (1 - s) + to_edge * s, abs=1e-14)
    assert ((s < 1e-9).sum(), (s > 1 - 1e-9).sum()) == (48, 80)  # nodes on the rim, on the edge


def test_probe_agrees_with_the_gauss_points():
    mesh = morphed(THETA)
    state = pull(mesh, 100.0)
    found = stress_at(mesh, state.displacement, state.points.reshape(-1, 2))
    assert relative_l2(found, state.stress.reshape(-1, 2, 2)) < 1e-10


# symmetry


MIRROR = np.array([(-1) ** k * sign for k in range(1, 6) for sign in (1, -1)])


def test_mirrored_mesh_gives_mirrored_stress():
    mesh = morphed(THETA)
    columns = [2, 1, 0, 5, 4, 3, 8, 7, 6]  # keeps the elements' orientation
    mirrored = Mesh(mesh.nodes * [-1, 1] + [1, 0], mesh.elements[:, columns])
    there = pull(mirrored, 100.0)
    here = pull(mesh, 100.0)
    assert there.points[:, columns] == pytest.approx(here.points * [-1, 1] + [1, 0])
    assert there.displacement == pytest.approx(here.displacement * [-1, 1], abs=1e-12)
    vm = material.von_mises(there.stress)[:, columns]
    assert relative_l2(vm, material.von_mises(here.stress)) < 1e-10


def test_mirrored_void_gives_mirrored_stress_within_the_mesh_error():
    """The template is not symmetric, so only exact solutions would mirror each other exactly."""
    phi = np.linspace(0, 2 * np.pi, 50)
    assert void.radius(THETA * MIRROR, phi) == pytest.approx(void.radius(THETA, np.pi - phi))
    gaps, mesh_errors = [], []
    fine = solved(THETA, level=2)
    for level in (0, 1):
        _, _, points, vm = solved(THETA, level)
        mesh, u, _, _ = solved(THETA * MIRROR, level)
        across = stress_at(mesh, u, points * [-1, 1] + [1, 0])
        gaps.append(relative_l2(material.von_mises(across), vm))
        exact = stress_at(fine[0], fine[1], points)
        mesh_errors.append(relative_l2(vm, material.von_mises(exact)))
    # beside mesh errors of 0.031 and 0.0106, against the mesh of a quarter of the size
    assert gaps == pytest.approx([0.038, 0.0115], rel=0.05)
    assert (np.divide(gaps, mesh_errors) < 1.5).all()


def solved(theta: np.ndarray, level: int) -> tuple[Mesh, np.ndarray, np.ndarray, np.ndarray]:
    """Mesh, displacement, Gauss points and von Mises stress."""
    mesh = morphed(theta, level)
    state = pull(mesh, 100.0)
    vm = material.von_mises(state.stress).ravel()
    return mesh, state.displacement, state.points.reshape(-1, 2), vm


# samples


def test_the_same_seed_gives_the_same_sample():
    first, again = (solve_sample(np.random.default_rng(7), Settings()) for _ in range(2))
    other = solve_sample(np.random.default_rng(8), Settings())
    assert (first.points == again.points).all()
    assert (first.outputs["stress"] == again.outputs["stress"]).all()
    assert not np.allclose(first.points, other.points)
    assert first.info["theta_9"] == pytest.approx(void.draw_theta(np.random.default_rng(7))[9])


def test_points_and_stress_keep_their_order_and_values():
    """These numbers change only together with VERSION."""
    sample = solve_void(THETA, Settings())
    stress = sample.outputs["stress"]
    assert VERSION == 1
    assert sample.points.shape == (972, 2) and stress.shape == (972,)
    assert sample.inputs == {}
    expected = {
        0: (0.09142815120047887, 0.428845435131477, 197.0722800941312),
        1: (0.11962841613868791, 0.4321878594911721, 223.40267245235003),
        3: (0.09381069918651637, 0.46444464518206807, 189.75430590857368),
        500: (0.988703665450351, 0.5482713138035483, 19.11483619785126),
        971: (0.08450609938885531, 0.5910126731659554, 160.53213516032338),
    }
    for i, row in expected.items():
        assert (*sample.points[i], stress[i]) == pytest.approx(row, rel=1e-8)
    assert stress.mean() == pytest.approx(163.9819851764215, rel=1e-8)
    assert sample.info["iterations"] == 3
    assert sample.info["residual"] < 1e-10


def test_stress_of_a_tiny_load_is_not_lost_in_rounding():
    small, tiny = (solve_void(THETA, Settings(traction=t)).outputs["stress"] for t in (1e-5, 1e-9))
    assert relative_l2(1e4 * tiny, small) < 1e-8


def test_refined_samples_have_four_times_the_points():
    assert solve_void(THETA, Settings(refine=1)).points.shape == (4 * 972, 2)


@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_theta_file_gives_each_sample_its_void(tmp_path, suffix):
    theta = np.stack([THETA, -THETA])
    path = tmp_path / f"voids.{suffix}"
    if suffix == "npy":
        np.save(path, theta)
    else:
        np.savez(path, rr=np.zeros(3), theta=theta)
    sample = solve_sample(np.random.default_rng(0), Settings(theta_file=str(path)), index=1)
    direct = solve_void(-THETA, Settings())
    assert (sample.outputs["stress"] == direct.outputs["stress"]).all()
    assert sample.info["theta_0"] == -12


@pytest.mark.parametrize(
    "content, index, message",
    [
        ({"rr": np.zeros(3)}, 0, "no array 'theta', only rr"),
        ({"theta": np.zeros((4, 9))}, 0, r"theta is float64 \(4, 9\), not numbers of \(n, 10\)"),
        ({"theta": np.full((4, 10), "a")}, 0, "theta is <U1"),
        ({"theta": np.zeros((4, 10))}, 4, "no sample 4, theta has rows 0 to 3"),
        ({"theta": np.zeros((4, 10))}, -1, "no sample -1"),
        ({"theta": np.full((4, 10), np.nan)}, 2, "theta of sample 2 is not finite"),
        ({"theta": np.array([{}])}, 0, "cannot be read"),
        (b"not an array", 0, "cannot be read"),
        (b"", 0, "cannot be read"),
        (None, 0, "no such file"),
    ],
)
def test_bad_theta_files_are_named_with_their_fault(tmp_path, content, index, message):
    path = tmp_path / "voids.npz"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        np.savez(path, **content)
    with pytest.raises(DataError, match=message) as caught:
        solve_sample(np.random.default_rng(0), Settings(theta_file=str(path)), index=index)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_theta_file_needs_an_index():
    with pytest.raises(ConfigError, match="so samples need an index"):
        solve_sample(np.random.default_rng(0), Settings(theta_file="voids.npz"))


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"traction": 0.0}, "traction is 0.0, not a positive number"),
        ({"traction": math.nan}, "traction is nan"),
        ({"traction": math.inf}, "traction is inf"),
        ({"refine": 3}, "refine is 3, not one of 0 to 2"),
        ({"refine": -1}, "refine is -1"),
    ],
)
def test_bad_settings_are_rejected(settings, message):
    with pytest.raises(ConfigError, match=message):
        Settings(**settings)


def test_a_void_that_folds_the_mesh_is_rejected_with_its_numbers():
    message = r"mesh folds.*traction 100, theta 0, 0, 0, 0, 0, 0, 0, 0, 10000, 0$"
    with pytest.raises(SolverError, match=message):
        solve_void(1e4 * np.eye(10)[8], Settings())


def test_a_load_beyond_newton_is_rejected_with_its_numbers():
    with pytest.raises(
        SolverError, match=r"Newton diverged: residuals 1.*traction 1e\+06, theta 12,"
    ):
        solve_void(THETA, Settings(traction=1e6))
