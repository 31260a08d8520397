"""Attention to neighbors on the CPU, without gathering (N, K, D).

Compiled loops, in as many threads as torch uses. Every number is summed by one thread in a fixed
order: results do not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import Tensor

from llt.kernels.derivatives import first_derivative_only

ROWS = 512  # of points that are worth a thread


def neighbor_attention(q: Tensor, k: Tensor, v: Tensor, neighbors: Tensor) -> Tensor:
    """See `plain.neighbor_attention`."""
    return Neighbors.apply(q, k, v, neighbors)


class Neighbors(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, neighbors: Tensor) -> Tensor:
        from llt.kernels.neighbors import loops

        B, M, H, C = q.shape
        q, k, v = (z.flatten(2).contiguous() for z in (q, k, v))
        out, lse = torch.empty_like(q), q.new_empty(B, M, H)
        rows = [z.flatten(0, 1).numpy() for z in (q, neighbors.contiguous(), out, lse)]
        own, lists, total, norm = rows
        scale = total.dtype.type(C**-0.5)
        edges = [*range(0, B * M, ROWS), B * M]
        parts = [
            (own, k.numpy(), v.numpy(), lists, scale, total, norm, *edges[i : i + 2])
            for i in range(len(edges) - 1)
        ]
        _in_threads(loops.forward, parts)
        ctx.save_for_backward(q, k, v, neighbors, out, lse)
        ctx.scale = scale
        return out.unflatten(2, (H, C))

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, up: Tensor) -> tuple[Tensor | None, ...]:
        from llt.kernels.neighbors import loops

        q, k, v, neighbors, out, lse = ctx.saved_tensors
        gradients = [torch.zeros_like(z) for z in (q, k, v)]
        about = [q, k, v, neighbors.contiguous(), out, lse, up.flatten(2).contiguous(), *gradients]
        samples = zip(*(z.numpy() for z in about), strict=True)
        _in_threads(loops.backward, [(*s[:4], ctx.scale, *s[4:]) for s in samples])
        dq, dk, dv = (z.unflatten(2, up.shape[2:]) for z in gradients)
        return dq, dk, dv, None


def _in_threads(function: Callable[..., None], parts: Sequence[Sequence[Any]]) -> None:
    """Every part by one thread; the loops let go of the interpreter."""
    threads = min(torch.get_num_threads(), len(parts))
    if threads == 1:
        for part in parts:
            function(*part)
        return
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(function, *part) for part in parts]:
            future.result()
