"""The blocks of LLT as one differentiable function of the residual stream and all parameters.

The stream has the type of the products if that is fp16, whose eleven bits are enough for it, and
is float32 for bf16, whose eight are not. Of the forward pass only what costs most to compute
again is kept: n, proj, the local path's products, and the stream between the two halves.
Sums over the points that only later kernels need are formed in a second stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from llt.kernels.attention.triton_mix import mix, mix_gradient
from llt.kernels.attention.triton_project import project, state_gradient
from llt.kernels.derivatives import first_derivative_only
from llt.kernels.feedforward.triton import feed_forward, feed_forward_gradient
from llt.kernels.norm.triton import added_norms, norm_gradient, norm_partials
from llt.kernels.side_stream import SideStream
from llt.kernels.triton_tiles import reduce_partials
from llt.kernels.weight_gradients.triton import (
    Product,
    split_weights,
    weight_gradients,
    weight_partials,
)
from llt.models.llt.fused.local import Local


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
    local: Tensor  # what the local path gave
    path: tuple[Tensor, ...]  # what its gradient needs
    middle: Tensor  # the stream between attention and feed-forward


class Sums(NamedTuple):
    """Sums over all points, of all blocks: what the gradients of the parameters are made of."""

    norm: Tensor  # partial, as the programs left them
    second_norm: Tensor
    weights: Tensor
    local: Tensor | None

    def of(self, block: int) -> Sums:
        return Sums(*(None if z is None else z[block] for z in self))  # type: ignore[arg-type]


def block_forward(
    h: Tensor,
    film: Tensor | None,
    mask: Tensor | None,
    path: Local,
    settings: Settings,
    w: Weights,
    side: SideStream,
) -> tuple[Tensor, Kept]:
    """`film` (B, 2 D) holds scale and shift, `mask` (B, N) says which points count."""
    heads, alpha, eps, norm_eps = settings
    n, proj, parts = project(h, w.gain, film, mask, w.qkv, w.gate, w.gate_bias, heads, norm_eps)
    state = parts.new_empty(len(parts), *parts.shape[2:])
    side.run(lambda: reduce_partials(parts, state), parts)
    local, kept = path.forward(n, *w.local)
    side.join()
    middle = mix(h, proj, state, local, w.out, w.out_bias, alpha, eps)
    out = feed_forward(middle, w.second_gain, w.gate_up, w.down, norm_eps)
    return out, Kept(h, n, proj, state, local, kept, middle)


def block_backward(
    dout: Tensor,
    film: Tensor | None,
    path: Local,
    settings: Settings,
    w: Weights,
    kept: Kept,
    sums: Sums,
    parts: Tensor,  # see weight_partials
    side: SideStream,
) -> Tensor:
    """Gradient of h; those of the parameters go into `sums`."""
    _, alpha, eps, norm_eps = settings
    h, n, proj, state, local, kept_path, middle = kept
    D = h.shape[-1]
    side.join()  # the block above: its memory serves this one
    dh, hidden, dgate_up = feed_forward_gradient(
        middle, w.second_gain, w.gate_up, w.down, norm_eps, dout, sums.second_norm
    )
    dmixed = dh.to(n.dtype) @ w.out
    dproj, state_parts, dlocal, mixed = mix_gradient(dmixed, proj, state, local, alpha, eps)
    del dmixed, local, kept
    dstate = torch.empty_like(state)

    def state_gradients() -> None:
        reduce_partials(state_parts, dstate)
        state_gradient(proj, dproj, dstate)

    side.run(state_gradients, state_parts, dstate)
    dn, path_products, local_parts = path.backward(kept_path, dlocal, *w.local)
    side.join()
    dqkv, dgate = dproj[..., : 3 * D], dproj[..., 3 * D :]
    dn.view(-1, D).addmm_(dqkv.flatten(0, 1), w.qkv)
    products = [
        *(Product(left, n) for left in dqkv.chunk(3, -1)),
        Product(dgate, h),
        Product(dh, mixed),
        Product(dout, hidden),
        *path_products,
        *(Product(left, middle) for left in dgate_up.chunk(2, -1)),
    ]

    def parameter_gradients() -> None:
        weight_gradients(products, n.dtype, parts, gain=w.second_gain, scaled=2)
        reduce_partials(parts[None], sums.weights[None])
        if local_parts is not None and sums.local is not None:
            reduce_partials(local_parts[None], sums.local[None])

    held = [tensor for product in products for tensor in product]
    side.run(parameter_gradients, *held, *([] if local_parts is None else [local_parts]))
    return norm_gradient(
        h, w.gain, film, norm_eps, dn, dgate, w.gate, dh, sums.norm, pair=False, divided=False
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
        path: Local,
        settings: Settings,
        weights: Sequence[Weights],
        train: bool,  # else nothing is kept
        again: bool,  # of a block only what enters it is kept, the rest is computed again
        *parameters: Tensor,
    ) -> Tensor:
        ctx.path, ctx.settings, ctx.weights, ctx.films = path, settings, weights, films
        ctx.mask = mask
        ctx.kept = []
        side = SideStream(h.device)
        for index, w in enumerate(weights):
            film = None if films is None else films[index]
            before = h
            h, kept = block_forward(h, film, mask, path, settings, w, side)
            if train:
                ctx.kept.append(before if again else kept)
            del kept
        return h

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, dh: Tensor) -> tuple[Tensor | None, ...]:
        dh = dh.contiguous()
        weights, path, count = ctx.weights, ctx.path, len(ctx.weights)
        parts = weight_partials(dh, 8 + path.products)
        sums = Sums(
            norm_partials(dh, count, timed=ctx.films is not None),
            norm_partials(dh, count, timed=False),
            parts.new_empty(count, parts.shape[1]),
            path.sums(dh, count, *weights[0].local),
        )
        side = SideStream(dh.device)
        for index in reversed(range(count)):
            film = None if ctx.films is None else ctx.films[index]
            w, own = weights[index], sums.of(index)
            # taken off the list, so that its memory serves the blocks below
            kept = ctx.kept.pop()
            if not isinstance(kept, Kept):
                side.join()
                _, kept = block_forward(kept, film, ctx.mask, path, ctx.settings, w, side)
            dh = block_backward(dh, film, path, ctx.settings, w, kept, own, parts, side)
            del kept
        side.join()
        dfilms, grads = _gradients(sums, path, F=weights[0].down.shape[1])
        each = (grad[index] for index in range(count) for grad in grads)
        return dh, dfilms, None, None, None, None, None, None, *each


def _gradients(sums: Sums, path: Local, *, F: int) -> tuple[Tensor | None, list[Tensor]]:
    """Gradients of all films, and of all blocks' parameters in the order of Weights."""
    dgain, dfilms = added_norms(sums.norm)
    dsecond_gain, _ = added_norms(sums.second_norm)
    blocks, D = dgain.shape
    square, rows = split_weights(sums.weights, D)
    grads = [
        dgain,
        square[:, :3].flatten(1, 2),
        square[:, 3],
        rows[:, 3],
        square[:, 4],
        rows[:, 4],
        dsecond_gain,
        square[:, -2:, :F].reshape(blocks, 2 * F, D),
        square[:, 5, :, :F].contiguous(),
        *path.gradients(square[:, 6:-2], rows[:, 6:-2], sums.local),
    ]
    return dfilms, grads
