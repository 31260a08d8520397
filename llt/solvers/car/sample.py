"""One sample of Car: draw a car, let air flow around it, and see what its points say.

The drag is the coefficient 2 F / (ρ U² A): F is the force along z of the surface pressures on the
template's quads, without friction; A is the area of the car's convex outline seen from the front.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from llt.errors import ConfigError, SolverError, unknown
from llt.solvers.base import Array, Solution
from llt.solvers.car.average import BLOCK, Mean, Run, average
from llt.solvers.car.body import solid_shares
from llt.solvers.car.flow import Air, divergence, make_air
from llt.solvers.car.grid import Grid, graded
from llt.solvers.car.sampling import sample
from llt.solvers.car.shape import GROUND, Car, random_car
from llt.solvers.car.template import drag_weights, frontal_area, surface, volume

VERSION = 1
BATCH_SIZE = 8

PRESETS = {"smoke": (20, 16, 48), "cpu": (40, 30, 96), "gpu": (104, 80, 256)}  # cells
# around cars; outside of it cells grow
CORE = ((-1.1, 1.1), (GROUND, GROUND + 1.9), (-2.8, 4.5))
BOX = ((-3.1, 3.1), (GROUND, 4.48), (-7.0, 10.0))  # of the air, in m
OUTSIDE = 0.5  # cells along the normal to where the pressure of a surface point is taken: the
# body's smooth border ends there, and further out the stagnation pressure is not reached


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Air at the published speed around parametric cars."""

    preset: str = "cpu"  # grid: smoke (48x20x16), cpu (96x40x30), gpu (256x104x80) cells
    speed: float = 20.0  # of the air far ahead and of the ground, m/s
    density: float = 1.2  # kg/m3
    viscosity: float = 2e-5  # kinematic, m2/s; on these grids that of the scheme is larger
    courant: float = 0.3  # share of the finest cell that the air passes in a step
    travel: float = 60.0  # m that the air passes in all; the second half is averaged
    growth: float = 1.0  # of cells outside of the core, in their width there, per m

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise ConfigError(f"car: {unknown('preset', self.preset, PRESETS)}")
        _check("speed", self.speed, 0.1, 100)
        _check("density", self.density, 0.01, 2000)
        _check("viscosity", self.viscosity, 0, 0.01 * self.speed)
        # unstable beyond
        _check("courant", self.courant, 0.01, 0.5)
        _check("travel", self.travel, 0.1, 10_000)
        _check("growth", self.growth, 0.01, 3)

    @property
    def grid(self) -> Grid:
        x, y, z = (
            graded(num, *box, core=core, growth=self.growth)
            for num, box, core in zip(PRESETS[self.preset], BOX, CORE, strict=True)
        )
        return Grid(x, y, z)

    @property
    def blocks(self) -> int:
        """Of steps."""
        return max(4, round(self.travel / (self.courant * self.grid.finest * BLOCK)))


class Mesh(NamedTuple):
    """A car and its points: those outside, then those on the surface."""

    car: Car
    points: Array  # (32186, 3)
    normals: Array  # (32186, 3)
    distances: Array  # (32186,)
    outside: int  # how many are not on the surface


class Labels(NamedTuple):
    """What a mean flow says at a car's points."""

    velocity: Array  # (28504, 3), outside, m/s
    pressure: Array  # (3682,), on the surface, Pa
    drag: float


def solve_sample(
    rng: np.random.Generator, settings: Settings, *, index: int | None = None
) -> Solution:
    found = solve_samples([rng], settings, device="cpu", batch_size=1)[0]
    if isinstance(found, SolverError):
        raise found
    return found


def solve_samples(
    rngs: Sequence[np.random.Generator],
    settings: Settings,
    *,
    device: torch.device | str = "cuda",
    batch_size: int = BATCH_SIZE,
) -> list[Solution | SolverError]:
    """What `solve_sample` returns or raises for each generator, on any torch device."""
    results: list[Solution | SolverError] = []
    for first in range(0, len(rngs), batch_size):
        cars = [random_car(rng) for rng in rngs[first : first + batch_size]]
        results += solve_cars(cars, settings, device=device)
    return results


@torch.no_grad()
def solve_cars(
    cars: Sequence[Car], settings: Settings, *, device: torch.device | str
) -> list[Solution | SolverError]:
    """Air around each of these cars; an error in place of one that cannot be solved."""
    grid = settings.grid
    like = torch.zeros(1, device=device)
    shares = [solid_shares(grid, car.distance, like) for car in cars]
    u, v, w = (torch.stack([share[component] for share in shares]) for component in range(3))
    air = make_air(
        grid,
        (u, v, w),
        inflow=settings.speed,
        viscosity=settings.viscosity,
        dt=settings.courant * grid.finest / settings.speed,
    )
    with ThreadPoolExecutor() as pool:
        meshes = [pool.submit(make_mesh, car) for car in cars]  # while a GPU has the flow
        run = average(air, settings.blocks)
    checks = check_run(run, air, grid, settings)
    results: list[Solution | SolverError] = []
    for i, mesh in enumerate(meshes):
        try:
            if not checks["finite"][i]:
                raise SolverError("car: the flow became unstable; a smaller courant may help")
            info = {name: float(values[i]) for name, values in checks.items() if name != "finite"}
            results.append(solution(mesh.result(), _one(run, i), info, settings))
        except SolverError as error:
            results.append(error)
    return results


