"""The blocks of LLT as one differentiable function of the residual stream and all parameters.

The stream has the type of the products if that is fp16, whose eleven bits are enough for it, and
is float32 for bf16, whose eight are not. Of the forward pass only what costs most to compute
again is kept: n, proj, the local path's products, and the stream between the two halves.
Programs leave partial sums of the parameters' gradients; those of all blocks are added up last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.feedforward import feed_forward, feed_forward_gradient
from llt.kernels.fused.local import Local
from llt.kernels.fused.mix import mix, mix_gradient
from llt.kernels.fused.norm import added_norms, norm_gradient, norm_partials
from llt.kernels.fused.project import project, state_gradient
from llt.kernels.fused.weight_gradients import (
    Product,
    added_weights,
    weight_gradients,
    weight_partials,
)


class Settings(NamedTuple):
    heads: int
    alpha: float
    eps: float  # of the attention
    norm_eps: float


class Weights(NamedTuple):
    """Of one block: matrices and all of `local` in the type of the products, the rest float32."""

    gain: Tensor
    qkv: Tensor
    gate: Tensor
    gate_bias: Tensor
    out: Tensor
    out_bias: Tensor
    second_gain: Tensor
    gate_up: Tensor
    down: Tensor
    local: tuple[Tensor, ...]  # see local.py

    def tensors(self) -> list[Tensor]:
        return [*self[:-1], *self.local]

    @staticmethod
    def of(tensors: Iterable[Tensor]) -> Weights:
        gain, qkv, gate, gate_bias, out, out_bias, second, gate_up, down, *local = tensors
        return Weights(
            gain, qkv, gate, gate_bias, out, out_bias, second, gate_up, down, tuple(local)
        )


class Kept(NamedTuple):
    """What a block's gradient needs of its forward pass."""

    h: Tensor
    n: Tensor
    proj: Tensor
    state: Tensor
    near: Tensor
    local: tuple[Tensor, ...]
    middle: Tensor  # the stream between attention and feed-forward


class Partials(NamedTuple):
    """Partial sums of gradients, of all blocks."""

    gain: Tensor
    second_gain: Tensor
    weights: Tensor
    taps: Tensor | None

    def of(self, block: int) -> Partials:
        return Partials(*(None if z is None else z[block] for z in self))  # type: ignore[arg-type]


def block_forward(
    h: Tensor,
    film: Tensor | None,
    mask: Tensor | None,
    local: Local,
    settings: Settings,
    w: Weights,
) -> tuple[Tensor, Kept]:
    """`film` (B, 2 D) holds scale and shift, `mask` (B, N) says which points count."""
    heads, alpha, eps, norm_eps = settings
    n, proj, state = project(h, w.gain, film, mask, w.qkv, w.gate, w.gate_bias, heads, norm_eps)
    near, kept = local.forward(n, *w.local)
    middle = mix(h, proj, state, near, w.out, w.out_bias, alpha, eps)
    out = feed_forward(middle, w.second_gain, w.gate_up, w.down, norm_eps)
    return out, Kept(h, n, proj, state, near, kept, middle)


def block_backward(
    dout: Tensor,
    film: Tensor | None,
    local: Local,
    settings: Settings,
    w: Weights,
    kept: Kept,
    partials: Partials,
) -> Tensor:
    """Gradient of h; those of the parameters go into `partials`."""
    _, alpha, eps, norm_eps = settings
    h, n, proj, state, near, kept_local, middle = kept
    D = h.shape[-1]
    dh, hidden, dgate_up = feed_forward_gradient(
        middle, w.second_gain, w.gate_up, w.down, norm_eps, dout, partials.second_gain
    )
    dmixed = dh.to(n.dtype) @ w.out
    dproj, dstate, dnear, mixed = mix_gradient(dmixed, proj, state, near, alpha, eps)
    dn, near_products = local.backward(kept_local, dnear, partials.taps, *w.local)
    state_gradient(proj, dproj, dstate)
    dqkv, dgate = dproj[..., : 3 * D], dproj[..., 3 * D :]
    dn.view(-1, D).addmm_(dqkv.flatten(0, 1), w.qkv)
    products = [
        *(Product(left, n) for left in dqkv.chunk(3, -1)),
        Product(dgate, h),
        Product(dh, mixed),
        Product(dout, hidden),
        *near_products,
        *(Product(left, middle) for left in dgate_up.chunk(2, -1)),
    ]
    weight_gradients(products, w.second_gain, 2, n.dtype, partials.weights)
    return norm_gradient(
        h, w.gain, film, norm_eps, dn, dgate, w.gate, dh, partials.gain, pair=False
    )


class Blocks(torch.autograd.Function):
    """The stream (B, N, D) after all blocks, in h's type.

    `parameters` are those of all blocks in float32, each block's in the order of its Weights;
    they are here for their gradients, the kernels read `weights`.
    """

    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        films: Tensor | None,  # (blocks, B, 2 D)
        mask: Tensor | None,
        local: Local,
        settings: Settings,
        weights: Sequence[Weights],
        train: bool,  # else nothing is kept
        *parameters: Tensor,
    ) -> Tensor:
        ctx.local, ctx.settings, ctx.weights, ctx.films = local, settings, weights, films
        ctx.kept = []
        for index, w in enumerate(weights):
            film = None if films is None else films[index]
            h, kept = block_forward(h, film, mask, local, settings, w)
            if train:
                ctx.kept.append(kept)
            del kept
        return h

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dh: Tensor) -> tuple[Tensor | None, ...]:
        dh = dh.contiguous()
        weights, local, count = ctx.weights, ctx.local, len(ctx.weights)
        partials = Partials(
            norm_partials(dh, count, timed=ctx.films is not None),
            norm_partials(dh, count, timed=False),
            weight_partials(dh, count, 8 + local.products),
            local.partials(dh, count, *weights[0].local),
        )
        for index in reversed(range(count)):
            film = None if ctx.films is None else ctx.films[index]
            # taken off the list, so that its memory serves the blocks below
            kept = ctx.kept.pop()
            w, own = weights[index], partials.of(index)
            dh = block_backward(dh, film, local, ctx.settings, w, kept, own)
        dfilms, grads = _added(partials, local, F=weights[0].down.shape[1])
        each = (grad[index] for index in range(count) for grad in grads)
        return dh, dfilms, None, None, None, None, None, *each


def _added(partials: Partials, local: Local, *, F: int) -> tuple[Tensor | None, list[Tensor]]:
    """Gradients of all films, and of all blocks' parameters in the order of Weights."""
    dgain, dfilms = added_norms(partials.gain)
    dsecond_gain, _ = added_norms(partials.second_gain)
    blocks, D = dgain.shape
    square, rows = added_weights(partials.weights, D)
    grads = [
        dgain,
        square[:, :3].reshape(blocks, 3 * D, D),
        square[:, 3],
        rows[:, 3],
        square[:, 4],
        rows[:, 4],
        dsecond_gain,
        square[:, -2:, :F].reshape(blocks, 2 * F, D),
        square[:, 5, :, :F].contiguous(),
        *local.added(square[:, 6:-2], rows[:, 6:-2], partials.taps),
    ]
    return dfilms, grads
