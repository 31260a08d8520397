import numpy as np
import pytest

from llt.errors import ConfigError, SolverError
from llt.solvers import airfoil
from llt.solvers.airfoil import euler, geometry, newton, nodes, preconditioner
from llt.solvers.airfoil.flux import GAMMA, roe

COARSE = {"panels": 30, "wake": 25, "layers": 25}
# the nodes between the two trailing edges of such a grid
WALL = np.s_[26:85]


def random_displacements(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.05, 0.05, (2, 4))


def published_grid(displacements: np.ndarray) -> np.ndarray:
    outline = geometry.airfoil(geometry.stations(60), displacements)
    return geometry.c_grid(outline, wake=50, layers=50, first=1 / 60)


def rectangle(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)


def exact_flux(w: np.ndarray, nx: float, ny: float) -> np.ndarray:
    r, u, v, p = w
    un = u * nx + v * ny
    enthalpy = GAMMA / (GAMMA - 1) * p + r * (u**2 + v**2) / 2
    return np.array([r * un, r * u * un + p * nx, r * v * un + p * ny, enthalpy * un])


def total_enthalpy(w: np.ndarray) -> np.ndarray:
    return GAMMA / (GAMMA - 1) * w[3] / w[0] + (w[1] ** 2 + w[2] ** 2) / 2


def entropy(w: np.ndarray) -> np.ndarray:
    """p / ρ^γ, which is 1 in the free stream."""
    return w[3] / w[0] ** GAMMA


def total_pressure(w: np.ndarray) -> np.ndarray:
    return w[3] * (1 + 0.2 * euler.mach_number(w) ** 2) ** 3.5


def cells_at_the_wall(w: np.ndarray) -> np.ndarray:
    """(4, 60), as a view."""
    return w.reshape(4, 114, 29)[:, 27:87, 2]


def conserved(w: np.ndarray) -> np.ndarray:
    r, u, v, p = w
    return np.array([r, r * u, r * v, p / (GAMMA - 1) + r * (u**2 + v**2) / 2])


# the grid


def test_stations_are_uniform_but_for_a_quarter_step_at_the_leading_edge():
    h = 1 / 59
    x = geometry.stations(60)
    assert len(x) == 61
    assert x[:4] == pytest.approx([0, h / 4, h, 2 * h])
    assert np.diff(x[2:]) == pytest.approx(h)
    assert x[-1] == 1


def test_undeformed_outline_is_a_closed_naca_0012():
    outline = geometry.airfoil(np.array([0, 0.3, 1]), np.zeros((2, 4)))
    # 12 percent thick at 30 percent of the chord, up to the digits of the coefficients
    assert outline[:, 0] == pytest.approx([1, 0.3, 0, 0.3, 1])
    assert outline[:, 1] == pytest.approx([0, 0.06, 0, -0.06, 0], abs=2e-5)


def test_deformation_is_cubic_in_x_and_linear_in_y():
    x = geometry.stations(20)
    still = geometry.airfoil(x, np.zeros((2, 4)))
    cubic = geometry.BOX_X**3 - geometry.BOX_X
    moved = geometry.airfoil(x, np.stack([np.zeros(4), cubic]))
    expected = (still[:, 0] ** 3 - still[:, 0]) * (still[:, 1] + 0.1) / 0.2
    assert moved[:, 1] - still[:, 1] == pytest.approx(expected, abs=1e-14)
    assert (moved[:, 0] == still[:, 0]).all()


def test_grid_has_the_published_layout():
    displacements = random_displacements()
    points = published_grid(displacements)
    inner, outer = points[:, 0], points[:, -1]
    assert points.shape == (221, 51, 2)
    assert (inner[:51] == inner[:-52:-1]).all()
    outline = geometry.airfoil(geometry.stations(60), displacements)
    assert inner[50:171] == pytest.approx(outline, rel=1e-12, abs=1e-14)  # products may round anew
    assert inner[110, 0] == 0
    assert inner[0] == pytest.approx([40, 0])
    assert np.hypot(*(outer[50:171] - [1, 0]).T) == pytest.approx(40)
    assert outer[:51, 1] == pytest.approx(40)
    assert np.diff(outer[:51, 0]) == pytest.approx(-39 / 50)
    assert outer[::-1] * [1, -1] == pytest.approx(outer, abs=1e-12)


