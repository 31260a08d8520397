"""Plasticity: every part against a closed form, the whole against balances and symmetry."""

from dataclasses import replace

import numpy as np
import pytest

from llt.errors import ConfigError, SolverError
from llt.generation import generate_file
from llt.solvers.plasticity import Settings, sample, solve_die, solve_sample
from llt.solvers.plasticity.die import height, profile, spline_die
from llt.solvers.plasticity.dynamics import lumped_mass, start, step, still
from llt.solvers.plasticity.element import (
    Damping,
    forces,
    motion,
    no_resistance,
    overturned,
    resist,
    shortest,
)
from llt.solvers.plasticity.energy import areas
from llt.solvers.plasticity.material import Material, Strain, at_rest, update_stress, wave_speed
from llt.solvers.plasticity.sample import make_setup

STEEL = Material()
SOFT = Material(yield_stress=1e15)  # never yields
SMALL = Settings(nx=40, ny=12)
TINY = Settings(nx=20, ny=6, frames=5, drop=1.5)
BUMPS = np.array([8.0, 1.0, 5.0, 2.0, 6.5, 3.0, 0.5, 8.0])


# material


def strained(stress, xx, yy, xy, *, steps, spin=0.0, material=STEEL):
    """The stress of one element after equal steps of strain."""
    strain = Strain(*(np.full((1, 1), value / steps) for value in (xx, yy, xy, spin)))
    for _ in range(steps):
        stress, _ = update_stress(stress, strain, material)
    return stress


def vector(stress):
    return np.array([stress.xx[0, 0], stress.yy[0, 0], stress.xy[0, 0]])


@pytest.mark.parametrize(
    ("strain", "expected"),
    [
        ((0.01, -0.005, 0.0), [70e6, 0, 0]),
        ((0.005, -0.01, 0.0), [0, -70e6, 0]),
        ((0.0, 0.0, 0.01), [0, 0, 70e6 / np.sqrt(3)]),
        ((0.01, 0.01, 0.0), [70e6, 70e6, 0]),
    ],
    ids=["uniaxial", "compressed", "shear", "biaxial"],
)
def test_plastic_flow_ends_at_the_closed_form(strain, expected):
    assert vector(strained(at_rest((1, 1)), *strain, steps=200)) == pytest.approx(
        expected, rel=1e-9, abs=10
    )


def test_elastic_strain_gives_hookes_stress():
    found = strained(at_rest((1, 1)), 1e-4, -0.5e-4, 0.3e-4, steps=1)
    stiffness = 200e9 / (1 - 0.09)
    expected = [stiffness * 0.85e-4, stiffness * -0.2e-4, 200e9 / 1.3 * 0.3e-4]
    assert vector(found) == pytest.approx(expected, rel=1e-12)
    thinner = 1 - 0.3 / 200e9 * stiffness * 0.65e-4
    assert found.thickness[0, 0] == pytest.approx(thinner, abs=1e-9)
    assert found.plastic[0, 0] == 0


def explicit(path, steps):
    """The rate equations with the elastoplastic tangent, in many small explicit steps."""
    young, nu, strength, _ = STEEL
    c = young / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    p = np.array([[2, -1, 0], [-1, 2, 0], [0, 0, 6]]) / 3
    sigma, thinning, plastic = np.zeros(3), 0.0, 0.0
    for leg in path:
        for _ in range(steps):
            strain = np.array([leg[0], leg[1], 2 * leg[2]]) / steps
            flow = p @ sigma
            multiplier = 0.0
            if sigma @ flow >= 2 / 3 * strength**2:
                multiplier = max(0.0, flow @ c @ strain / (flow @ c @ flow))
            change = c @ (strain - multiplier * flow)
            thinning -= nu / young * (change[0] + change[1]) + multiplier * (flow[0] + flow[1])
            plastic += multiplier * 2 / 3 * strength
            sigma = sigma + change
    return sigma, np.exp(thinning), plastic


def test_return_mapping_approaches_a_fine_explicit_integration():
    path = [(1e-3, 2e-4, 5e-4), (-4e-4, 8e-4, -9e-4)]
    sigma, thickness, plastic = explicit(path, 40_000)

    def error(steps):
        stress = at_rest((1, 1))
        for leg in path:
            stress = strained(stress, *leg, steps=steps)
        assert stress.thickness[0, 0] == pytest.approx(thickness, abs=2e-3 / steps)
        assert stress.plastic[0, 0] == pytest.approx(plastic, rel=0.3 / steps)
        return np.linalg.norm(vector(stress) - sigma) / 70e6

    coarse, fine = error(50), error(100)
    assert fine < 5e-3
    assert coarse / fine == pytest.approx(2, abs=0.3)


