"""Every fused kernel at the Darcy setting: is it right, and how long does it take?

    python benchmarks/kernels.py [--kinds fp16,bf16] [--sweep] [--json FILE]

For every operation of a block, output and gradients are compared with the plain twin in full
float32, and each kernel's time is read from the profiler. With --sweep other tile sizes, numbers
of warps and pipeline stages are tried too. Every variant is first run in a process of its own
(a wrong kernel may take the CUDA context down with it), all at the same time; those that were
right are then timed one after the other.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from record import write_record
from torch import Tensor

from llt.kernels import fused, reference
from llt.kernels.fused import depthwise, feedforward, mix, neighbors, norm, project
from llt.kernels.fused.tiles import Launch

KINDS = {"fp16": torch.float16, "bf16": torch.bfloat16}
TOLERANCE = {"fp16": 5e-3, "bf16": 4e-2}
MODULES = {
    "project": project,
    "mix": mix,
    "feedforward": feedforward,
    "norm": norm,
    "depthwise": depthwise,
    "neighbors": neighbors,
}
# (rows, warps, programs sharing a processor) of one launch, by the module's name for it
SWEEPS: dict[str, dict[str, list[tuple[int, int, int]]]] = {
    "project": {
        "project.FORWARD": [(32, 4, 1), (32, 8, 1), (16, 4, 3), (16, 8, 2), (64, 8, 1)],
        "project.BACKWARD": [(32, 8, 3), (16, 4, 6), (16, 8, 4), (64, 8, 2)],
        "norm.LAUNCH": [(32, 4, 2), (32, 8, 1), (16, 4, 3), (16, 8, 2), (64, 8, 1)],
    },
    "mix": {
        "mix.FORWARD": [(32, 4, 2), (32, 8, 2), (16, 4, 4), (16, 8, 3), (64, 8, 1)],
        "mix.BACKWARD": [(32, 4, 2), (32, 8, 1), (16, 4, 2), (16, 8, 2), (64, 8, 1)],
    },
    "feedforward": {
        "feedforward.FORWARD": [(32, 4, 1), (32, 8, 1), (32, 8, 2), (16, 4, 2), (16, 8, 2)],
        "feedforward.BACKWARD": [(32, 4, 1), (32, 8, 1), (32, 8, 2), (16, 4, 2), (16, 8, 2)],
        "norm.LAUNCH": [(32, 4, 2), (32, 8, 1), (16, 4, 3), (16, 8, 2), (64, 8, 1)],
    },
    "depthwise": {"depthwise.WEIGHT": [(4, 4, 2), (4, 4, 8), (2, 4, 8), (4, 8, 4), (2, 4, 4)]},
    "neighbors": {},
}
SHIPPED = {
    name: getattr(MODULES[name.split(".")[0]], name.split(".")[1])
    for launches in SWEEPS.values()
    for name in launches
}
B, GRID, D, HEADS, K = 4, (85, 85), 128, 8, 32
N, HIDDEN, REPEATS = GRID[0] * GRID[1], D * 2 // 3, 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", default="fp16,bf16")
    parser.add_argument("--operations", default=",".join(SWEEPS))
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(json.dumps(errors_of(json.loads(args.child))))
        return
    variants = [
        {"operation": name, "kind": kind, "constants": constants}
        for name in args.operations.split(",")
        for kind in args.kinds.split(",")
        for constants in [{}, *(variants_of(name) if args.sweep else [])]
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


def variants_of(operation: str) -> list[dict[str, tuple[int, int, int]]]:
    """One launch changed at a time."""
    return [{name: value} for name, values in SWEEPS[operation].items() for value in values]


def describe(row: dict[str, Any]) -> str:
    constants = " ".join(f"{k} {tuple(v)}" for k, v in row["constants"].items()) or "as shipped"
    head = f"{row['operation']:<16}{row['kind']:<6}{constants:<36}"
    if not row["right"]:
        worst = {k: f"{v:.1e}" for k, v in row.get("errors", {}).items() if not v < 1e-2}
        return f"{head}WRONG {worst or row.get('failed', '')}"
    each = ", ".join(f"{name} {value:.0f}" for name, value in row["microseconds"].items())
    return f"{head}error {max(row['errors'].values()):.1e}  us: {each}"


def check_apart(variant: dict[str, Any]) -> dict[str, Any]:
    words = [sys.executable, __file__, "--child", json.dumps(variant)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        return {"failed": lines[-1][:160] if lines else f"exit {result.returncode}"}
    return json.loads(result.stdout.splitlines()[-1])


def errors_of(variant: dict[str, Any]) -> dict[str, Any]:
    """Relative errors of the output and of every gradient against the twin in float32."""
    operation, inputs = build(variant)
    actual = run(operation["fused"], inputs)
    wide = {name: z.detach().float().requires_grad_(z.requires_grad) for name, z in inputs.items()}
    expected = run(operation["plain"], wide)
    return {"errors": {name: relative(actual[name], expected[name]) for name in expected}}


def relative(actual: Tensor, expected: Tensor) -> float:
    error = float((actual.double() - expected.double()).norm() / expected.double().norm())
    return error if error == error else float("inf")


def run(function: Callable[..., Tensor], inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    out = function(**inputs)
    generator = torch.Generator("cuda").manual_seed(1)
    up = torch.randn(out.shape, generator=generator, device="cuda").to(out.dtype)
    learned = {name: z for name, z in inputs.items() if z.requires_grad}
    if not learned:
        return {"output": out}
    grads = torch.autograd.grad(out, list(learned.values()), up)
    return {"output": out.detach(), **dict(zip(learned, grads, strict=True))}


def times_of(variant: dict[str, Any]) -> dict[str, float]:
    """Microseconds of each kernel, forward and backward; the library's products together."""
    operation, inputs = build(variant)
    run(operation["fused"], inputs)
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(REPEATS):
            run(operation["fused"], inputs)
        torch.cuda.synchronize()
    ours = ("project_", "state_", "norm_", "mix_", "feedforward_", "depthwise", "neighbors_")
    times: dict[str, float] = {}
    for event in profile.key_averages():
        name = event.key if event.key.startswith(ours) else "library"
        times[name] = times.get(name, 0.0) + event.self_device_time_total / REPEATS
    return times


