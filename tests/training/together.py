"""What several processes compute together, beside what one computes: run by torchrun.

torchrun --nproc-per-node 4 -m tests.training.together OUT.json DOMAIN

Every process also computes alone what the team computes. The last one writes the largest relative
differences of loss, gradient and weights after 20 steps.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import torch

from llt.data.dataset import Dataset
from llt.data.splits import Splits
from llt.errors import ConfigError, LltError
from llt.models import build_model
from llt.models.llt.parallel import forward
from llt.problem import PLASTICITY
from llt.runtime.team import ALONE, Team, team_of
from llt.training import setup
from llt.training.config import TrainConfig
from llt.training.setup import check_same, seen, set_up
from llt.training.validation import sample_errors
from tests.conftest import ragged
from tests.heat import heat

CPU = torch.device("cpu")


def grid() -> Dataset:
    """Rows that do not divide evenly, a field, curved lines."""
    rng = np.random.default_rng(0)
    x, y = np.meshgrid(np.linspace(0, 1, 19), np.linspace(0, 2, 7), indexing="ij")
    points = np.stack((x + 0.05 * np.sin(3 * y), y), -1)
    a = rng.standard_normal((12, 19, 7))
    u = a * x + y + 0.1 * rng.standard_normal((12, 1, 1))
    return Dataset.from_arrays("plate", points=points, inputs={"a": a}, outputs={"u": u})


def timed() -> Dataset:
    rng = np.random.default_rng(0)
    return Dataset(
        problem=replace(PLASTICITY, grid=(9, 3)),
        points=rng.random((27, 2)).astype(np.float32),
        inputs=rng.random((8, 27, 1)).astype(np.float32),
        outputs=rng.random((8, 3, 27, 4)).astype(np.float32),
        times=np.linspace(0, 1, 3),
        splits=Splits.consecutive(4, 2, 2),
    )


CASES = {
    "grid": (grid, {"derivative": 0.3, "optimizer": "muon"}),
    "mean field": (grid, {"mean_field": True}),
    "uneven points": (lambda: ragged(12), {"derivative": 0.5, "optimizer": "muon"}),
    "timed": (timed, {}),
    "frames": (lambda: heat(8, frames=4, side=11), {"history": 1, "noise": 0.1, "derivative": 0.1}),
}


def make(
    data: Dataset,
    settings: dict,
    team: Team,
    name: str = "llt",
    device: torch.device | str = CPU,
):
    config = TrainConfig(**{"epochs": 20, "batch_size": 4, "clip": 0.1, **settings})
    data = seen(data, config)
    torch.manual_seed(0)
    model = build_model(name, data.problem, dim=16, num_layers=2, heads=2)
    return set_up(data, model, config, torch.device(device), team)


def difference(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    return ((ours - theirs).double().norm() / theirs.double().norm()).item()


def outputs(step) -> float:
    """What the model gives on a part of the mesh, beside what it gives there on all of it."""
    model, batch = step.surrogate.model, step.data.batch(step.items[0])
    if step.domain is None:
        return 0.0
    part = step.domain.part(batch, step.items[0] // step.data.num_times)
    around, own = part.around, part.around.own
    mesh = {"grid": batch.grid, "neighbors": batch.neighbors, "mask": batch.mask}
    with torch.no_grad():
        whole = own(part.cut(model(batch.x, batch.a, t=batch.t, **mesh)))
        ours = forward(model, part, part.cut(batch.x), part.cut(batch.a), batch.t)
    assert around.rows is not None and ours.shape == whole.shape
    if part.mask is not None:
        whole = whole * part.mask.unsqueeze(-1)
    return difference(ours, whole)


def compare(data: Dataset, settings: dict, team: Team, name: str = "llt") -> dict[str, float]:
    found = {}
    (together, val), (alone, _) = (make(data, settings, who, name) for who in (team, ALONE))
    for step in (together, alone):
        step.start_epoch(0)
    found["outputs"] = outputs(together)
    losses = [step.backward(step.sizes[0]) for step in (together, alone)]
    found["loss"] = difference(team.total(losses[0] / team.domain), losses[1])
    vectors = [step.optimizer.parameters.gradient().vector for step in (together, alone)]
    found["gradient"] = difference(*vectors)
    for step in (together, alone):
        for number in range(20):
            if number % step.steps_per_epoch == 0:
                step.start_epoch(number // step.steps_per_epoch)
            step()
    flat = [step.optimizer.parameters.flat for step in (together, alone)]
    found["weights"] = difference(*flat)
    found["mean loss"] = abs(together.mean_loss / alone.mean_loss - 1)
    whole = sample_errors(together.surrogate, val).total
    found["validation"] = difference(sample_errors(together.surrogate, val, team=team).total, whole)
    return found


def refusals(team: Team) -> dict[str, str]:
    """What is said to teams that do not fit."""

    def said(task) -> str:
        try:
            task()
        except LltError as error:
            return str(error)
        return ""

    data, many = grid(), replace(team, data=1, domain=16)
    other = replace(data, outputs=data.outputs + team.rank)

    def fail() -> None:
        raise ConfigError("no such folder")

    return {
        "rows": said(lambda: make(data, {}, many)),
        "points": said(lambda: make(ragged(12), {}, replace(many, domain=1000))),
        "batch": said(lambda: make(data, {"batch_size": 3}, replace(team, data=2, domain=1))),
        "model": said(
            lambda: set_up(data, build_model("fno", data.problem), TrainConfig(), CPU, many)
        ),
        "norm": said(
            lambda: set_up(
                data, build_model("ufno", data.problem), TrainConfig(), CPU, replace(team, data=2)
            )
        ),
        "hash": said(lambda: check_same(team, other, {})),
        "settings": said(lambda: check_same(team, data, {"train": {"lr": 1e-3 * team.rank}})),
        "more": said(lambda: check_same(team, data, {"train": {"lr": 1e-3} if team.rank else {}})),
        "version": said(lambda: as_version(team, data)),
        "first": said(lambda: team.first_does(fail)),
        "signal": str(team.any(team.rank == team.size - 1)),
    }


def as_version(team: Team, data: Dataset) -> None:
    """The last process is another version."""
    with patch.object(setup, "__version__", "9.9" if team.rank == team.size - 1 else "1.0"):
        check_same(team, data, {})


def main() -> None:
    torch.set_num_threads(1)
    domain = int(sys.argv[2])
    with team_of(domain=domain) as (team, _):
        found = {
            name: compare(make_data(), settings, team)
            for name, (make_data, settings) in CASES.items()
        }
        if domain == 1:  # any model can share batches
            found["transolver"] = compare(ragged(12), {}, team, "transolver")
        found["refused"] = refusals(team)
        if team.rank == team.size - 1:
            Path(sys.argv[1]).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