@pytest.mark.parametrize("size", [4e-4, 1e-2, 1.0])
def test_stress_is_on_the_yield_surface_after_a_step_of_any_size(size):
    rng = np.random.default_rng(0)
    strain = Strain(*(size * rng.normal(size=(4, 30, 40))))
    stress, _ = update_stress(at_rest((30, 40)), strain, STEEL)
    mises = np.sqrt(stress.xx**2 + stress.yy**2 - stress.xx * stress.yy + 3 * stress.xy**2)
    assert mises.max() <= 70e6 * (1 + 1e-11)
    yielding = stress.plastic > 0
    assert yielding.mean() > 0.3
    assert mises[yielding] == pytest.approx(70e6, rel=1e-11)


def test_plastic_flow_keeps_the_volume():
    stress = strained(at_rest((1, 1)), 0.1, 0.05, 0.02, steps=1000)
    elastic = (1 - 2 * 0.3) / 200e9 * (stress.xx + stress.yy)[0, 0]
    assert np.log(stress.thickness[0, 0]) + 0.15 == pytest.approx(elastic, rel=1e-3)


# elements


def distorted(seed=0, shape=(4, 5)):
    """A grid as the block's, i to the left and j down, with moved nodes."""
    y, x = np.meshgrid(-np.arange(shape[0]) * 1.0, -np.arange(shape[1]) * 1.2, indexing="ij")
    shift = np.random.default_rng(seed).uniform(-0.25, 0.25, (2, *shape))
    return x + shift[0], y + shift[1]


def test_linear_fields_pass_the_patch_test():
    x, y = distorted()
    gradient = 1e-6 * np.array([[1.0, -0.4], [0.7, 0.5]])
    u, v = gradient[0, 0] * x + gradient[0, 1] * y, gradient[1, 0] * x + gradient[1, 1] * y
    moved = motion(x, y, u, v, 1.0)
    assert moved.strain.xx == pytest.approx(1e-6, rel=1e-12)
    assert moved.strain.yy == pytest.approx(0.5e-6, rel=1e-12)
    assert moved.strain.xy == pytest.approx(0.15e-6, rel=1e-12)
    assert moved.strain.spin == pytest.approx(-0.55e-6, rel=1e-12)
    assert moved.hourglass_x == pytest.approx(0, abs=1e-20)
    assert moved.area == pytest.approx(areas(x, y), rel=1e-12)

    shape = (3, 4)
    stress, growth = update_stress(at_rest(shape), moved.strain, SOFT)
    none = no_resistance(shape)
    extra = resist(none, moved, growth, stress.thickness, 1.0, Damping(1e9, 0.0))
    fx, fy = forces(x, y, stress, extra)
    size = np.abs(fx).max()
    assert fx[1:-1, 1:-1] == pytest.approx(0, abs=1e-8 * size)
    assert fy[1:-1, 1:-1] == pytest.approx(0, abs=1e-8 * size)
    assert (fx.sum(), fy.sum()) == pytest.approx((0, 0), abs=1e-8 * size)
    # virtual work: forces on the boundary against the stress inside
    sxx, syy, sxy = stress.xx[0, 0], stress.yy[0, 0], stress.xy[0, 0]
    inside = (areas(x, y) * stress.thickness).sum() * (sxx * 1e-6 + syy * 0.5e-6 + sxy * 0.3e-6)
    assert -(fx * u + fy * v).sum() == pytest.approx(inside, rel=1e-9)


def test_forces_do_the_work_that_the_elements_count():
    """Also those against the hourglass, and viscosity."""
    x, y = distorted(1)
    u, v = 1e-7 * np.random.default_rng(2).normal(size=(2, *x.shape))
    moved = motion(x, y, u, v, 1.0)
    stress, growth = update_stress(at_rest((3, 4)), moved.strain, SOFT)
    damping = Damping(3e9, 5e9)
    extra = resist(no_resistance((3, 4)), moved, growth, stress.thickness, 1.0, damping)
    fx, fy = forces(x, y, stress, extra)
    strain, volume = moved.strain, moved.area * stress.thickness
    elastic = stress.xx * strain.xx + stress.yy * strain.yy + 2 * stress.xy * strain.xy
    # half of force times way: all of them grew from zero
    inside = 0.5 * (volume * elastic).sum() + extra.hourglass_work.sum() + extra.viscous_work.sum()
    assert -0.5 * (fx * u + fy * v).sum() == pytest.approx(inside, rel=1e-6)
    assert extra.hourglass_work.min() > 0
    assert extra.viscous_work.min() > 0