def build(variant: dict[str, Any]) -> tuple[dict[str, Callable[..., Tensor]], dict[str, Tensor]]:
    """The operation, fused and plain, as functions of the same named inputs."""
    for name, shipped in SHIPPED.items():
        module, launch = name.split(".")
        setattr(MODULES[module], launch, Launch(*variant["constants"].get(name, shipped)))
    return OPERATIONS[variant["operation"]](KINDS[variant["kind"]])


def random(*shape: int, scale: float = 1.0, kind: torch.dtype = torch.float32) -> Tensor:
    return (scale * torch.randn(*shape, device="cuda")).to(kind).requires_grad_()


def weight(*shape: int) -> Tensor:
    return random(*shape, scale=D**-0.5)


def narrow(matrix: Tensor, kind: torch.dtype) -> Tensor:
    return matrix.detach().to(kind)


def build_project(kind: torch.dtype) -> Any:
    torch.manual_seed(0)
    inputs = {
        "h": random(B, N, D), "gain": random(D), "qkv": weight(3 * D, D),
        "gate": weight(D, D), "gate_bias": random(D),
    }  # fmt: skip

    def read(h: Tensor, n: Tensor, proj: Tensor, state: Tensor) -> Tensor:
        q, _, _, g = proj.chunk(4, -1)
        return torch.cat([z.float().flatten() for z in (h, n, q, g, state)])

    def plain(h, gain, qkv, gate, gate_bias):
        return read(*reference.project(h, gain, None, None, qkv, gate, gate_bias, HEADS, 1e-6))

    def quick(h, gain, qkv, gate, gate_bias):
        words = (h, gain, None, None, qkv, gate, gate_bias, HEADS, 1e-6)
        return read(*fused.Project.apply(*words, narrow(qkv, kind), narrow(gate, kind)))

    return {"plain": plain, "fused": quick}, inputs


def build_mix(kind: torch.dtype) -> Any:
    torch.manual_seed(0)
    inputs = {
        "h": random(B, N, D), "q": random(B, N, D, kind=kind), "g": random(B, N, D, kind=kind),
        "state": random(B, D // HEADS + 1, D).detach().abs().requires_grad_(),
        "near": random(B, N, D, kind=kind),
        "weight": weight(D, D), "bias": random(D),
    }  # fmt: skip

    def words(h, q, g, state, near, weight, bias):
        proj = torch.cat((q, torch.zeros_like(q), torch.zeros_like(q), g), -1)
        return h, proj, state, near, weight, bias, 0.7, 1e-6

    def plain(**inputs):
        return reference.mix(*words(**inputs))

    def quick(**inputs):
        return fused.Mix.apply(*words(**inputs), narrow(inputs["weight"], kind))

    return {"plain": plain, "fused": quick}, inputs


def build_feedforward(kind: torch.dtype) -> Any:
    torch.manual_seed(0)
    inputs = {
        "h": random(B, N, D), "gain": random(D),
        "gate_up": weight(2 * HIDDEN, D), "down": weight(D, HIDDEN),
    }  # fmt: skip

    def plain(h, gain, gate_up, down):
        return reference.feed_forward(h, gain, gate_up, down, 1e-6)

    def quick(h, gain, gate_up, down):
        words = (h, gain, gate_up, down, 1e-6)
        return fused.FeedForward.apply(*words, narrow(gate_up, kind), narrow(down, kind))

    return {"plain": plain, "fused": quick}, inputs


def build_depthwise(kind: torch.dtype) -> Any:
    torch.manual_seed(0)
    inputs = {"n": random(B, N, D, kind=kind), "weight": random(D, 1, 3, 3), "bias": random(D)}

    def plain(n, weight, bias):
        return reference.depthwise_conv(n, weight, bias, GRID)

    def quick(n, weight, bias):
        return fused.DepthwiseConv.apply(n, weight, bias, GRID)

    return {"plain": plain, "fused": quick}, inputs


def build_neighbors(kind: torch.dtype) -> Any:
    torch.manual_seed(0)
    inputs = {"qkv": random(B, N, 3 * D, kind=kind)}
    # near in memory, as sorted points have them
    offsets = torch.randint(-200, 200, (B, N, K), device="cuda")
    lists = (torch.arange(N, device="cuda")[None, :, None] + offsets) % N
    lists = torch.where(torch.rand(B, N, K, device="cuda") < 0.1, -1, lists)
    reverse = fused.reverse_lists(lists)

    def plain(qkv):
        q, k, v = (z.unflatten(-1, (HEADS, -1)) for z in qkv.chunk(3, -1))
        return reference.neighbor_attention(q, k, v, lists).flatten(2)

    def quick(qkv):
        return fused.NeighborAttention.apply(qkv, lists, *reverse, HEADS)

    return {"plain": plain, "fused": quick}, inputs


OPERATIONS = {
    "project": build_project,
    "mix": build_mix,
    "feedforward": build_feedforward,
    "depthwise": build_depthwise,
    "neighbors": build_neighbors,
}


if __name__ == "__main__":
    main()
