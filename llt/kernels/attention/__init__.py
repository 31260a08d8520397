"""Attention of a block: a reduction over all points, then a map of each.

    S = Σ φ(k) vᵀ,  z = Σ φ(k)                          the state, φ(y) = elu(y) + 1
    global = φ(q) S / (φ(q) z + ε)
    sigmoid(g) ⊙ (α global + (1 - α) local)

The states of parts of the points add up to the state of all. `triton_project` and `triton_mix` are
the two passes of the fused kernels, which take the norm and the projections along.
"""

from __future__ import annotations

from torch import Tensor

from llt.kernels.attention import cpu, plain
from llt.kernels.attention.plain import EPS, State
from llt.kernels.choice import on_cpu

__all__ = ["EPS", "State", "attend", "attention_state", "blend"]


def attention_state(k: Tensor, v: Tensor, heads: int, mask: Tensor | None = None) -> State:
    """See `plain.attention_state`."""
    return (cpu if on_cpu(k) else plain).attention_state(k, v, heads, mask)


def attend(q: Tensor, state: State) -> Tensor:
    """See `plain.attend`."""
    return (cpu if on_cpu(q) else plain).attend(q, state)


def blend(g: Tensor, global_: Tensor, local: Tensor, alpha: float) -> Tensor:
    """See `plain.blend`."""
    return (cpu if on_cpu(g) else plain).blend(g, global_, local, alpha)
