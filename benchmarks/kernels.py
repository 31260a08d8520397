"""The fused kernels at the Darcy setting: are they right, and how long does each take?

    python benchmarks/kernels.py [--kinds fp16,bf16] [--cases grid,points,model] [--sweep]
        [--json FILE]

Output and all gradients of a block, on a grid and on points, and of a model of one block are
compared with the plain ones in full float32, and each kernel's time is read from the profiler. With
--sweep other tile sizes, numbers of warps and of programs are tried too, one launch changed at a
time. Every variant is first run in a process of its own (a wrong kernel may take the CUDA context
down with it), all at the same time; those that were right are then timed one after the other.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from record import write_record
from torch import Tensor

from llt import kernels
from llt.kernels.fused import (
    depthwise,
    embed,
    encoding,
    feedforward,
    head,
    lift,
    mix,
    norm,
    project,
    weight_gradients,
)
from llt.kernels.triton_tiles import Launch
from llt.models.llt.definition import LLT, Block
from llt.models.llt.fused import run_blocks
from llt.problem import DARCY, ELASTICITY

KINDS = {"fp16": torch.float16, "bf16": torch.bfloat16}
TOLERANCE = {"fp16": 5e-3, "bf16": 4e-2}
MODULES = {
    "project": project,
    "mix": mix,
    "feedforward": feedforward,
    "norm": norm,
    "depthwise": depthwise,
    "weights": weight_gradients,
    "encoding": encoding,
    "lift": lift,
    "embed": embed,
    "head": head,
}
AROUND = ("encoding", "lift", "embed", "head")  # the blocks
# (rows, warps, programs sharing a processor) of one launch, by the module's name for it
SWEEPS: dict[str, list[tuple[int, int, int]]] = {
    "project.FORWARD": [(16, 4, 3), (64, 4, 2)],
    "mix.FORWARD": [(16, 8, 4), (16, 4, 3)],
    "mix.BACKWARD": [(16, 8, 1)],
    "feedforward.BACKWARD": [(16, 4, 2), (16, 8, 2)],
    "norm.LAUNCH": [(16, 4, 2), (16, 8, 2), (32, 8, 1)],
    "depthwise.FORWARD": [(2, 1, 16), (8, 1, 8)],
    "depthwise.BACKWARD": [(2, 1, 8)],
    "weights.LAUNCH": [(64, 8, 1), (64, 8, 2), (32, 8, 2)],
    "encoding.LAUNCH": [(32, 4, 4), (128, 4, 4)],
    "lift.FORWARD": [(32, 4, 4), (64, 4, 3), (128, 4, 2)],
    "lift.BACKWARD": [(32, 4, 3), (64, 8, 1)],
    "embed.FORWARD": [(32, 4, 2), (64, 8, 1), (32, 8, 2)],
    "embed.BACKWARD": [(16, 4, 4), (32, 4, 2), (32, 8, 2)],
    "head.FORWARD": [(32, 4, 2), (64, 8, 1)],
    "head.BACKWARD": [(16, 4, 3), (32, 4, 2), (32, 8, 2)],
}
SHIPPED = {name: getattr(MODULES[name.split(".")[0]], name.split(".")[1]) for name in SWEEPS}
B, N, D, HEADS, K, REPEATS = 4, 85 * 85, 128, 8, 32, 10
PROBLEMS = {
    "grid": replace(DARCY, grid=(85, 85)),
    "points": ELASTICITY,
    "model": replace(DARCY, grid=(85, 85)),
}
Work = Callable[[], Tensor]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="fp16,bf16")
    parser.add_argument("--cases", default=",".join(PROBLEMS))
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(json.dumps({"errors": errors_of(json.loads(args.child))}))
        return
    variants = [
        {"case": case, "kind": kind, "launch": launch}
        for case in args.cases.split(",")
        for kind in args.kinds.split(",")
        for launch in [{}, *(variants_of(case) if args.sweep else [])]
    ]
    with ThreadPoolExecutor(args.jobs) as pool:
        checked = list(pool.map(check_apart, variants))
    rows = []
    for variant, outcome in zip(variants, checked, strict=True):
        row = variant | outcome
        limit = TOLERANCE[variant["kind"]]
        row["right"] = "errors" in row and max(row["errors"].values()) < limit
        if row["right"]:
            row["microseconds"] = times_of(variant)
        rows.append(row)
        print(describe(row), flush=True)
    if args.json:
        write_record(args.json, {"variants": rows}, "cuda")


def variants_of(case: str) -> list[dict[str, tuple[int, int, int]]]:
    """Of the blocks' kernels on a grid, of those around them in a model."""
    names = [name for name in SWEEPS if name.startswith(AROUND) == (case == "model")]
    return [{name: value} for name in names if case != "points" for value in SWEEPS[name]]


