"""The update of Adam in one pass over parameters, moments and gradient."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

BLOCK = 1024


@triton.jit
def adam(
    flat, first, second, gradient, row, factor, finite, weight_decay, size,
    BETA2: tl.constexpr, EPS: tl.constexpr, DECOUPLED: tl.constexpr, GUARD: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = at < size
    if GUARD:
        ok = at < size * tl.load(finite).to(tl.int32)
    beta1, rest = tl.load(row), tl.load(row + 1)
    step_size, root, decay = tl.load(row + 2), tl.load(row + 3), tl.load(row + 4)
    w = tl.load(flat + at, mask=ok, other=0.0)
    g = tl.load(gradient + at, mask=ok, other=0.0) * tl.load(factor)
    if DECOUPLED:
        w *= decay
    else:
        g += weight_decay * w
    m = tl.load(first + at, mask=ok, other=0.0) * beta1 + g * rest
    v = tl.load(second + at, mask=ok, other=0.0) * BETA2 + g * g * (1 - BETA2)
    w -= m / (tl.sqrt(v) / root + EPS) * step_size
    tl.store(flat + at, w, mask=ok)
    tl.store(first + at, m, mask=ok)
    tl.store(second + at, v, mask=ok)


def adam_update(
    flat: Tensor,
    first: Tensor,
    second: Tensor,
    gradient: Tensor,
    row: Tensor,
    factor: Tensor,
    finite: Tensor | None,
    *,
    beta2: float,
    eps: float,
    weight_decay: float,
    decoupled: bool,
) -> None:
    size = flat.numel()
    adam[(triton.cdiv(size, BLOCK),)](
        flat, first, second, gradient, row, factor, finite, weight_decay, size,
        BETA2=beta2, EPS=eps, DECOUPLED=decoupled, GUARD=finite is not None, BLOCK=BLOCK,
    )  # fmt: skip
