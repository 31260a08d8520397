"""The CPU's loops over points and their neighbors, compiled.

Rows hold the channels of all heads side by side: long enough for vector instructions, where the
few channels of one head are not. Lists may have gaps of -1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
F = TypeVar("F", bound=Callable[..., None])
# sums over channels may be taken in any order; NaN and infinity stay what they are
FAST = {"nsz", "contract", "arcp", "reassoc"}


def compiled(function: F, inline: Literal["never", "always"] = "never") -> F:
    how = njit(error_model="numpy", cache=True, nogil=True, fastmath=FAST, inline=inline)
    return cast(F, how(function))


def inlined(function: F) -> F:
    return compiled(function, "always")


@inlined
def head_sums(x: Floats, y: Floats, product: Floats, out: Floats) -> None:
    """Σ x y over the channels of every head."""
    for d in range(len(product)):
        product[d] = x[d] * y[d]
    C = len(product) // len(out)
    for h in range(len(out)):
        total = product[h * C]
        for c in range(1, C):
            total += product[h * C + c]
        out[h] = total


@inlined
def spread(x: Floats, out: Floats) -> None:
    """The number of a head, for each of its channels."""
    C = len(out) // len(x)
    for h in range(len(x)):
        for c in range(C):
            out[h * C + c] = x[h]


@compiled
def forward(
    q: Floats, k: Floats, v: Floats, neighbors: Any, scale: float, out: Floats, lse: Floats,
    first: int, last: int,
) -> None:  # fmt: skip
    """Rows `first` to `last` of out (B M, D), and log Σ exp of the scores (B M, H)."""
    B, D = len(k), q.shape[1]
    M, K, H = len(q) // B, neighbors.shape[1], lse.shape[1]
    weight, product, wide = np.empty((K, H), q.dtype), np.empty(D, q.dtype), np.empty(D, q.dtype)
    for m in range(first, last):
        keys, values, total = k[m // M], v[m // M], out[m]
        top, below = np.full(H, -np.inf, q.dtype), np.zeros(H, q.dtype)
        for j in range(K):
            if neighbors[m, j] >= 0:
                head_sums(q[m], keys[neighbors[m, j]], product, weight[j])
                for h in range(H):
                    weight[j, h] *= scale
                    top[h] = max(top[h], weight[j, h])
        total[:] = 0
        for j in range(K):
            if neighbors[m, j] >= 0:
                for h in range(H):
                    weight[j, h] = np.exp(weight[j, h] - top[h])
                    below[h] += weight[j, h]
                spread(weight[j], wide)
                value = values[neighbors[m, j]]
                for d in range(D):
                    total[d] += wide[d] * value[d]
        for h in range(H):
            lse[m, h] = top[h] + np.log(below[h])
            below[h] = 1 / below[h] if below[h] > 0 else 0
        spread(below, wide)
        for d in range(D):
            total[d] *= wide[d]


@compiled
def backward(
    q: Floats, k: Floats, v: Floats, neighbors: Any, scale: float, out: Floats, lse: Floats,
    up: Floats, dq: Floats, dk: Floats, dv: Floats,
) -> None:  # fmt: skip
    """Adds to the gradients of one sample: q (M, D), k (N, D)."""
    (M, D), K, H = q.shape, neighbors.shape[1], lse.shape[1]
    product, wide, steep = np.empty(D, q.dtype), np.empty(D, q.dtype), np.empty(D, q.dtype)
    weight, slope, mean = np.empty(H, q.dtype), np.empty(H, q.dtype), np.empty(H, q.dtype)
    for m in range(M):
        head_sums(up[m], out[m], product, mean)
        for j in range(K):
            at = neighbors[m, j]
            if at < 0:
                continue
            key, mine = k[at], q[m]
            head_sums(mine, key, product, weight)
            head_sums(up[m], v[at], product, slope)
            for h in range(H):
                weight[h] = np.exp(weight[h] * scale - lse[m, h])
                slope[h] = weight[h] * (slope[h] - mean[h]) * scale
            spread(weight, wide)
            spread(slope, steep)
            for d in range(D):
                dv[at, d] += wide[d] * up[m, d]
            for d in range(D):
                dk[at, d] += steep[d] * mine[d]
            for d in range(D):
                dq[m, d] += steep[d] * key[d]