def test_layers_grow_by_two_percent_and_then_reach_the_outer_boundary():
    points = published_grid(np.zeros((2, 4)))
    # ahead of the leading edge the layers are along the x axis, 39 chords of 40
    steps = -np.diff(points[110, :, 0]) * 40 / 39
    assert steps[0] == pytest.approx(2 / 120)
    ratios = steps[1:] / steps[:-1]
    assert ratios[:36] == pytest.approx(1.02)
    assert ratios[36:] == pytest.approx(ratios[-1])
    wake = -np.diff(points[:51, 0, 0])[::-1]
    assert wake[0] == pytest.approx(1 / 59)
    assert wake[1] / wake[0] == pytest.approx(1.02)


def test_folded_grid_is_rejected():
    nodes = rectangle(np.linspace(0, 1, 5), np.linspace(0, 1, 5))
    nodes[2, 2] = [0.9, 0.9]
    with pytest.raises(SolverError, match="1 of 16 cells are folded"):
        euler.make_block(nodes, euler.free_stream(0.8))


# the fluxes


def test_roe_flux_of_equal_states_is_the_flux():
    w = np.array([1.3, 0.4, -0.7, 0.9])
    for angle in np.linspace(0, 2 * np.pi, 7):
        n = np.cos(angle), np.sin(angle)
        assert roe(*w, *w, *n) == pytest.approx(exact_flux(w, *n), abs=1e-14)


@pytest.mark.parametrize("speed", [-0.5, 0.5], ids=["to the left", "to the right"])
def test_roe_flux_moves_a_shock_as_rankine_and_hugoniot_do(speed):
    mach = 2.0
    ratio = (GAMMA + 1) * mach**2 / ((GAMMA - 1) * mach**2 + 2)
    u = mach * np.sqrt(GAMMA)
    ahead = np.array([1.0, u, 0.3, 1.0])
    behind = np.array([ratio, u / ratio, 0.3, 1 + 2 * GAMMA / (GAMMA + 1) * (mach**2 - 1)])
    # seen from a frame in which the shock is not at rest
    ahead[1] += speed
    behind[1] += speed
    jump = exact_flux(behind, 1, 0) - exact_flux(ahead, 1, 0)
    assert jump == pytest.approx(speed * (conserved(behind) - conserved(ahead)))
    upwind = ahead if speed > 0 else behind
    assert roe(*ahead, *behind, 1.0, 0.0) == pytest.approx(exact_flux(upwind, 1, 0))


# the residual


def test_free_stream_stays_as_it_is_on_a_deformed_grid():
    points = published_grid(random_displacements())
    bottom = np.repeat([euler.CUT, euler.FAR, euler.CUT], [50, 120, 50])
    outlets = {"left": euler.OUTLET, "right": euler.OUTLET}
    block = euler.make_block(points, euler.free_stream(0.8), bottom=bottom, **outlets)
    w = np.repeat(block.far[:, None], len(block.cell), axis=1)
    out = np.full((len(block.inside), 4), np.nan)
    euler.residual(w, block, 1.0, out)
    assert np.abs(out).max() < 1e-12


def test_wake_line_joins_the_cells_above_and_below():
    points = published_grid(random_displacements())
    bottom = np.repeat([euler.CUT, euler.WALL, euler.CUT], [50, 120, 50])
    block = euler.make_block(points, euler.free_stream(0.8), bottom=bottom)
    w = np.ones((4, len(block.cell)))
    w[:, block.inside] = np.arange(len(block.inside))
    euler.fill_ghosts(w, block)
    rows = w[0].reshape(224, 54)[2:-2]
    assert (rows[:50, 1::-1] == rows[:-51:-1, 2:4]).all()
    assert (rows[-50:, 1::-1] == rows[49::-1, 2:4]).all()