def make_mesh(car: Car) -> Mesh:
    found = surface(car)
    outside = volume(car, found.points)
    points = torch.from_numpy(outside)
    return Mesh(
        car,
        np.concatenate([outside, found.points]),
        np.concatenate([car.normal(points).numpy(), found.normals]),
        np.concatenate([car.distance(points).numpy(), np.zeros(len(found.points))]),
        len(outside),
    )


def solution(
    mesh: Mesh, means: tuple[Mean, Mean], info: dict[str, float], settings: Settings
) -> Solution:
    halves = [labels(mesh, mean, settings) for mean in means]
    velocity, pressure, drag = ((a + b) / 2 for a, b in zip(*halves, strict=True))
    on_surface = np.arange(len(mesh.points)) >= mesh.outside
    still = np.zeros(len(mesh.points) - mesh.outside)
    outputs = {
        f"velocity_{axis}": np.concatenate([velocity[:, k], still]) for k, axis in enumerate("xyz")
    }
    outputs["pressure"] = np.concatenate([np.zeros(mesh.outside), pressure])
    momentum = float(sum(mean.drag for mean in means)) / 2
    area = frontal_area(mesh.points[mesh.outside :])
    return Solution(
        points=mesh.points,
        inputs={
            "distance": mesh.distances,
            **{f"normal_{axis}": mesh.normals[:, k] for k, axis in enumerate("xyz")},
        },
        outputs=outputs,
        masks={"surface": on_surface},
        derived={"drag": drag},
        info={
            "drag_of_momentum": momentum / (settings.speed**2 / 2 * area),
            "velocity_noise": _difference(halves[0].velocity, halves[1].velocity),
            "pressure_noise": _difference(halves[0].pressure, halves[1].pressure),
            "drag_noise": abs(halves[0].drag - halves[1].drag) / abs(drag),
            "frontal_area": area,
            **info,
            **mesh.car.parameters(),
        },
    )


def labels(mesh: Mesh, mean: Mean, settings: Settings) -> Labels:
    """The mean flow, made symmetric as the car is, at the car's points."""
    grid = settings.grid
    at = mean.pressure.new_tensor(mesh.points)
    normals = mean.pressure.new_tensor(mesh.normals[mesh.outside :])
    velocity = [
        sample(grid, component, mirrored(part, component), at[: mesh.outside])
        for component, part in enumerate(mean.velocity)
    ]
    near = at[mesh.outside :] + OUTSIDE * grid.finest * normals
    pressure = sample(grid, 3, mirrored(mean.pressure, 3), near) - _datum(mean.pressure, grid)
    found: Array = settings.density * pressure.double().cpu().numpy()
    points = mesh.points[mesh.outside :]
    scale = settings.density * settings.speed**2 / 2 * frontal_area(points)
    drag = float(drag_weights(points) @ found) / scale
    return Labels(torch.stack(velocity, -1).double().cpu().numpy(), found, drag)


def mirrored(field: Tensor, component: int) -> Tensor:
    """The mean of a field and its mirror image in x."""
    return (field + (-1 if component == 0 else 1) * field.flip(-3)) / 2


def check_run(run: Run, air: Air, grid: Grid, settings: Settings) -> dict[str, Tensor]:
    """Of each sample: whether it is a flow at all, and how good its numbers are."""
    u, v, w = run.state.velocity
    everywhere, speed = (-3, -2, -1), settings.speed
    inside = (air.passes[2] < 0.01)[..., 1:]  # the inlet is not
    leak = (w[..., 1:].square() * inside).sum(everywhere) / inside.sum(everywhere)
    wrong = _sum_squares([part - mirrored(part, k) for k, part in enumerate(run.second.velocity)])
    size = _sum_squares(list(run.second.velocity))
    fastest = torch.stack([part.abs().amax(everywhere) for part in (u, v, w)]).amax(0)
    return {
        "finite": fastest < 10 * speed,
        "fastest": fastest / speed,
        "divergence": divergence(run.state.velocity, air.metric).abs().amax(everywhere)
        * (grid.finest / speed),
        "leak": leak.sqrt() / speed,
        "asymmetry": (wrong / size).sqrt(),
    }


def _sum_squares(parts: Sequence[Tensor]) -> Tensor:
    return torch.stack([part.square().sum((-3, -2, -1)) for part in parts]).sum(0)


def _one(run: Run, index: int) -> tuple[Mean, Mean]:
    def one(mean: Mean) -> Mean:
        u, v, w = (part[index] for part in mean.velocity)
        return Mean((u, v, w), mean.pressure[index], mean.drag[index])

    return one(run.first), one(run.second)


def _datum(pressure: Tensor, grid: Grid) -> Tensor:
    """The mean at the inlet."""
    x, y = (pressure.new_tensor(axis.widths) for axis in (grid.x, grid.y))
    return x @ pressure[..., 0] @ y / (x.sum() * y.sum())


def _difference(a: Array, b: Array) -> float:
    """Relative to the mean of both."""
    return float(np.linalg.norm(a - b) / np.linalg.norm((a + b) / 2))


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ConfigError(f"car: {name}={value:g} must be between {low:g} and {high:g}")
