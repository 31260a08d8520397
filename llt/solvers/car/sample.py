"""One sample of Car: draw a car, let air flow around it, and see what its points say."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import Tensor

from llt.errors import SolverError
from llt.runtime.device import matmul_precision
from llt.solvers.base import Array, Solution
from llt.solvers.car.average import Mean, Run, average
from llt.solvers.car.body import solid_shares
from llt.solvers.car.flow import Air, divergence, make_air
from llt.solvers.car.grid import Grid
from llt.solvers.car.labels import Mesh, coefficient_weights, labels, make_mesh, mirrored
from llt.solvers.car.settings import Settings
from llt.solvers.car.shape import Car, random_car
from llt.solvers.car.template import frontal_area

VERSION = 1
BATCH_SIZE = 8


def solve_sample(
    rng: np.random.Generator, settings: Settings, *, index: int | None = None
) -> Solution:
    found = solve_samples([rng], settings, device="cpu")[0]
    if isinstance(found, SolverError):
        raise found
    return found


def solve_samples(
    rngs: Sequence[np.random.Generator],
    settings: Settings,
    *,
    device: torch.device | str = "cuda",
) -> list[Solution | SolverError]:
    """What `solve_sample` returns or raises for each generator, on any torch device."""
    return solve_cars([random_car(rng) for rng in rngs], settings, device=device)


@torch.no_grad()
def solve_cars(
    cars: Sequence[Car], settings: Settings, *, device: torch.device | str
) -> list[Solution | SolverError]:
    """Air around each of these cars; an error in place of one that cannot be solved."""
    grid = settings.grid
    like = torch.zeros(1, device=device)
    shares = [solid_shares(grid, car.distance, like) for car in _filled(cars, device)]
    u, v, w = (torch.stack([share[component] for share in shares]) for component in range(3))
    air = make_air(
        grid,
        (u, v, w),
        inflow=settings.speed,
        viscosity=settings.viscosity,
        dt=settings.courant * grid.finest / settings.speed,
    )
    # TF32 would leave divergence
    with matmul_precision("fp32"), ThreadPoolExecutor() as pool:
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


def _filled(cars: Sequence[Car], device: torch.device | str) -> list[Car]:
    """Whole batches on a GPU: for another size all would be compiled again, which takes longer."""
    missing = -len(cars) % BATCH_SIZE if torch.device(device).type == "cuda" else 0
    return [*cars, *[cars[-1]] * missing]


def solution(
    mesh: Mesh, means: tuple[Mean, Mean], info: dict[str, float], settings: Settings
) -> Solution:
    halves = [labels(mesh, mean, settings) for mean in means]
    velocity, pressure, drag = ((a + b) / 2 for a, b in zip(*halves, strict=True))
    on_surface = np.arange(len(mesh.points)) >= mesh.outside
    still, nothing = np.zeros(len(mesh.points) - mesh.outside), np.zeros(mesh.outside)
    outputs = {
        f"velocity_{axis}": np.concatenate([velocity[:, k], still]) for k, axis in enumerate("xyz")
    }
    outputs["pressure"] = np.concatenate([nothing, pressure])
    weights = np.concatenate([nothing, coefficient_weights(mesh, settings)])
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
        weights={"drag/pressure": weights},
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


def _difference(a: Array, b: Array) -> float:
    """Relative to the mean of both."""
    return float(np.linalg.norm(a - b) / np.linalg.norm((a + b) / 2))
