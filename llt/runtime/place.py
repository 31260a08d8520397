"""Where a launcher has put this process: torchrun, or Slurm's srun."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from llt.errors import ConfigError

# names of: its number, how many there are, its number on this machine, how many are there
LAUNCHERS = (
    ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """The number of a process among all, and among those on its machine."""

    rank: int
    size: int
    local: int
    local_size: int  # at most, on any machine

    def __str__(self) -> str:
        return f"process {self.rank} of {self.size}"


def find_place(environment: Mapping[str, str] = os.environ) -> Place | None:
    """What a launcher says; None without one."""
    for rank, size, local, local_size in LAUNCHERS:
        if rank in environment and size in environment:
            try:
                return Place(
                    int(environment[rank]),
                    int(environment[size]),
                    int(environment.get(local, 0)),
                    _most(environment.get(local_size, environment[size])),
                )
            except ValueError:
                raise ConfigError(
                    f"{rank}={environment[rank]}, {size}={environment[size]}: not numbers"
                ) from None
    return None


def meeting_place(environment: Mapping[str, str] = os.environ) -> tuple[str, int]:
    """Host and port where processes meet: torchrun says it; under Slurm, the step's first host."""
    first = _first_host(environment.get("SLURM_STEP_NODELIST", ""))
    port = environment.get("MASTER_PORT")
    try:
        number = int(port or 20000 + int(environment.get("SLURM_JOB_ID", 0)) % 20000)
    except ValueError:
        raise ConfigError(f"MASTER_PORT={port}: not a number") from None
    return environment.get("MASTER_ADDR", first), number


def _first_host(nodes: str) -> str:
    """Of a list as node[03-07,12]-ib,other: node03-ib."""
    found = re.match(r"([^,\[]|\[[^]]*\])+", nodes)
    return re.sub(r"\[(\d+)[^]]*\]", r"\1", found[0]) if found else "localhost"


def _most(counts: str) -> int:
    """The largest of numbers of processes by machine, as 8(x2),4."""
    return max(map(int, re.findall(r"(\d+)(?:\(x\d+\))?", counts)))