def vortex(x: np.ndarray, y: np.ndarray, center: float) -> np.ndarray:
    """An isentropic vortex at (center, center) of a uniform stream in a box with period 10."""
    x, y = ((z - center + 5) % 10 - 5 for z in (x, y))
    strength = 0.5 / np.pi * np.exp((1 - x**2 - y**2) / 2)
    temperature = 1 - (GAMMA - 1) / (2 * GAMMA) * strength**2
    density = temperature ** (1 / (GAMMA - 1))
    return np.stack([density, 1 - strength * y, 1 + strength * x, density * temperature])


def vortex_error(n: int, time: float = 1.0) -> float:
    """Of the density after the vortex has drifted through a corner of the box."""
    nodes = rectangle(*2 * [np.linspace(-5, 5, n + 1)])
    edges = dict.fromkeys(("left", "right", "bottom", "top"), euler.PERIODIC)
    block = euler.make_block(nodes, np.ones(4), **edges)
    center = np.linspace(-5, 5, 2 * n + 1)[1::2]
    x, y = np.meshgrid(center, center, indexing="ij")
    w = np.ones((4, len(block.cell)))
    w[:, block.inside] = vortex(x, y, 4.5).reshape(4, -1)
    steps = n // 2
    cfl = time / steps / ((10 / n) ** 2 * block.step[0])

    def advance(w: np.ndarray) -> np.ndarray:
        out = np.empty((n * n, 4))
        euler.residual(w, block, 1.0, out)
        w = w.copy()
        w[:, block.inside] -= cfl * out.T
        return w

    for _ in range(steps):  # the third-order Runge-Kutta method of Shu and Osher
        w1 = 0.75 * w + 0.25 * advance(advance(w))
        w = w / 3 + 2 / 3 * advance(w1)
    exact = vortex(x, y, 4.5 + time)
    return float(np.abs(w[0, block.inside] - exact[0].ravel()).mean())


def test_vortex_drifts_at_second_order():
    assert np.log2(vortex_error(128) / vortex_error(256)) == pytest.approx(2, abs=0.1)


# the solution of the steady equations


@pytest.mark.parametrize(
    ("left", "right"), [(euler.FAR, euler.OUTLET), (euler.OUTLET, euler.EXIT)], ids=str
)
def test_preconditioner_inverts_the_jacobian_of_one_row_of_cells(left, right):
    # without neighbors across the row the matrix is tridiagonal, and the factorization exact
    nodes = rectangle(np.linspace(0, 1, 6) ** 1.5, np.array([0.0, 0.3]))
    nodes[..., 0] += nodes[..., 1]
    kinds = {"left": left, "right": right, "bottom": euler.WALL}
    block = euler.make_block(nodes, euler.free_stream(0.8), **kinds)
    w = np.repeat(block.far[:, None], len(block.cell), axis=1)
    z = np.random.default_rng(0).uniform(-1, 1, (5, 4))
    moved, change = w.copy(), np.empty((5, 4))
    moved[:, block.inside] += 1e-7 * z.T
    euler.residual(moved, block, 0.0, change)

    factors = preconditioner.allocate(block)
    preconditioner.prepare(w, block, 20.0, factors)
    out = np.empty((5, 4))
    preconditioner.precondition(factors, change / 1e-7 + z / 20, out)
    assert out == pytest.approx(z, abs=1e-4)


