"""A small LLT like a given one, fused beside plain: do the GPU's kernels give the same?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

import torch
from torch import Tensor

from llt.kernels.verdict import Verdict, verdict
from llt.kernels.verify import Check, verify
from llt.models.llt.definition import LLT
from llt.models.llt.description import CONVOLUTION, Description
from llt.problem import Field, Problem
from llt.runtime.device import autocast

SIDES = (5, 6, 7)  # of a grid: they fill no tile of a kernel
NEIGHBORS = 9
TOLERANCE = {"fp16": 1e-2, "bf16": 5e-2}  # of a gradient; both sides have the precision


@torch.compiler.disable  # type: ignore[untyped-decorator]
def first_use(about: Description, device: torch.device, precision: str) -> Verdict | None:
    """The verdict on the fused kernels of such a network; see `verdict`."""
    settings = " ".join(f"{name}={value}" for name, value in asdict(about).items())
    return verdict(device, f"llt {precision} {settings}", partial(_errors, about, precision))


def _errors(about: Description, precision: str, device: torch.device) -> dict[str, float]:
    check = Check("llt", gradient_of(about, precision), TOLERANCE[precision])
    return verify(device, [check])


def gradient_of(about: Description, precision: str) -> Callable[[torch.device], list[Tensor]]:
    """The output of a small network of one block, and its gradient as one vector."""
    structured = about.local == CONVOLUTION
    problem = Problem(
        name="first use",
        space_dim=about.space_dim,
        inputs=(Field("a"),),
        outputs=(Field("u"),),
        grid=SIDES[-about.space_dim :] if structured else None,
        timed=about.timed,
    )
    N = problem.num_points or 83

    def tensors(device: torch.device) -> list[Tensor]:
        with torch.random.fork_rng([device] if device.type == "cuda" else []):
            torch.manual_seed(0)
            model = LLT(
                problem, dim=about.dim, heads=about.heads, num_layers=1, alpha=about.alpha,
                kernel=about.kernel, ffn_dim=about.ffn_dim,
            )  # fmt: skip
            x, a, up = torch.rand(2, N, about.space_dim), torch.randn(2, N, 1), torch.randn(2, N, 1)
            neighbors = None if structured else torch.randint(-1, N, (2, N, NEIGHBORS)).to(device)
        t = torch.tensor([0.3, 0.6], device=device) if about.timed else None
        model.to(device)
        with autocast(device, precision):
            u = model(x.to(device), a.to(device), t=t, neighbors=neighbors)
        grads = torch.autograd.grad(u, list(model.parameters()), up.to(device, u.dtype))
        return [u, torch.cat([grad.flatten() for grad in grads])]

    return tensors
