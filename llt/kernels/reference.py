"""Plain PyTorch versions of the kernels: obvious, and the definition of correct.

Shapes: B batch, N points, H heads, C channels per head, K neighbors per point.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

EPS = 1e-6  # of the linear attention's denominator


def phi(z: Tensor) -> Tensor:
    """elu(z) + 1, also where it is small."""
    # not in place: torch 2.11 then compiles Phi with a gradient of zero (pytorch issue 180642)
    return z.clamp(max=0).exp() + z.clamp(min=0)


class Phi(torch.autograd.Function):
    """φ(z). Its slope is min(φ, 1), which saves the backward pass the exponential."""

    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        out = phi(z)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, up: Tensor) -> Tensor:
        (out,) = ctx.saved_tensors
        return up * out.clamp(max=1)


class Unit(torch.autograd.Function):
    """x / (rms(x) + ε), with half as many passes over x as automatic differentiation takes."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, eps: float) -> Tensor:
        rms = torch.linalg.vector_norm(x, dim=-1, keepdim=True) / x.shape[-1] ** 0.5
        unit = x / (rms + eps)
        ctx.save_for_backward(unit, rms)
        ctx.eps = eps
        return unit

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, up: Tensor) -> tuple[Tensor, None]:
        unit, rms = ctx.saved_tensors
        # of a point that is zero, rms has no slope: only the first term is left
        along = torch.linalg.vecdot(up, unit).unsqueeze(-1) / (
            unit.shape[-1] * rms.clamp(min=1e-30)
        )
        return torch.addcmul(up / (rms + ctx.eps), unit, along, value=-1), None


def rms_norm(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    """x / (rms(x) + ε) with a gain, the root mean square taken over the channels."""
    return Unit.apply(x, eps) * gain


def linear_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, *, eps: float = EPS
) -> Tensor:
    """Attention with the kernel φ(q)·φ(k), φ(z) = elu(z) + 1; all (B, N, H, C), mask (B, N).

    The sums over points are formed once and reused for every query, so the cost is linear in N.
    """
    return linear_attention_apply(q, *linear_attention_sums(k, v, mask), eps=eps)