def describe(row: dict[str, Any]) -> str:
    launch = " ".join(f"{k} {tuple(v)}" for k, v in row["launch"].items()) or "as shipped"
    head = f"{row['case']:<7}{row['kind']:<5}{launch:<33}"
    if not row["right"]:
        worst = {k: f"{v:.1e}" for k, v in row.get("errors", {}).items() if not v < 1e-2}
        return f"{head}WRONG {worst or row.get('failed', '')}"
    times = row["microseconds"]
    changed = {name.split(".")[0] for name in row["launch"]}
    shown = {k: v for k, v in times.items() if not changed or k.split("_")[0] in changed}
    each = ", ".join(f"{name} {value:.1f}" for name, value in shown.items())
    return f"{head}error {max(row['errors'].values()):.1e}  {sum(times.values()):.0f} us: {each}"


def check_apart(variant: dict[str, Any]) -> dict[str, Any]:
    words = [sys.executable, __file__, "--child", json.dumps(variant)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        return {"failed": lines[-1][:160] if lines else f"exit {result.returncode}"}
    return json.loads(result.stdout.splitlines()[-1])


def errors_of(variant: dict[str, Any]) -> dict[str, float]:
    """Relative errors of the output and of every gradient against the plain one."""
    leaves, fused, plain = build(variant)
    names = ["output", *leaves]
    actual, expected = (run(function, leaves) for function in (fused, plain))
    pairs = zip(names, actual, expected, strict=True)
    return {name: relative(a, b) for name, a, b in pairs}


def relative(actual: Tensor, expected: Tensor) -> float:
    error = float((actual.double() - expected.double()).norm() / expected.double().norm())
    return error if error == error else float("inf")


def run(function: Callable[[], Tensor], leaves: dict[str, Tensor]) -> list[Tensor]:
    out = function()
    up = torch.randn(out.shape, generator=torch.Generator("cuda").manual_seed(1), device="cuda")
    return [out.detach(), *torch.autograd.grad(out, [*leaves.values()], up)]


def times_of(variant: dict[str, Any]) -> dict[str, float]:
    """Microseconds of each kernel, forward and backward; those of the library by what they do."""
    leaves, fused, _ = build(variant)
    run(fused, leaves)
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(REPEATS):
            run(fused, leaves)
        torch.cuda.synchronize()
    times: dict[str, float] = {}
    for event in profile.key_averages():
        name = name_of(event.key)
        times[name] = times.get(name, 0.0) + event.self_device_time_total / REPEATS
    return times


def name_of(kernel: str) -> str:
    ours = (*MODULES, "state_", "sum_rows", "neighbors_")
    if kernel.startswith(ours):
        return kernel
    return "products" if "nvjet" in kernel or "gemm" in kernel else "other"


def build(variant: dict[str, Any]) -> tuple[dict[str, Tensor], Work, Work]:
    """What is differentiated by, and the function with fused and with plain kernels."""
    for name, shipped in SHIPPED.items():
        module, launch = name.split(".")
        setattr(MODULES[module], launch, Launch(*variant["launch"].get(name, shipped)))
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.manual_seed(0)
    half = torch.autocast("cuda", KINDS[variant["kind"]])
    problem = PROBLEMS[variant["case"]]
    if variant["case"] == "model":
        network = LLT(problem, dim=D, num_layers=1, heads=HEADS).cuda()
        x, a = torch.rand(B, N, 2, device="cuda"), torch.randn(B, N, 1, device="cuda")

        def whole(kernel: str) -> Tensor:
            with kernels.use(kernel), half if kernel == "fused" else nullcontext():
                return network(x, a)

        parameters = dict(network.named_parameters())
        return parameters, partial(whole, "fused"), partial(whole, "reference")
    block = Block(problem, dim=D, heads=HEADS, alpha=0.7, kernel=3).cuda()
    h = torch.randn(B, N, D, device="cuda").requires_grad_()
    rest = (None, problem.grid, None if problem.grid else neighbor_lists(), None)

    def fused() -> Tensor:
        with half:
            return run_blocks([block], h, *rest)

    return {"h": h, **dict(block.named_parameters())}, fused, lambda: block(h, *rest)


def neighbor_lists() -> Tensor:
    """Near in memory, as sorted points have them; a tenth of the places is empty."""
    offsets = torch.randint(-200, 200, (B, N, K), device="cuda")
    lists = (torch.arange(N, device="cuda")[None, :, None] + offsets) % N
    return torch.where(torch.rand(B, N, K, device="cuda") < 0.1, -1, lists)


if __name__ == "__main__":
    main()