def test_stress_and_hourglass_turn_with_the_block():
    x, y = distorted(3)
    shape, n = (3, 4), 4000
    angle = np.pi / 2 / n
    pulled = motion(x, y, 1e-5 * (x + 0.2 * x * y), 0 * y, 1.0)
    stress, growth = update_stress(at_rest(shape), pulled.strain, SOFT)
    damping = Damping(1e9, 0.0)
    extra = resist(no_resistance(shape), pulled, growth, stress.thickness, 1.0, damping)
    before, force = stress, (extra.elastic_x, extra.elastic_y)
    for _ in range(n):
        # halfway, the velocity of a rotation is at a right angle to the place
        hx, hy = x - angle / 2 * y, y + angle / 2 * x
        moved = motion(hx, hy, -angle * hy, angle * hx, 1.0)
        stress, growth = update_stress(stress, moved.strain, SOFT)
        extra = resist(extra, moved, growth, stress.thickness, 1.0, damping)
        x, y = x - angle * hy, y + angle * hx
    scale = np.abs(before.xx).max()
    assert stress.xx == pytest.approx(before.yy, abs=2e-3 * scale)
    assert stress.yy == pytest.approx(before.xx, abs=2e-3 * scale)
    assert stress.xy == pytest.approx(-before.xy, abs=2e-3 * scale)
    largest = np.abs(force[0]).max()
    assert extra.elastic_y == pytest.approx(force[0], abs=2e-3 * largest)
    assert extra.elastic_x == pytest.approx(-force[1], abs=2e-3 * largest)


def test_length_of_an_element_is_its_area_over_its_longest_side():
    x, y = np.array([[0.0, -3.0], [0.5, -3.0]]), np.array([[0.0, 0.0], [-2.0, -2.0]])
    assert shortest(x, y) == pytest.approx(6.5 / 3.5)
    assert shortest(-x, y) == shortest(x * np.nan, y) == -1


