"""The checks that need a model: a training step of LLT, fused beside plain; and of every model,
compiled beside step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from llt import kernels
from llt.bench.case import Case, problem_case
from llt.bench.cost import Protocol, build_step, require_fused, runs, uses_fused
from llt.bench.turns import finished, turn
from llt.errors import KernelError
from llt.kernels.choice import choice
from llt.kernels.verify import CHECKS, Check, verify
from llt.runtime.device import matmul_precision
from llt.training.step import TrainingStep

GRID = (31, 33)  # fills no tile of a kernel
# of a gradient through two layers, both sides in the precision of the run
TOLERANCE = {"fp32": 1e-4, "tf32": 2e-2, "fp16": 5e-3, "bf16": 3e-2}
# of its worst parameter; a compiler rounds elsewhere, on an H200 by a fifth of this at most
COMPILED = {"fp32": 1e-4, "tf32": 5e-3, "fp16": 5e-3, "bf16": 3e-2}


Errors = dict[str, float]


def verify_all(protocol: Protocol) -> tuple[Errors, Errors]:
    """Errors of the fused kernels and of compiled gradients, or a KernelError."""
    checks = [verify_compiled, *([verify_kernels] if uses_fused(protocol) else [])]
    found = dict(finished([partial(check, protocol) for check in checks], protocol.jobs))
    return found.get(1, {}), found[0]


def verify_kernels(protocol: Protocol) -> Errors:
    """Errors by name, or a KernelError; in the precision in which speed will be measured."""
    tolerance = TOLERANCE[protocol.precision]
    checks = [
        Check(f"llt {case.name}", partial(_gradient, case, protocol), tolerance)
        for case in _cases()
    ]
    with turn(), matmul_precision(protocol.precision):
        return verify(protocol.device, [*CHECKS, *checks])


def verify_compiled(protocol: Protocol) -> Errors:
    """Errors of compiled gradients by model and kernels, or a KernelError."""
    tolerance, errors = COMPILED[protocol.precision], {}
    compiled = [run for run in runs(protocol) if run[1].mode == "compile"]
    for model, way in compiled:
        name = f"{model} {way}"
        with turn(), kernels.use(way.kernels), matmul_precision(protocol.precision):
            errors[name] = _compiled_error(next(_cases()), model, protocol)
        if not errors[name] <= tolerance:
            raise KernelError(
                f"{name}: relative error {errors[name]:.2g} of a gradient on "
                f"{protocol.device} exceeds {tolerance:g}"
            )
    return errors


def _compiled_error(case: Case, model: str, protocol: Protocol) -> float:
    """Of the parameter that is worst; small gradients count as a hundredth of all."""
    step = build_step(case, model, protocol)
    batch = step.data.batch(step.items[0])
    compiled = torch.compile(step.forward_loss, dynamic=False)
    expected, actual = (_gradients(step, loss(batch)) for loss in (step.forward_loss, compiled))
    torch.compiler.reset()
    floor = 0.01 * torch.cat([z.flatten() for z in expected]).norm()
    pairs = zip(actual, expected, strict=True)
    return max(float((a - b).norm() / b.norm().clamp(min=floor)) for a, b in pairs)


def _cases() -> Iterator[Case]:
    """Two grids, one of them narrow, a point set and a timed problem, each with two layers."""
    for name in ("darcy", "airfoil", "elasticity", "plasticity"):
        case = problem_case(name)
        if case.problem.grid is not None:
            problem = replace(case.problem, grid=GRID)
            case = replace(case, problem=problem, num_points=GRID[0] * GRID[1])
        settings = {m: {**chosen, "num_layers": 2} for m, chosen in case.settings.items()}
        yield replace(case, settings=settings)


def _gradient(case: Case, protocol: Protocol, device: torch.device) -> list[Tensor]:
    """The loss of a batch, and its gradient as one vector."""
    step = build_step(case, "llt", protocol)
    if choice() == "fused":
        require_fused(step)
    loss = step.forward_loss(step.data.batch(step.items[0]))
    return [loss.reshape(1), torch.cat([grad.flatten() for grad in _gradients(step, loss)])]


def _gradients(step: TrainingStep, loss: Tensor) -> list[Tensor]:
    """Of all parameters, scaled as in training: small ones vanish in fp16.

    Zero for what is there and not used, as in the authors' Transolver where there are no fields.
    """
    loss = step.optimizer.parameters.scaled(loss)
    parameters = list(step.surrogate.model.parameters())
    return [*torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)]