def test_oblique_shock_has_the_exact_angle_and_strength():
    x, eta = np.linspace(-0.2, 1, 73), np.linspace(0, 1, 61)
    nodes = rectangle(x, eta)
    wedge = np.tan(np.radians(10)) * np.maximum(x, 0)[:, None]
    nodes[..., 1] = wedge + eta * (1 - wedge)
    block = euler.make_block(nodes, euler.free_stream(2), bottom=euler.WALL, right=euler.EXIT)
    steady = newton.solve_steady(block)

    pressure = steady.w[3, block.inside].reshape(72, 60)
    center = (nodes[1:, 1:] + nodes[:-1, :-1] + nodes[1:, :-1] + nodes[:-1, 1:]) / 4
    assert pressure[40:, :6] == pytest.approx(1.7066, rel=0.01)
    columns = range(30, 65)
    heights = [np.interp(-1.353, -pressure[i], center[i, :, 1]) for i in columns]
    slope = np.polyfit(center[columns, 30, 0], heights, 1)[0]
    assert np.degrees(np.arctan(slope)) == pytest.approx(39.31, abs=0.3)


def test_symmetric_airfoil_has_no_lift_and_its_shock_at_midchord():
    settings = airfoil.Settings(**COARSE, tolerance=1e-11)
    flow = airfoil.solve_flow(np.zeros((2, 4)), settings)
    mach = flow.fields[4]
    assert mach == pytest.approx(mach[::-1], abs=1e-7)
    upper = slice(25, 56)
    x, wall = flow.points[upper, 0, 0], mach[upper, 0]
    after = np.flatnonzero((wall[1:] >= 1) & (wall[:-1] < 1))[0]
    assert x[after] == pytest.approx(0.5, abs=0.06)


def test_mirrored_design_has_the_mirrored_flow():
    displacements = random_displacements(1)
    settings = airfoil.Settings(**COARSE, tolerance=1e-11)
    flow = airfoil.solve_flow(displacements, settings)
    mirrored = airfoil.solve_flow(-displacements[::-1], settings)
    assert mirrored.points[::-1] * [1, -1] == pytest.approx(flow.points, abs=1e-12)
    assert mirrored.fields[4, ::-1] == pytest.approx(flow.fields[4], abs=1e-7)
    assert np.abs(flow.fields[4] - flow.fields[4, ::-1]).max() > 0.1


def test_tighter_tolerance_does_not_change_the_label():
    loose = airfoil.solve_flow(random_displacements(2), airfoil.Settings(**COARSE)).fields[4]
    settings = airfoil.Settings(**COARSE, tolerance=1e-12)
    tight = airfoil.solve_flow(random_displacements(2), settings).fields[4]
    assert np.linalg.norm(loose - tight) < 5e-6 * np.linalg.norm(tight)


def test_sample_has_the_published_form():
    settings = airfoil.Settings(**COARSE)
    solution = airfoil.solve_sample(np.random.default_rng(3), settings)
    mach = solution.outputs["mach"]
    assert solution.points.shape == (111, 26, 2)
    assert mach.shape == (111, 26)
    assert solution.inputs == {}
    assert (mach[:26, 0] == mach[:-27:-1, 0]).all()
    assert mach[:, -1] == pytest.approx(0.8, abs=0.01)
    assert 1 < mach.max() < 2
    assert solution.info["residual"] < 1e-8
    drawn = [solution.info[f"displacement_{i}"] for i in range(1, 8)]
    assert drawn == list(np.random.default_rng(3).uniform(-0.05, 0.05, 7))


def test_fields_agree_with_the_sample_and_with_each_other():
    settings = airfoil.Settings(**COARSE)
    solution = airfoil.solve_sample(np.random.default_rng(3), settings)
    drawn = [0] + [solution.info[f"displacement_{i}"] for i in range(1, 8)]
    flow = airfoil.solve_flow(np.reshape(drawn, (2, 4)), settings)
    r, u, v, p, mach = flow.fields
    assert (mach == solution.outputs["mach"]).all()
    assert mach == pytest.approx(np.sqrt((u**2 + v**2) / (GAMMA * p / r)))
    # the flow is adiabatic, in the cells up to the error of the scheme
    far = total_enthalpy(euler.free_stream(0.8))
    cells = flow.steady.w.reshape(4, 114, 29)[:, 2:-2, 2:-2]
    assert np.abs(total_enthalpy(cells) / far - 1).mean() < 2e-3
    assert total_enthalpy(flow.fields) == pytest.approx(np.full(r.shape, far), rel=1e-12)


