"""The processes that train one model together, under torchrun, Slurm or alone.

Each has a share of every batch (`data`) and a part of every mesh (`domain`). Without a launcher
there is one process, no process group, and nothing here does anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.device_mesh import init_device_mesh

from llt.errors import ConfigError, LltError, TrainingError
from llt.runtime.meeting import meeting
from llt.runtime.place import Place, find_place


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

    def begin_total(self, z: Tensor) -> Underway:
        """The same, under way."""
        return begin_all_reduce(z)

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
        text = self.first_says("" if error is None else str(error))
        if error is not None:
            raise error
        if text:
            follows = TrainingError(f"the first process stopped: {text}")
            follows.heard = False  # the first one says it itself
            raise follows

    def first_says(self, text: str) -> str:
        """What the first process says, in all of them."""
        return _from_all(text)[0] if self.size > 1 else text

    def least(self, number: int) -> int:
        """The smallest number that any process has."""
        return min(map(int, _from_all(str(number)))) if self.size > 1 else number

    def check_same(self, about: Mapping[str, str]) -> None:
        """Refuse to begin where processes do not have the same code, data and settings."""
        if self.size == 1:
            return
        lines = "\n".join(f"{name} {value}" for name, value in about.items())
        first, *others = (_by_name(text) for text in _from_all(lines))
        for rank, other in enumerate(others, 1):
            for name in first | other:
                if first.get(name) != other.get(name):
                    raise ConfigError(
                        f"process {rank} has {name} {other.get(name)}, "
                        f"process 0 {name} {first.get(name)}; all must have the same"
                    )


ALONE = Team()


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
    with meeting(place, backend):
        group = _domain_group(data, domain, backend) if domain > 1 else None
        yield Team(place.rank, place.size, data, domain, backend, group), device


def _domain_group(data: int, domain: int, backend: str) -> Any:
    kind = "cuda" if backend == "nccl" else "cpu"
    mesh = init_device_mesh(kind, (data, domain), mesh_dim_names=("data", "domain"))
    return mesh["domain"].get_group()


def all_reduce(z: Tensor, group: Any = None) -> Tensor:
    """The sum over a group, in place; gloo's goes through host memory, NCCL's through the GPU's."""
    return begin_all_reduce(z, group).wait()


def begin_all_reduce(z: Tensor, group: Any = None) -> Underway:
    there = on_wire(z, group)
    return Underway(dist.all_reduce(there, group=group, async_op=True), there, z)


@dataclass(frozen=True, slots=True)
class Underway:
    """A sum over processes that has begun."""

    work: Any
    there: Tensor  # where it is summed
    z: Tensor  # where it belongs

    def wait(self) -> Tensor:
        """The sum, in place of what was given."""
        self.work.wait()
        return self.z if self.there is self.z else self.z.copy_(self.there)


def on_wire(z: Tensor, group: Any = None) -> Tensor:
    """A tensor, or its copy, where the group's backend takes it from."""
    return z.cuda() if dist.get_backend(group) == "nccl" else z.cpu()


def _device_of(place: Place, device: str) -> tuple[str, str]:
    """A GPU for each process and NCCL where there are enough of them, else gloo."""
    count = torch.cuda.device_count() if device != "cpu" else 0
    if not count or ":" in device:
        return device, "gloo"
    own = place.local % count
    torch.cuda.set_device(own)
    return f"cuda:{own}", "nccl" if place.local_size <= count else "gloo"


def _from_all(text: str) -> list[str]:
    """What every process says."""
    said = [""] * dist.get_world_size()
    dist.all_gather_object(said, text)
    return said


def _by_name(lines: str) -> dict[str, str]:
    pairs = (line.partition(" ") for line in lines.split("\n"))
    return {name: value for name, _, value in pairs}
