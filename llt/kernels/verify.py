"""Are the fused kernels right on this device? Each is run beside its plain twin.

A check is a function that makes tensors through the dispatch of `llt.kernels` (outputs, gradients,
from fixed random numbers); it is called once under each implementation. Add new ones to `CHECKS`;
those that need a model are in `llt.bench.checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from llt import kernels
from llt.errors import KernelError
from llt.kernels.choice import HAVE_TRITON
from llt.kernels.muon import Layout, Stack


@dataclass(frozen=True)
class Check:
    """Tensors that must not depend on the kernels in use, up to a relative error."""

    name: str
    tensors: Callable[[torch.device], Sequence[Tensor]]
    tolerance: float


def verify(device: torch.device, checks: Sequence[Check] | None = None) -> dict[str, float]:
    """Largest relative error per check; an error above its tolerance is a KernelError."""
    errors = {}
    for check in CHECKS if checks is None else checks:
        with kernels.use("reference"):
            expected = check.tensors(device)
        with kernels.use("fused"):
            actual = check.tensors(device)
        worst = max(map(relative_error, actual, expected))
        if worst > check.tolerance:
            raise KernelError(
                f"kernel check {check.name}: relative error {worst:.2g} on {device} "
                f"exceeds {check.tolerance:g}"
            )
        errors[check.name] = worst
    return errors


def fused_available(device: torch.device) -> bool:
    return device.type == "cuda" and HAVE_TRITON


def relative_error(actual: Tensor, expected: Tensor) -> float:
    """|actual - expected| / |expected| in double precision; infinite where there is a NaN."""
    actual, expected = actual.detach().double(), expected.detach().double()
    size = expected.norm().clamp(min=torch.finfo(torch.float64).tiny)
    error = float((actual - expected).norm() / size)
    return error if error == error else float("inf")


def _adam_update(device: torch.device) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    flat, first, second, gradient = torch.randn(4, 1001, generator=generator).to(device).unbind()
    row = torch.tensor([0.9, 0.1, 1e-2, 0.7, 0.999], device=device)
    factor = torch.tensor(0.5, device=device)
    state = [flat.clone(), first.clone(), second.square()]
    kernels.adam_update(
        *state, gradient, row, factor, None,
        beta2=0.999, eps=1e-8, weight_decay=1e-5, decoupled=True,
    )  # fmt: skip
    return state


def _muon_update(device: torch.device) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    layout = Layout.of([Stack(3, 128, 128), Stack(2, 85, 128), Stack(1, 128, 85)], device)
    momentum, gradient = torch.randn(2, layout.size, generator=generator).to(device).unbind()
    weights, row = torch.zeros_like(momentum), torch.ones(2, device=device)
    factor = torch.tensor(0.5, device=device)
    kernels.muon_update(weights, momentum, gradient, layout, row, factor, None)
    return [weights, momentum]


CHECKS: list[Check] = [
    Check("adam_update", _adam_update, 1e-5),
    # five iterations in bf16, which round alike but add up in another order
    Check("muon_update", _muon_update, 2e-2),
]