# the state at the nodes


def free_vortex_at_a_wall(panels: int) -> tuple[np.ndarray, np.ndarray]:
    """Mach numbers at the nodes of a quarter circle, and the exact one; u = 0.7 / r, no losses."""

    def state(r: float, angle: np.ndarray) -> np.ndarray:
        speed = 0.7 / r
        temperature = 1 - (GAMMA - 1) / (2 * GAMMA) * speed**2
        one = np.ones_like(angle)
        velocity = [-speed * np.sin(angle), speed * np.cos(angle)]
        return np.stack([temperature**2.5 * one, *velocity, temperature**3.5 * one])

    angle = np.linspace(0, np.pi / 2, panels + 1)
    points = np.stack([np.cos(angle), np.sin(angle)], 1)
    middle, h = (angle[1:] + angle[:-1]) / 2, angle[1]
    cell, beyond = state(1 + h / 2, middle), state(1 + 1.5 * h, middle)
    ghost = cell.copy()
    ghost[3] = 2 * cell[3] - beyond[3]
    _, velocity = nodes._wall_nodes(np.stack([ghost, cell], -1), points)
    return np.hypot(*velocity), euler.mach_number(state(1, angle[1:-1]))


def test_mach_number_at_a_wall_is_of_second_order():
    coarse, fine = (np.abs(np.subtract(*free_vortex_at_a_wall(n))).max() for n in (40, 80))
    assert np.log2(coarse / fine) == pytest.approx(2, abs=0.1)


@pytest.fixture(scope="module")
def bent_flow() -> airfoil.Flow:
    return airfoil.solve_flow(random_displacements(2), airfoil.Settings(**COARSE))


def test_entropy_is_nowhere_below_that_of_the_free_stream(bent_flow):
    assert entropy(bent_flow.fields).min() > 0.997


def test_cells_along_the_wall_keep_their_total_enthalpy(bent_flow):
    # with ghosts that copy the density, the mean error is 1.7 %
    enthalpy = total_enthalpy(cells_at_the_wall(bent_flow.steady.w))
    assert np.abs(enthalpy / total_enthalpy(euler.free_stream(0.8)) - 1).mean() < 4e-3


def test_total_pressure_at_the_wall_is_between_those_of_the_cells(bent_flow):
    total = total_pressure(cells_at_the_wall(bent_flow.steady.w))
    low, high = np.minimum(total[1:], total[:-1]), np.maximum(total[1:], total[:-1])
    wall = total_pressure(bent_flow.fields[:, WALL, 0])
    assert (wall > low - 1e-12).all()
    assert (wall < high + 1e-12).all()


def test_subsonic_flow_gains_little_entropy_at_the_wall():
    flow = airfoil.solve_flow(np.zeros((2, 4)), airfoil.Settings(**COARSE, mach=0.5))
    wall = entropy(flow.fields[:, 25:86, 0])
    assert wall.min() > 1
    # made by the coarse grid at the leading edge
    assert wall.max() < 1.025


def test_velocity_at_the_wall_is_along_it(bent_flow):
    u, v = bent_flow.fields[1:3, WALL, 0]
    panel = np.diff(bent_flow.points[25:86, 0], axis=0)
    panel /= np.linalg.norm(panel, axis=1, keepdims=True)
    along = panel[1:] + panel[:-1]
    assert u * along[:, 1] - v * along[:, 0] == pytest.approx(np.zeros(59), abs=1e-12)
    # from a stagnation point near the leading edge to the trailing edge on both sides
    forward = u * along[:, 0] + v * along[:, 1] > 0
    assert not forward[:25].any()
    assert forward[-25:].all()


