"""A training step of one process and of several, of one core each, over gloo.

Every layout has processes of its own, which wait while others compute. The layouts take turns, a
step at a time, so that other load on the machine meets all of them alike.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import median, quantiles
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray

from llt import kernels
from llt.bench.case import Case, problem_case
from llt.bench.synthetic import random_dataset
from llt.data.splits import Splits
from llt.errors import TrainingError
from llt.models import build_model
from llt.runtime.device import matmul_precision
from llt.runtime.team import Team, team_of
from llt.training.config import TrainConfig
from llt.training.setup import set_up, with_precision
from llt.training.step import TrainingStep

TRAINED = 8  # samples
WARMUP = 2  # steps of every layout


@dataclass(frozen=True, slots=True)
class Layout:
    """How processes share the work."""

    data: int  # shares of a batch
    domain: int  # parts of a mesh

    @property
    def size(self) -> int:
        return self.data * self.domain


def layouts(numbers: Sequence[int]) -> list[Layout]:
    """One process, then shares and parts for every number of them."""
    several = [number for number in numbers if number > 1]
    return [Layout(1, 1), *(Layout(*pair) for n in several for pair in ((n, 1), (1, n)))]


def parallel_case(problem: str, num_points: int, dim: int | None) -> Case:
    """A problem with its preset, or in another width; `num_points` are of point sets."""
    case = problem_case(problem)
    settings = {"llt": dict(case.settings["llt"]) | ({"dim": dim} if dim else {})}
    num_points = case.num_points if case.problem.grid else num_points
    return replace(case, num_points=num_points, settings=settings)


def measure_parallel(
    case: Case, plan: Sequence[Layout], *, batch_size: int, steps: int
) -> list[dict[str, Any]]:
    """Milliseconds and bytes of a step in every layout; the first one is what others are beside."""
    with ExitStack() as stack:
        crews = [stack.enter_context(crew_of(case, layout, batch_size)) for layout in plan]
        for _ in range(WARMUP):
            for crew in crews:
                take_step(crew)
        rounds = [[take_step(crew) for crew in crews] for _ in range(steps)]
    return [_row(plan[place], place, rounds) for place in range(len(plan))]


@dataclass(frozen=True, slots=True)
class Taken:
    """What a step took, and the bytes that a process handed over in it."""

    seconds: float
    summed: int
    halo: int
    loss: float  # of the epoch so far


def _row(layout: Layout, place: int, rounds: Sequence[Sequence[Taken]]) -> dict[str, Any]:
    own = [turn[place] for turn in rounds]
    times = [1e3 * taken.seconds for taken in own]
    return {
        **asdict(layout),
        "ms": median(times),
        "ms_quartiles": quantiles(times, n=4)[::2] if len(times) > 1 else times * 2,
        "times_one": median(turn[0].seconds / turn[place].seconds for turn in rounds),
        "summed_bytes": own[-1].summed,
        "halo_bytes": own[-1].halo,
        "loss_difference": abs(own[-1].loss / rounds[-1][0].loss - 1),
    }


def take_step(crew: Sequence[Connection]) -> Taken:
    """One step of a layout: the slowest process counts, and the one that sends most."""
    found: list[Taken] = _asked(crew, "step")
    return Taken(
        max(taken.seconds for taken in found),
        max(taken.summed for taken in found),
        max(taken.halo for taken in found),
        found[0].loss,
    )


def weights_of(crew: Sequence[Connection]) -> list[NDArray[np.float32]]:
    """All weights as one vector, as each process has them."""
    return _asked(crew, "weights")


def _asked(crew: Sequence[Connection], order: str) -> list[Any]:
    try:
        for process in crew:
            process.send(order)
        return [process.recv() for process in crew]
    except (EOFError, OSError):
        raise TrainingError(f"a process of {len(crew)} has ended; it says why above") from None


@contextmanager
def crew_of(
    case: Case, layout: Layout, batch_size: int, device: str = "cpu"
) -> Iterator[list[Connection]]:
    """The processes of a layout, which answer until the end.

    Args:
        device: cpu, or a GPU by its number, as cuda:0, which all of them share.
    """
    spawning, port = get_context("spawn"), _free_port()
    processes, connections = [], []
    try:
        for rank in range(layout.size):
            ours, theirs = spawning.Pipe()
            args = (theirs, case, layout, rank, port, batch_size, device)
            processes.append(spawning.Process(target=_work, args=args, daemon=True))
            processes[-1].start()
            theirs.close()  # so that its end is noticed
            connections.append(ours)
        yield connections
    finally:
        for connection in connections:
            connection.close()
        for process in processes:
            process.join(10)
            process.terminate()


def _work(
    orders: Connection,
    case: Case,
    layout: Layout,
    rank: int,
    port: int,
    batch_size: int,
    device: str,
) -> None:
    """A process: join the others, then a step or the weights, as ordered."""
    place = {"RANK": rank, "WORLD_SIZE": layout.size, "LOCAL_RANK": rank}
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    os.environ |= {name: str(value) for name, value in (place | where).items()}
    torch.set_num_threads(1)
    # parts of meshes have the plain kernels on a GPU; so has, then, what they are beside
    chosen = nullcontext() if device == "cpu" else kernels.use("reference")
    joined = team_of(layout.data, layout.domain, device)
    with chosen, matmul_precision("fp32"), joined as (team, own):
        step, number = training_step(case, batch_size, team, torch.device(own)), 0
        while order := _ordered(orders):
            if order == "weights":
                orders.send(step.optimizer.parameters.flat.cpu().numpy())
                continue
            if number % step.steps_per_epoch == 0:
                step.start_epoch(0)
            number += 1
            orders.send(_taken(step))


def _ordered(orders: Connection) -> str:
    try:
        return str(orders.recv())
    except (EOFError, OSError):
        return ""


def _taken(step: TrainingStep) -> Taken:
    with counted() as sent:
        start = perf_counter()
        step()
        loss = step.loss_sum.item()  # a GPU has then done all of it
        seconds = perf_counter() - start
    return Taken(seconds, sent["summed"], sent["halo"], loss)


def training_step(
    case: Case,
    batch_size: int,
    team: Team,
    device: torch.device,
    *,
    trained: int = TRAINED,
    mode: str = "eager",
    precision: str = "fp32",
) -> TrainingStep:
    """LLT's on random data, from the same weights in every process."""
    data = random_dataset(case, trained + 1)
    data = replace(data, splits=Splits.consecutive(trained, 1, 0))
    torch.manual_seed(0)
    model = build_model("llt", case.problem, **case.settings["llt"])
    config = TrainConfig(batch_size=batch_size, mode=mode, precision=precision, epochs=100)
    step, _ = set_up(data, model, with_precision(config, model, device), device, team)
    step.surrogate.model.train()
    return step


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """Bytes that this process hands over to sums, and to halos."""
    sent = {"summed": 0, "halo": 0}
    all_reduce, all_to_all = dist.all_reduce, dist.all_to_all_single

    def summing(z: torch.Tensor, *args: Any, **named: Any) -> Any:
        sent["summed"] += z.nbytes
        return all_reduce(z, *args, **named)

    def exchanging(room: torch.Tensor, z: torch.Tensor, *args: Any, **named: Any) -> Any:
        sent["halo"] += z.nbytes
        return all_to_all(room, z, *args, **named)

    with (
        patch.object(dist, "all_reduce", summing),
        patch.object(dist, "all_to_all_single", exchanging),
    ):
        yield sent


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