def linear_attention_sums(
    k: Tensor, v: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """The sums over points Σ φ(k) vᵀ (B, H, C, C) and Σ φ(k) (B, H, C); those of parts add up.

    They are float32 also under autocast: sums over many points leave the range of fp16.
    """
    with torch.autocast(k.device.type, enabled=False):
        k, v = (z if z.itemsize >= 4 else z.float() for z in (k, v))
        k = Phi.apply(k)
        if mask is not None:
            # a padded point must not enter the sums; its own output is of no interest
            k = k * mask[:, :, None, None]
        return k.permute(0, 2, 3, 1) @ v.transpose(1, 2), k.sum(dim=1)


def linear_attention_apply(q: Tensor, kv: Tensor, z: Tensor, *, eps: float = EPS) -> Tensor:
    """The attention of queries (B, N, H, C) to all the points that the sums were formed over."""
    q = Phi.apply(q).transpose(1, 2)  # (B, H, N, C)
    size = z.mean(dim=-1).clamp(min=eps)[..., None, None]  # numbers near one, for 16-bit products
    normalizer = q @ (z.unsqueeze(-1) / size) + eps / size  # (B, H, N, 1)
    return (q @ (kv / size) / normalizer).transpose(1, 2)  # (B, N, H, C)


def attention(n: Tensor, weight: Tensor, heads: int, mask: Tensor | None = None) -> Tensor:
    """Linear attention (B, N, D) of n (B, N, D) to itself; weight (3 D, D) makes q, k, v."""
    q, k, v = F.linear(n, weight).unflatten(-1, (3, heads, -1)).unbind(2)  # (B, N, H, C)
    return linear_attention(q, k, v, mask).flatten(2)


def blend(g: Tensor, far: Tensor, near: Tensor, alpha: float) -> Tensor:
    """sigmoid(g) ⊙ (α far + (1 - α) near)."""
    return g.sigmoid() * (alpha * far + (1 - alpha) * near)


def gated(n: Tensor, weight: Tensor) -> Tensor:
    """silu(W_g n) ⊙ W_u n, the two matrices one above the other."""
    gate, up = F.linear(n, weight).chunk(2, dim=-1)
    return F.silu(gate) * up


def neighbor_attention(q: Tensor, k: Tensor, v: Tensor, neighbors: Tensor) -> Tensor:
    """Softmax attention of every point to its neighbors; q, k, v (B, N, H, C).

    `neighbors` (B, N, K) holds point indices, -1 where a point has fewer than K. A point with
    none at all, as padding has, gets zeros.
    """
    B, N, _, C = q.shape
    valid = neighbors >= 0  # (B, N, K)
    rows = neighbors.clamp(min=0) + N * torch.arange(B, device=q.device)[:, None, None]
    near_k, near_v = (z.flatten(0, 1)[rows] for z in (k, v))  # (B, N, K, H, C)
    scores = (q.unsqueeze(2) * near_k).sum(-1) / C**0.5  # (B, N, K, H)
    scores = scores.masked_fill(~valid[..., None], torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=2) * valid[..., None]
    return (weights[..., None] * near_v).sum(dim=2)


def depthwise_conv(n: Tensor, weight: Tensor, bias: Tensor, grid: tuple[int, ...]) -> Tensor:
    """Each channel of (B, N, D) convolved over the grid, zeros around it; weight (D, 1, k, k)."""
    conv = F.conv2d if len(grid) == 2 else F.conv3d
    image = n.transpose(1, 2).unflatten(-1, grid)  # (B, D, *grid), a view
    half = weight.shape[-1] // 2
    out = conv(image, weight, bias, padding=half, groups=len(weight))
    return out.flatten(2).transpose(1, 2)


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
    """First half of the attention: n, (φ(q), φ(k), v, gate), and the state of all points.

    n = rms_norm(h) (1 + scale) + shift with scale and shift side by side in `film` (B, 2 D).
    The state (B, C + 1, D) holds Σ φ(k) vᵀ, heads side by side, and below it Σ φ(k), over N.
    Points that do not count have φ(k) = 0.
    """
    n = rms_norm(h, gain, eps)
    if film is not None:
        scale, shift = film.unsqueeze(1).chunk(2, dim=-1)
        n = n * (1 + scale) + shift
    q, k, v = F.linear(n, qkv).chunk(3, dim=-1)
    q, k = Phi.apply(q), Phi.apply(k)
    if mask is not None:
        k = k * mask.unsqueeze(-1)
    proj = torch.cat((q, k, v, F.linear(h, gate, gate_bias).sigmoid()), dim=-1)
    return n, proj, attention_state(k, v, heads)


def attention_state(k: Tensor, v: Tensor, heads: int) -> Tensor:
    """Of features φ(k) and values v, (B, N, D)."""
    features, values = (z.unflatten(-1, (heads, -1)) for z in (k, v))
    kv = torch.einsum("bnhc,bnhj->bchj", features, values).flatten(2)
    return torch.cat((kv, k.sum(1, keepdim=True)), dim=1) / k.shape[1]


def mix(
    h: Tensor,
    proj: Tensor,
    state: Tensor,
    near: Tensor,
    weight: Tensor,
    bias: Tensor,
    alpha: float,
    eps: float,
) -> Tensor:
    """Second half: h + W (gate ⊙ (α far + (1 - α) near)) + b, of what `project` gave."""
    return h + F.linear(mixed(proj, state, near, alpha, eps), weight, bias)


def mixed(proj: Tensor, state: Tensor, near: Tensor, alpha: float, eps: float) -> Tensor:
    """gate ⊙ (α far + (1 - α) near), far = φ(q) S / (φ(q) z + ε / N)."""
    N, D = near.shape[1:]
    C = state.shape[1] - 1
    features = proj[..., :D].unflatten(-1, (-1, C))
    kv, z = state[:, :C].unflatten(-1, (-1, C)), state[:, C].unflatten(-1, (-1, C))
    below = torch.einsum("bnhc,bhc->bnh", features, z) + eps / N
    far = torch.einsum("bnhc,bchj->bnhj", features, kv) / below.unsqueeze(-1)
    return proj[..., 3 * D :] * (alpha * far.flatten(2) + (1 - alpha) * near)


def feed_forward(h: Tensor, gain: Tensor, gate_up: Tensor, down: Tensor, eps: float) -> Tensor:
    """h + W_down (silu(W_gate n) ⊙ W_up n), n = rms_norm(h)."""
    return h + F.linear(gated(rms_norm(h, gain, eps), gate_up), down)


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
    """Adam's update in place; all vectors of one length.

    `row` holds β1, 1 - β1, the step size, the second moment's root correction and the factor of
    decoupled decay. The gradient counts times `factor`. Where `finite` is given and false,
    nothing changes.
    """
    beta1, rest, step_size, root, decay = row.unbind()
    state = (flat, first, second)
    before = [] if finite is None else [tensor.clone() for tensor in state]
    gradient = gradient * factor
    if decoupled:
        flat *= decay
    else:
        gradient += weight_decay * flat
    first.mul_(beta1).add_(gradient * rest)
    second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
    flat -= first / second.sqrt().div_(root).add_(eps) * step_size
    if finite is not None:
        for tensor, old in zip(state, before, strict=True):
            tensor.copy_(torch.where(finite, tensor, old))