@pytest.mark.parametrize("corner", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_an_element_turns_over_when_a_corner_passes_a_diagonal(corner):
    x, y = np.array([[0.0, -1.0], [0.0, -1.0]]), np.array([[0.0, 0.0], [-1.0, -1.0]])
    toward = -0.5 - x[corner], -0.5 - y[corner]  # the middle of the element
    for part, turned in ((0.9, False), (1.1, True)):
        moved = x.copy(), y.copy()
        moved[0][corner] += part * toward[0]
        moved[1][corner] += part * toward[1]
        assert overturned(*moved) == [[turned]]
        # which is not yet a fold
        assert shortest(*moved) > 0


# waves


def bar(length=50e-3, thickness=0.5e-3, cells=100):
    x, y = np.meshgrid(-np.linspace(0, length, cells + 1), -np.linspace(0, thickness, 3))
    mass = lumped_mass(x, y, STEEL.density)
    assert mass.sum() == pytest.approx(STEEL.density * length * thickness)
    setup = make_setup(Settings())._replace(mass=mass, damping=Damping(1e8, 0.0), material=SOFT)
    above = spline_die(np.ones(8), left=-length, width=length, touch=1.0, speed=3.0)
    return x, y, setup, above


def test_a_thin_bar_rings_at_the_speed_of_sound():
    x, y, setup, above = bar()
    shape = np.cos(np.pi * x / 50e-3)
    body, clock = still(x, y)._replace(vx=1e-3 * shape), start()
    dt = 0.4 * shortest(x, y) / wave_speed(STEEL)
    amplitude = [1.0]
    while clock.time < 22e-6:
        body, clock = step(body, clock, dt, above, setup)
        amplitude.append((setup.mass * shape * body.vx).sum())
    turns = np.flatnonzero(np.diff(np.sign(amplitude)))
    # from a quarter to three quarters of a period: half of 2 L / c
    half = (turns[1] - turns[0]) * dt
    assert 50e-3 / half == pytest.approx(np.sqrt(200e9 / 7850), rel=5e-3)


# the die


def test_die_passes_its_knots_and_touches_the_block():
    die = spline_die(BUMPS, left=-2.0, width=7.0, touch=3.0, speed=1.0)
    at_knots = profile(die, np.arange(-2.0, 6.0))
    assert np.diff(at_knots) == pytest.approx(np.diff(BUMPS), abs=1e-12)
    fine = np.linspace(-2, 5, 100_001)
    assert profile(die, fine).min() == pytest.approx(3.0, abs=1e-8)
    # slopes are those of the profile, also beyond its ends, where it is straight
    for x in (-4.0, -2.5, -1.3, 0.4, 4.9, 5.5, 8.0):
        low, high = profile(die, np.array([x - 1e-6, x + 1e-6]))
        assert height(die, x)[1] == pytest.approx((high - low) / 2e-6, abs=1e-5)
    assert height(die, 8.0)[1] == pytest.approx(height(die, 5.0)[1], rel=1e-12)


# the whole


@pytest.fixture(scope="module")
def formed():
    return solve_die(BUMPS, SMALL)


def test_energy_is_balanced(formed):
    spent = sum(formed.energies)
    assert spent == pytest.approx(formed.clock.work, rel=2e-3)
    assert 0 < formed.energies.hourglass < 0.05 * formed.clock.work
    assert formed.energies.plastic > 0.9 * formed.clock.work


def test_top_nodes_stay_below_the_die(formed):
    assert 0 < formed.clock.deepest < 0.01 * 15e-3 / SMALL.ny
    # the stored profile is that above each column, in the order of the nodes
    x, y = np.moveaxis(formed.positions[-1, :, 0], -1, 0)
    columns = formed.points[::-1, 0, 0]
    below = np.interp(x, columns, formed.die[::-1]) - SMALL.drop * 19 / 20
    inside = (x > columns[0]) & (x < columns[-1])
    gap = (below - y)[inside]
    assert gap.min() > -0.05  # of the interpolation
    assert (gap < 0.05).sum() > 10


def test_volume_is_kept_and_stress_is_bounded(formed):
    stress = formed.body.stress
    volume = (areas(formed.body.x, formed.body.y) * stress.thickness).sum()
    assert volume == pytest.approx(50e-3 * 15e-3, rel=2e-4)
    mises = np.sqrt(stress.xx**2 + stress.yy**2 - stress.xx * stress.yy + 3 * stress.xy**2)
    assert mises.max() < 70e6 * (1 + 1e-9)


def test_a_mirrored_die_gives_the_mirrored_field(formed):
    mirrored = solve_die(BUMPS[::-1], SMALL)
    assert mirrored.die[::-1] == pytest.approx(formed.die, abs=1e-9)
    u, v = (f.positions - f.points for f in (formed, mirrored))
    assert np.linalg.norm(v[:, ::-1] * [-1, 1] - u) < 1e-9 * np.linalg.norm(u)


def test_half_the_time_step_changes_little(formed):
    finer = solve_die(BUMPS, replace(SMALL, step=SMALL.step / 2))
    assert finer.clock.steps > 1.9 * formed.clock.steps
    u, v = (f.positions - f.points for f in (formed, finer))
    assert np.linalg.norm(v - u) < 1e-4 * np.linalg.norm(u)


def test_a_flat_die_presses_evenly():
    settings = Settings(nx=20, ny=6, frames=10, drop=1.5, speed=1.0)
    flat = solve_die(np.full(8, 3.0), settings)
    assert flat.die == pytest.approx(14.9, abs=1e-9)
    stress = flat.body.stress
    assert stress.yy == pytest.approx(-70e6, rel=0.01)
    assert stress.xx == pytest.approx(0, abs=1.5e6)
    x, y = np.moveaxis(flat.positions[-1], -1, 0)
    pressed = np.log((y[:, 0] - y[:, -1]) / 15)
    assert pressed == pytest.approx(np.log((15 - 1.35) / 15), rel=2e-3)
    # what is lost in height goes in equal parts to width and thickness
    wider = np.log((x[0] - x[-1]) / 50)
    assert wider == pytest.approx(-pressed.mean() / 2, rel=0.02)
    assert np.log(stress.thickness) == pytest.approx(-pressed.mean() / 2, rel=0.05)
    rows = np.ones_like(x) * x.mean(axis=1, keepdims=True)
    assert x == pytest.approx(rows, abs=0.01)


def test_a_sample_lies_as_the_published_ones():
    found = solve_sample(np.random.default_rng(0), TINY)
    i, j = np.meshgrid(np.arange(21), np.arange(7), indexing="ij")
    assert found.points[..., 0] == pytest.approx(0.35 - 2.5 * i)
    assert found.points[..., 1] == pytest.approx(14.9 - 2.5 * j)
    assert found.times == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    x, y, u, v = (found.outputs[name] for name in ("x", "y", "u_x", "u_y"))
    assert x.shape == (5, 21, 7)
    assert x - u == pytest.approx(np.broadcast_to(found.points[..., 0], x.shape), abs=1e-12)
    assert y - v == pytest.approx(np.broadcast_to(found.points[..., 1], x.shape), abs=1e-12)
    assert not u[0].any() and not v[0].any()
    assert np.abs(u[1:]).max() > 0.01
    assert not v[..., -1].any()  # on the support, along which it slides
    assert np.abs(u[-1, :, -1]).max() > 0.01
    assert v[-1].min() == pytest.approx(-TINY.drop * 4 / 5, rel=0.05)
    die = found.inputs["die"]
    assert (die == die[:, :1]).all()
    assert 14.9 < die.min() < 15.2
    assert die[0] == pytest.approx(die[-1])


def test_same_seed_gives_the_same_sample_and_another_seed_another():
    first, again, other = (solve_sample(np.random.default_rng(seed), TINY) for seed in (0, 0, 1))
    assert (first.outputs["u_y"] == again.outputs["u_y"]).all()
    assert first.info == again.info
    assert (first.outputs["u_y"] != other.outputs["u_y"]).any()
    assert {*first.info} > {"steps", "energy_error", "hourglass", "penetration", "knot_6"}
    assert first.info["energy_error"] < 0.01


def test_a_file_of_samples(tmp_path):
    settings = {"nx": 8, "ny": 4, "frames": 3, "drop": 0.3}
    data = generate_file(
        "plasticity", tmp_path / "p.h5", counts=(2, 1, 1), workers=1, settings=settings
    )
    assert data.problem.grid == (9, 5)
    assert (len(data), data.shared_points, data.timed_inputs) == (4, True, False)
    assert data.sample(1).outputs.shape == (3, 45, 4)
    assert data.records["steps"].min() > 10


# errors


def test_a_fold_is_reported_with_its_time(monkeypatch):
    x, y = sample.undeformed(TINY)
    monkeypatch.setattr(sample, "undeformed", lambda settings: (x, np.ascontiguousarray(y[::-1])))
    with pytest.raises(SolverError, match=r"an element has folded at 0 ms, after 0 steps"):
        solve_die(BUMPS, TINY)


def test_what_is_not_stable_is_not_taken_for_a_solution():
    settings = replace(TINY, step=0.9, viscosity=0.5)
    with pytest.raises(SolverError, match=r"the energy .* is not the work .* a smaller step may"):
        solve_die(BUMPS, settings)


def test_solver_says_that_it_needs_more_steps():
    settings = replace(TINY, max_steps=100)
    with pytest.raises(SolverError, match="max_steps=100 is not enough at"):
        solve_die(BUMPS, settings)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"nx": 1}, "nx=1 must be between 2 and 1000"),
        ({"ny": 0}, "ny=0 must be"),
        ({"frames": 1}, "frames=1 must be"),
        ({"drop": 0}, "drop=0 must be"),
        ({"drop": float("nan")}, "drop=nan must be"),
        ({"die_height": -1}, "die_height=-1 must be"),
        ({"speed": 0}, "speed=0 must be"),
        ({"yield_stress": 0}, "yield_stress=0 must be"),
        ({"step": 1.5}, "step=1.5 must be between 0.01 and 0.9"),
        ({"hourglass": -1}, "hourglass=-1 must be"),
        ({"viscosity": 2}, "viscosity=2 must be"),
        ({"penalty": 100}, "penalty=100 must be"),
        ({"max_steps": 0}, "max_steps=0 must be"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_bad_settings_name_the_value_and_the_range(setting, message):
    with pytest.raises(ConfigError, match=f"plasticity: {message}"):
        Settings(**setting)


@pytest.mark.parametrize("knots", [np.zeros((2, 4)), np.zeros(2), np.array([0, np.nan, 1, 2])])
def test_a_die_needs_knots(knots):
    with pytest.raises(ConfigError, match="three or more finite knots"):
        solve_die(knots, TINY)
