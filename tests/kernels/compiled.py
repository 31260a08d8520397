"""The fused kernels compiled for GPUs that are not here: the shared memory and registers of each.

A training step of LLT runs on the CPU, with Triton told that it runs on that GPU; a launch compiles
its kernel as it would there and computes nothing. Since Triton must not interpret, this is a
program of its own. It prints a line of JSON for each kernel:

    python -m tests.kernels.compiled 8.9 "grid 64" points
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.jit import JITFunction

from llt.kernels.adam.triton import adam_update
from llt.kernels.limits import H200, KILOBYTE, Limits, assume
from llt.models.llt import LLT, fused
from llt.models.llt.block import Neighborhood
from llt.problem import CAR, DARCY, ELASTICITY, PLASTICITY, Problem

GPUS = {
    "8.0": Limits((8, 0), 163 * KILOBYTE, 108),  # A100
    "8.6": Limits((8, 6), 99 * KILOBYTE, 82),  # RTX 3090
    "8.9": Limits((8, 9), 99 * KILOBYTE, 128),  # RTX 4090, L40S
    "9.0": H200,
    "12.0": Limits((12, 0), 99 * KILOBYTE, 170),  # RTX 5090
}
BOX = Problem(name="box", space_dim=3, inputs=("a",), outputs=("u",), grid=(4, 8, 8))
CASES: dict[str, tuple[Problem, dict[str, Any]]] = {
    "grid": (replace(DARCY, grid=(16, 16)), {}),
    "timed": (replace(PLASTICITY, grid=(16, 16)), {}),
    "points": (ELASTICITY, {}),
    "points in space": (CAR, {}),
    "grid 64": (replace(DARCY, grid=(16, 16)), {"dim": 64}),
    "points 64": (ELASTICITY, {"dim": 64}),
    "wide heads": (replace(DARCY, grid=(16, 16)), {"heads": 4}),
    "wide kernel": (replace(DARCY, grid=(16, 16)), {"kernel": 5}),
    "box": (BOX, {"conv_branch": False}),
    "grid 16": (replace(DARCY, grid=(16, 16)), {"dim": 16, "heads": 4}),
}


@dataclass(frozen=True)
class Resources:
    """Of one kernel as it is launched."""

    gpu: str
    case: str
    kernel: str
    rows: int  # of a tile
    warps: int
    shared: int  # bytes
    registers: int  # of a thread
    spilled: int  # bytes of a thread that registers have no room for


def training_step(case: str, dtype: torch.dtype) -> None:
    """Forward and backward through every fused kernel of LLT, on the CPU."""
    problem, settings = CASES[case]
    model = LLT(problem, num_layers=1, **settings)
    N = problem.num_points or 256
    x, a = torch.rand(1, N, problem.space_dim), torch.rand(1, N, problem.in_channels)
    neighbors = mask = None
    if problem.grid is None:
        neighbors = torch.zeros(1, N, 32, dtype=torch.int32)
        mask = torch.ones(1, N, dtype=torch.bool)
    around = Neighborhood(problem.grid, neighbors)
    condition = model.condition(torch.rand(1))
    with torch.autocast("cpu", dtype):
        h, skip = fused.embed(model, x, a, around)
        h = fused.run_blocks(model.about, model.layers, h, around, condition, mask)
        fused.decode(model, h, skip).sum().backward()
    adam_update(
        *torch.zeros(4, 1000), torch.zeros(5), torch.ones(()), None,
        beta2=0.999, eps=1e-8, weight_decay=0.0, decoupled=True,
    )  # fmt: skip


@contextmanager
def compiling(gpu: str) -> Iterator[list[tuple[dict[str, Any], Any]]]:
    """Launches compile for a GPU and run nothing; their arguments and kernels are in the list."""
    found: list[tuple[dict[str, Any], Any]] = []
    known: set[str] = set()
    launch = JITFunction.run

    def compile_only(self, *args, grid, warmup, **words):
        kernel = launch(self, *args, grid=grid, warmup=True, **words)
        if kernel.hash not in known:
            known.add(kernel.hash)
            found.append((words, kernel))

    driver.set_active(_Driver(GPUS[gpu].capability))
    JITFunction.run = compile_only
    try:
        with assume(GPUS[gpu]):
            yield found
    finally:
        JITFunction.run = launch


class _Driver:
    """All that a launch asks of a GPU before it compiles."""

    def __init__(self, capability: tuple[int, int]) -> None:
        self.number = 10 * capability[0] + capability[1]

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", self.number, 32)

    def get_current_device(self) -> int:
        return self.number  # compiled kernels are kept by device

    def get_current_stream(self, device: int) -> int:
        return 0


def resources(gpu: str, case: str, words: dict[str, Any], kernel: Any) -> Resources:
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(kernel.asm["cubin"])
        file.flush()
        tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
        command = [tool, "--dump-resource-usage", file.name]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = {name: int(number) for name, number in re.findall(r"(\w+):(\d+)", text)}
    return Resources(
        gpu=gpu,
        case=case,
        kernel=kernel.name,
        rows=words.get("ROWS", 0),
        warps=kernel.metadata.num_warps,
        shared=kernel.metadata.shared,
        registers=used["REG"],
        spilled=used["STACK"],
    )


def main(gpu: str, *cases: str, dtype: torch.dtype = torch.float16) -> None:
    torch.set_num_threads(1)
    with compiling(gpu) as kernels:
        for case in cases or CASES:
            kernels.clear()
            training_step(case, dtype)
            for words, kernel in kernels:
                line = json.dumps(asdict(resources(gpu, case, words, kernel)))
                sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