def test_flow_stagnates_at_the_leading_edge_of_a_symmetric_airfoil():
    settings = airfoil.Settings(**COARSE, tolerance=1e-11)
    flow = airfoil.solve_flow(np.zeros((2, 4)), settings)
    assert flow.fields[4, 55, 0] == pytest.approx(0, abs=1e-6)
    assert flow.fields[3, 55, 0] == pytest.approx(1.128**3.5, rel=0.04)


def test_temperature_of_the_cells_does_not_matter_at_the_wall(bent_flow):
    w = bent_flow.steady.w.copy()
    cells = cells_at_the_wall(w)
    cells[0] *= 1.1
    cells[1:3] /= np.sqrt(1.1)
    fields = nodes.node_fields(w, bent_flow.points, euler.free_stream(0.8), wake=25)
    assert fields[:, WALL, 0] == pytest.approx(bent_flow.fields[:, WALL, 0], rel=1e-12)


def test_same_seed_gives_the_same_sample_and_another_seed_another():
    settings = airfoil.Settings(**COARSE)
    first, again, other = (
        airfoil.solve_sample(np.random.default_rng(seed), settings) for seed in (0, 0, 1)
    )
    assert (first.outputs["mach"] == again.outputs["mach"]).all()
    assert first.info == again.info
    assert (first.outputs["mach"] != other.outputs["mach"]).any()


# errors


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"mach": 1.2}, "mach=1.2 must be between 0.1 and 0.95"),
        ({"mach": float("nan")}, "mach=nan must be"),
        ({"displacement": -0.1}, "displacement=-0.1 must be"),
        ({"panels": 4}, "panels=4 must be between 8 and 200"),
        ({"wake": 1000}, "wake=1000 must be"),
        ({"layers": 0}, "layers=0 must be"),
        ({"tolerance": 0}, "tolerance=0 must be"),
        ({"max_steps": 0}, "max_steps=0 must be"),
        ({"cfl": 0}, "cfl=0 must be"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_bad_settings_name_the_value_and_the_range(setting, message):
    with pytest.raises(ConfigError, match=f"airfoil: {message}"):
        airfoil.Settings(**setting)


def test_layers_that_do_not_fit_are_rejected():
    with pytest.raises(ConfigError, match=r"200 cells that start at .* do not fit"):
        settings = airfoil.Settings(panels=8, wake=8, layers=200)
        airfoil.solve_flow(np.zeros((2, 4)), settings)


def test_design_out_of_range_is_rejected():
    with pytest.raises(ConfigError, match=r"largest displacement=0.06 must be between 0 and 0.05"):
        airfoil.solve_flow(np.full((2, 4), -0.06), airfoil.Settings())
    with pytest.raises(ConfigError, match=r"must be \(2, 4\), got shape \(7,\)"):
        airfoil.solve_flow(np.zeros(7), airfoil.Settings())


def test_solver_says_how_far_it_came():
    settings = airfoil.Settings(**COARSE, max_steps=3)
    with pytest.raises(SolverError, match=r"residual \d.* after 3 steps; 1.0e-08 is asked for"):
        airfoil.solve_flow(np.zeros((2, 4)), settings)


@pytest.mark.parametrize(
    ("where", "pressure", "message"),
    [
        (np.s_[:], -0.5, "density 1, pressure -0.5: not positive"),
        (np.s_[50, 1], -1.5, "pressure -0.25 at the wall: not positive"),
    ],
    ids=["everywhere", "at one face"],
)
def test_negative_pressure_is_reported_with_its_value(where, pressure, message):
    outline = geometry.airfoil(geometry.stations(30), np.zeros((2, 4)))
    points = geometry.c_grid(outline, wake=25, layers=25, first=1 / 30)
    w = np.ones((4, 114, 29))
    w[3][where] = pressure
    with pytest.raises(SolverError, match=message):
        nodes.node_fields(w.reshape(4, -1), points, euler.free_stream(0.8), wake=25)
