"""Small datasets of every kind the format knows."""

from dataclasses import replace

import numpy as np

from llt.data.collate import collate
from llt.data.dataset import Dataset, Sample
from llt.data.splits import Splits
from llt.problem import CAR, PLASTICITY, Field, Problem
from tests.conftest import darcy_like, geometry_only, ragged

FLOW = Problem(
    name="flow",
    space_dim=2,
    inputs=("roughness", Field("pressure", "Pa")),
    outputs=(Field("pressure", "Pa", mask="surface", weight=3.0), Field("velocity", "m/s")),
    parameters=(Field("speed", "m/s"), "angle"),
    derived=("drag",),
)


def timed() -> Dataset:
    rng = np.random.default_rng(0)
    problem = replace(PLASTICITY, grid=(4, 3))
    return Dataset(
        problem=problem,
        points=rng.random((12, 2)).astype(np.float32),
        inputs=rng.random((5, 12, 1)).astype(np.float32),
        outputs=rng.random((5, 6, 12, 4)).astype(np.float32),
        times=np.linspace(0, 1, 6),
        splits=Splits.consecutive(3, 1, 1),
    )


def bare_grid() -> Dataset:
    """A grid whose geometry alone is the input, as in Pipe."""
    data = darcy_like()
    problem = replace(data.problem, inputs=())
    return replace(data, problem=problem, inputs=np.empty((12, 81, 0), np.float32))


def flow(
    sizes=(7, 7, 7, 7, 7),
    *,
    times: int = 0,
    timed_inputs: bool = False,
    own_points: bool = True,
    own_masks: bool = True,
    grid: tuple[int, ...] | None = None,
) -> Dataset:
    """All that a sample may carry; input and output share the name of a field."""
    rng = np.random.default_rng(0)
    same = np.random.default_rng(1).random((max(sizes), 2))
    samples = []
    for i, size in enumerate(sizes):
        moments = (times,) if times else ()
        surface = np.arange(size) % 3 == (i % 3 if own_masks else 0)
        samples.append(
            Sample(
                points=rng.random((size, 2)) if own_points else same,
                inputs=rng.random((*(moments if timed_inputs else ()), size, 2)),
                outputs=rng.random((*moments, size, 2)),
                masks={"surface": surface, "volume": ~surface},
                parameters=rng.random(2),
                derived=rng.random(1),
                weights={"drag/pressure": np.linspace(-i, 1, size) * surface},
            )
        )
    problem = replace(FLOW, timed=bool(times), grid=grid)
    steps = np.linspace(0, 2, times) if times else None
    return collate(problem, samples, Splits.consecutive(3, 1, 1), times=steps)


RAGGED = (5, 7, 4, 9, 6)
KINDS = {
    "darcy": darcy_like,
    "ragged": ragged,
    "timed": timed,
    "geometry": geometry_only,
    "bare-grid": bare_grid,
    "flow": flow,
    "flow-shared-masks": lambda: flow(own_masks=False),
    "flow-shared-points": lambda: flow(own_points=False, own_masks=False),
    "flow-grid": lambda: flow((12,) * 5, own_points=False, grid=(4, 3)),
    "flow-grid-own-points": lambda: flow((12,) * 5, times=2, timed_inputs=True, grid=(4, 3)),
    "flow-ragged": lambda: flow(RAGGED),
    "flow-timed": lambda: flow(times=3),
    "flow-timed-inputs": lambda: flow(times=3, timed_inputs=True),
    "flow-one-time": lambda: flow(times=1, timed_inputs=True),
    "flow-ragged-timed": lambda: flow(RAGGED, times=3),
    "flow-ragged-timed-inputs": lambda: flow(RAGGED, times=3, timed_inputs=True),
    "flow-ragged-late": lambda: flow((6, 6, 6, 8, 6), times=2),
}


def cars(sizes=(20, 20, 20, 22, 20, 21, 20)) -> Dataset:
    """Point sets as those of Car, whose drag follows from pressure and velocity."""
    rng = np.random.default_rng(0)
    samples = []
    for size in sizes:
        surface = np.arange(size) >= size - 8
        points, inputs = rng.random((size, 3)), rng.random((size, 4))
        outputs = 3 * inputs + points[:, :1]
        weights = {
            "drag/pressure": rng.random(size) * surface,
            "drag/velocity_z": rng.random(size) * surface,
        }
        drag = weights["drag/pressure"] @ outputs[:, 3] + weights["drag/velocity_z"] @ outputs[:, 2]
        samples.append(
            Sample(
                points=points,
                inputs=inputs,
                outputs=outputs,
                masks={"surface": surface},
                derived=np.array([drag]),
                weights=weights,
            )
        )
    return collate(CAR, samples, Splits.consecutive(len(sizes) - 5, 1, 4))
