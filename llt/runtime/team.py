"""The processes that train one model together, under torchrun, Slurm or alone.

Each has a share of every batch (`data`) and a part of every mesh (`domain`). Without a launcher
there is one process, no process group, and nothing here does anything.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.device_mesh import init_device_mesh

from llt.errors import ConfigError, LltError, LostError, TrainingError

WAIT = timedelta(minutes=10)  # for a process that does not answer
MESSAGE = 1024  # bytes
LAUNCHERS = (
    ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a launcher has put this process."""

    rank: int
    size: int
    local: int  # its number on this machine


@dataclass(frozen=True, slots=True)
class Team:
    """This process among those that train together; alone by default."""

    rank: int = 0
    size: int = 1
    data: int = 1  # shares of a batch
    domain: int = 1  # parts of a mesh
    backend: str = ""
    domain_group: Any = None  # of the processes that have parts of the same meshes

    @property
    def is_first(self) -> bool:
        """Of all: it alone writes."""
        return self.rank == 0

    @property
    def share(self) -> int:
        """Which share of a batch is its own."""
        return self.rank // self.domain

    @property
    def part(self) -> int:
        """Which part of a mesh is its own."""
        return self.rank % self.domain

    def __str__(self) -> str:
        words = f"{self.size} processes over {self.backend}: {self.data} shares of a batch"
        return f"{words}, {self.domain} parts of a mesh"

    def own_share(self, batch_size: int) -> slice:
        """Its items of a batch."""
        each = batch_size // self.data
        return slice(self.share * each, (self.share + 1) * each)

    def total(self, z: Tensor) -> Tensor:
        """The sum over all processes, in place."""
        return all_reduce(z) if self.size > 1 else z

    def any(self, flag: bool) -> bool:
        """Whether one of all says so."""
        return bool(self.total(torch.tensor([float(flag)])).item()) if self.size > 1 else flag

    def first_does(self, task: Callable[[], None]) -> None:
        """What the first process alone does; where it fails, all fail."""
        error: LltError | None = None
        if self.is_first:
            try:
                task()
            except LltError as raised:
                error = raised
        text = _from_all("" if error is None else str(error))[0] if self.size > 1 else ""
        if error is not None:
            raise error
        if text:
            raise TrainingError(f"the first process stopped: {text}")

    def check_same(self, about: Mapping[str, str]) -> None:
        """Refuse to begin where processes do not have the same code and data."""
        if self.size == 1:
            return
        lines = [f"{name} {value}" for name, value in about.items()]
        said = [text.split("\n") for text in _from_all("\n".join(lines))]
        for rank, others in enumerate(said):
            for line, other in zip(said[0], others, strict=True):
                if line != other:
                    raise ConfigError(f"process {rank} has {other}, process 0 {line}")


ALONE = Team()


def find_place(environment: Mapping[str, str] = os.environ) -> Place | None:
    """What torchrun or Slurm says; None without a launcher."""
    for rank, size, local in LAUNCHERS:
        if rank in environment and size in environment:
            try:
                return Place(
                    int(environment[rank]), int(environment[size]), int(environment.get(local, 0))
                )
            except ValueError:
                raise ConfigError(
                    f"{rank}={environment[rank]}, {size}={environment[size]}: not numbers"
                ) from None
    return None


def shares(place: Place | None, data: int = 0, domain: int = 0) -> tuple[int, int]:
    """How many shares of a batch and parts of a mesh; 0 is what the other leaves."""
    size = 1 if place is None else place.size
    for name, number in (("data", data), ("domain", domain)):
        if number < 0:
            raise ConfigError(f"parallel.{name}={number} must not be negative")
    found = (data or max(1, size // max(1, domain)), domain or max(1, size // max(1, data)))
    if not (data or domain):
        found = (size, 1)
    if found[0] * found[1] != size:
        raise ConfigError(
            f"parallel.data={found[0]} times parallel.domain={found[1]} is not the number of "
            f"processes, {size}; begin as many with: "
            f"torchrun --nproc-per-node {found[0] * found[1]} -m llt train ..."
        )
    return found


@contextmanager
def team_of(data: int = 0, domain: int = 0, device: str = "auto") -> Iterator[tuple[Team, str]]:
    """Join the other processes; gives the team and the device of this process.

    Raises a LostError where another process is lost.
    """
    place = find_place()
    data, domain = shares(place, data, domain)
    if place is None or place.size == 1:
        yield ALONE, device
        return
    device, backend = _device_of(place, device)
    _set_address()
    try:
        dist.init_process_group(backend, rank=place.rank, world_size=place.size, timeout=WAIT)
    except (RuntimeError, ValueError) as error:
        raise ConfigError(
            f"process {place.rank} of {place.size} does not find the others: {_line(error)}"
        ) from None
    try:
        group = None
        if domain > 1:
            kind = "cuda" if backend == "nccl" else "cpu"
            mesh = init_device_mesh(kind, (data, domain), mesh_dim_names=("data", "domain"))
            group = mesh["domain"].get_group()
        yield Team(place.rank, place.size, data, domain, backend, group), device
    except RuntimeError as error:
        if isinstance(error, LltError) or not _is_lost(error):
            raise
        raise LostError(
            f"process {place.rank} of {place.size} lost another one: {_line(error)}"
        ) from error
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def all_reduce(z: Tensor, group: Any = None) -> Tensor:
    """The sum over a group, in place; gloo's goes through host memory, NCCL's through the GPU's."""
    there = on_wire(z, group)
    dist.all_reduce(there, group=group)
    return z if there is z else z.copy_(there)


def on_wire(z: Tensor, group: Any = None) -> Tensor:
    """A tensor, or its copy, where the group's backend takes it from."""
    return z.cuda() if dist.get_backend(group) == "nccl" else z.cpu()


def _device_of(place: Place, device: str) -> tuple[str, str]:
    """A GPU for each process and NCCL where there are enough of them, else gloo."""
    count = torch.cuda.device_count() if device != "cpu" else 0
    if not count or device == "cpu":
        return device, "gloo"
    if ":" in device:
        return device, "gloo"
    own = place.local % count
    torch.cuda.set_device(own)
    local_size = int(os.environ.get("LOCAL_WORLD_SIZE", place.size))
    return f"cuda:{own}", "nccl" if local_size <= count else "gloo"


def _set_address() -> None:
    """Where processes meet: torchrun says it; under Slurm it is the first machine of the step."""
    if "MASTER_ADDR" not in os.environ:
        nodes = os.environ.get("SLURM_STEP_NODELIST", "localhost")
        # as node[03-07,12],other
        found = re.match(r"([^,\[]+)(?:\[(\d+))?", nodes)
        os.environ["MASTER_ADDR"] = "".join(filter(None, found.groups())) if found else nodes
    if "MASTER_PORT" not in os.environ:
        os.environ["MASTER_PORT"] = str(20000 + int(os.environ.get("SLURM_JOB_ID", 0)) % 20000)


def _from_all(text: str) -> list[str]:
    """What every process says, at most MESSAGE bytes each."""
    content = torch.zeros(dist.get_world_size(), MESSAGE, dtype=torch.int32)
    raw = text.encode()[:MESSAGE]
    content[dist.get_rank(), : len(raw)] = torch.tensor([*raw], dtype=torch.int32)
    content = all_reduce(content)
    return [bytes(row[row > 0].tolist()).decode(errors="replace") for row in content]


def _is_lost(error: RuntimeError) -> bool:
    words = ("connection", "gloo", "nccl", "timed out", "peer", "socket")
    return any(word in str(error).lower() for word in words)


def _line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0][:200]
