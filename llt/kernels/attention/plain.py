"""The definition of the attention's two halves, and of the two fused passes.

Shapes: B batch, N points, D width, H heads, C = D / H channels per head.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from llt.kernels.norm.plain import rms_norm

EPS = 1e-6  # of the denominator


class State(NamedTuple):
    """What all points together tell each: sums over them, so that the states of parts add up."""

    kv: Tensor  # (B, H, C, C)  Σ φ(k) vᵀ
    z: Tensor  # (B, H, C)  Σ φ(k)


def phi(y: Tensor) -> Tensor:
    """elu(y) + 1, also where it is small."""
    return torch.where(y > 0, y + 1, y.clamp(max=0).exp())


def attention_state(k: Tensor, v: Tensor, heads: int, mask: Tensor | None = None) -> State:
    """The state of keys and values (B, N, D); `mask` (B, N) is false at padding.

    The sums are float32 also under autocast: those over many points leave the range of fp16.
    """
    with torch.autocast(k.device.type, enabled=False):
        k, v = (_by_head(y if y.itemsize >= 4 else y.float(), heads) for y in (k, v))
        feature = phi(k)  # (B, N, H, C)
        if mask is not None:
            # a padded point must not enter the sums; its own output is of no interest
            feature = feature * mask[:, :, None, None]
        return State(feature.permute(0, 2, 3, 1) @ v.transpose(1, 2), feature.sum(dim=1))


def attend(q: Tensor, state: State, *, eps: float = EPS) -> Tensor:
    """What queries (B, N, D) find among all the points that the state was formed over."""
    kv, z = state
    feature = phi(_by_head(q, z.shape[1])).transpose(1, 2)  # (B, H, N, C)
    size = z.mean(dim=-1).clamp(min=eps)[..., None, None]  # numbers near one, for 16-bit products
    below = feature @ (z.unsqueeze(-1) / size) + eps / size  # (B, H, N, 1)
    return (feature @ (kv / size) / below).transpose(1, 2).flatten(2)


def blend(g: Tensor, global_: Tensor, local: Tensor, alpha: float) -> Tensor:
    """sigmoid(g) ⊙ (α global + (1 - α) local)."""
    return g.sigmoid() * (alpha * global_ + (1 - alpha) * local)


def project(
    h: Tensor,
    gain: Tensor,
    film: Tensor | None,
    mask: Tensor | None,
    qkv: Tensor,
    gate: Tensor,
    gate_bias: Tensor,
    heads: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """First fused pass: n, (φ(q), φ(k), v, sigmoid(g)) side by side, and the compact state over N.

    n = rms_norm(h) (1 + scale) + shift with scale and shift side by side in `film` (B, 2 D).
    Points that do not count have φ(k) = 0.
    """
    n = rms_norm(h, gain, eps)
    if film is not None:
        scale, shift = film.unsqueeze(1).chunk(2, dim=-1)
        n = n * (1 + scale) + shift
    q, k, v = F.linear(n, qkv).chunk(3, dim=-1)
    feature = phi(k) if mask is None else phi(k) * mask.unsqueeze(-1)
    proj = torch.cat((phi(q), feature, v, F.linear(h, gate, gate_bias).sigmoid()), dim=-1)
    return n, proj, compact(attention_state(k, v, heads, mask)) / h.shape[1]


def compact(state: State) -> Tensor:
    """As the fused kernels store it, (B, C + 1, D): heads side by side, z in the last row."""
    kv, z = state
    return torch.cat((kv.transpose(1, 2).flatten(2), z.flatten(1).unsqueeze(1)), dim=1)


def mix(
    h: Tensor,
    proj: Tensor,
    state: Tensor,
    local: Tensor,
    weight: Tensor,
    bias: Tensor,
    alpha: float,
    eps: float,
) -> Tensor:
    """Second fused pass: h + W (gate ⊙ (α global + (1 - α) local)) + b, of what `project` gave."""
    return h + F.linear(mixed(proj, state, local, alpha, eps), weight, bias)


def mixed(proj: Tensor, state: Tensor, local: Tensor, alpha: float, eps: float) -> Tensor:
    """gate ⊙ (α global + (1 - α) local), global = φ(q) S / (φ(q) z + ε / N)."""
    N, D = local.shape[1:]
    C = state.shape[1] - 1
    feature = _by_head(proj[..., :D], D // C)
    kv, z = (_by_head(part, D // C) for part in (state[:, :C], state[:, C]))
    below = torch.einsum("bnhc,bhc->bnh", feature, z) + eps / N
    global_ = torch.einsum("bnhc,bchj->bnhj", feature, kv) / below.unsqueeze(-1)
    return proj[..., 3 * D :] * (alpha * global_.flatten(2) + (1 - alpha) * local)


def _by_head(y: Tensor, heads: int) -> Tensor:
    return y.unflatten(-1, (heads, -1))
