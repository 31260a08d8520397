"""The kernel checks that need a model: a training step of LLT, fused beside plain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from llt.bench.case import Case, problem_case
from llt.bench.cost import Protocol, build_step, require_fused
from llt.kernels.dispatch import choice
from llt.kernels.verify import CHECKS, Check, verify
from llt.train.step import matmul_precision

GRID = (31, 33)  # fills no tile of a kernel
# of a gradient through two layers, both sides in the precision of the run
TOLERANCE = {"fp32": 1e-4, "tf32": 2e-2, "fp16": 2e-2, "bf16": 1e-1}


def verify_kernels(protocol: Protocol) -> dict[str, float]:
    """Errors by name, or a KernelError; in the precision in which speed will be measured."""
    tolerance = TOLERANCE[protocol.precision]
    checks = [
        Check(f"llt {case.name}", partial(_gradient, case, protocol), tolerance)
        for case in _cases()
    ]
    with matmul_precision(protocol.precision):
        return verify(protocol.device, [*CHECKS, *checks])


def _cases() -> Iterator[Case]:
    """Two grids, one of them narrow, a point set and a timed problem, each with two layers."""
    for name in ("darcy", "airfoil", "elasticity", "plasticity"):
        case = problem_case(name)
        if case.problem.grid is not None:
            problem = replace(case.problem, grid=GRID)
            case = replace(case, problem=problem, num_points=GRID[0] * GRID[1])
        yield replace(case, settings={"llt": {**case.settings["llt"], "num_layers": 2}})


def _gradient(case: Case, protocol: Protocol, device: torch.device) -> list[Tensor]:
    """The loss of a batch, and its gradient as one vector."""
    step = build_step(case, "llt", protocol)
    if choice() == "fused":
        require_fused(step)
    loss = step.forward_loss(step.data.batch(step.items[0]))
    if step.optimizer.scale is not None:  # as in training: small gradients vanish in fp16
        loss = loss * step.optimizer.scale.value
    grads = torch.autograd.grad(loss, list(step.surrogate.model.parameters()))
    return [loss.reshape(1), torch.cat([grad.flatten() for grad in grads])]
