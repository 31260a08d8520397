"""What a GPU captures reads no value back and takes none from the host."""

import copy

import numpy as np
import pytest
import torch

from llt.models import build_model
from llt.prediction.cases import Cases
from llt.solvers.car import body, flow
from llt.solvers.car.grid import Grid, uniform
from llt.solvers.plasticity import Settings, batched
from llt.surrogate.forward import forward
from llt.training.config import TrainConfig
from llt.training.setup import seen, set_up
from tests.conftest import darcy_like, ragged
from tests.data.kinds import cars, timed
from tests.heat import heat
from tests.valueless import META, capturing, without_values

CPU = torch.device("cpu")
BEST = {"optimizer": "muon", "derivative": 0.3, "clip": 1.0, "average": 0.9}
TRAININGS = {
    "grid": (darcy_like, {"augment": True}),
    "times": (timed, {"augment": True, "mean_field": True}),
    "points": (cars, {}),
    "points, balanced": (cars, {"balance": True}),
    "uneven points": (ragged, {}),
    "frames": (lambda: heat(8, frames=4, side=8), {"history": 1, "noise": 0.1}),
}


def trained(kind):
    make, settings = TRAININGS[kind]
    config = TrainConfig(epochs=2, batch_size=2, **BEST, **settings)
    data = seen(make(), config)
    model = build_model("llt", data.problem, dim=8, num_layers=1, heads=2)
    step, _ = set_up(data, model, config, CPU)
    step.start_epoch(0)
    return step


@pytest.mark.parametrize("kind", TRAININGS)
def test_a_training_step(kind):
    step = without_values(trained(kind))
    for size in step.sizes:
        with capturing():
            step._run(size)


@pytest.mark.parametrize("kind", ["times", "points", "uneven points"])
def test_a_prediction(kind):
    step = trained(kind)
    step.surrogate.model.eval()
    group = step.surrogate.group(None) if step.surrogate.problem.symmetries else None
    batch = step.data.batch(torch.tensor([1, 0]))
    cases = Cases(batch.x, batch.a, batch.t, batch.neighbors, batch.mask)
    surrogate, cases, group = without_values((step.surrogate, cases, group))
    with capturing(), torch.no_grad():
        assert forward(surrogate, cases, group).shape == batch.u.shape


def test_steps_of_a_flow():
    grid = Grid(uniform(6, -1, 1), uniform(5, 0, 1), uniform(8, -2, 2))
    solid = [
        torch.zeros(2, *map(len, grid.positions(component)), device=META) for component in range(3)
    ]
    air = flow.make_air(grid, tuple(solid), inflow=1.0, viscosity=1e-5, dt=0.1)
    state = flow.start(air, flow.sudden(air))
    with capturing(), torch.no_grad():
        following = flow.step(state, air)
        assert body.drag(following, air).shape == (2,)
    assert [z.shape for z in following.velocity] == [z.shape for z in state.velocity]


def test_steps_of_a_forming():
    settings = Settings(nx=8, ny=4)
    knots, setup = np.array([8.0, 3.0, 8.0]), batched.make_setup(settings)
    scene = batched._scene([batched.make_die(knots, settings)] * 2, setup, META)
    march = batched._March(batched._still(settings, 2, META), scene, settings.max_steps)
    before = copy.copy(march.state)
    with capturing(), torch.no_grad():
        march._block()
    assert march.state == before  # in place


@pytest.mark.parametrize(
    "work",
    [
        lambda z: z.sum().item(),
        lambda z: z[z > 0],
        lambda z: z.cpu(),
        lambda z: z + torch.ones(3),
        lambda z: z[torch.tensor([0, 1])],
        lambda z: torch.ones(3, 3) @ z,
        lambda z: z * torch.tensor([1.0, 2.0, 3.0], device=META),
        lambda z: z.copy_(torch.ones(3, 3)),
    ],
)
def test_what_a_capture_would_not_bear_is_seen(work):
    z = torch.ones(3, 3, device=META)
    with capturing(), pytest.raises((RuntimeError, NotImplementedError)):
        work(z)
