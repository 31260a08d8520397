"""The blocks of LLT as one differentiable function of the residual stream and all parameters.

The stream has the type of the products if that is fp16, whose eleven bits are enough for it, and
is float32 for bf16, whose eight are not. Of the forward pass only what costs most to compute
again is kept: n, proj, the local path's products, and the stream between the two halves.

Gradients of weights are sums over all points that nothing waits for: on a GPU they run beside
the gradients of the block below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.kernels.fused.depthwise import depthwise_conv, depthwise_gradient
from llt.kernels.fused.feedforward import feed_forward, feed_forward_gradient
from llt.kernels.fused.mix import mix, mix_gradient
from llt.kernels.fused.neighbors import neighbor_attention, neighbor_gradient
from llt.kernels.fused.norm import norm_gradient
from llt.kernels.fused.project import project, state_gradient
from llt.kernels.fused.weights import Product, weight_gradients


class Settings(NamedTuple):
    heads: int
    alpha: float
    eps: float  # of the attention
    norm_eps: float


class Place(NamedTuple):
    """Where the local path finds its neighbors: on a grid, or in lists with their reverse."""

    grid: tuple[int, ...] | None = None
    lists: tuple[Tensor, Tensor, Tensor] | None = None


class Weights(NamedTuple):
    """Of one block: matrices in the type of the products, the rest in float32."""

    gain: Tensor
    qkv: Tensor
    gate: Tensor
    gate_bias: Tensor
    out: Tensor
    out_bias: Tensor
    second_gain: Tensor
    gate_up: Tensor
    down: Tensor
    local: Tensor  # the pointwise half of the convolution, or q, k, v of the neighbor attention
    local_bias: Tensor | None = None
    taps: Tensor | None = None  # the depthwise half, (k², D) or (k³, D)
    taps_bias: Tensor | None = None


class Kept(NamedTuple):
    """What a block's gradient needs of its forward pass."""

    h: Tensor
    n: Tensor
    proj: Tensor
    state: Tensor
    local: Tensor  # what the local matrix multiplied, or gave
    near: Tensor
    lse: Tensor | None
    middle: Tensor  # the stream between attention and feed-forward


def block_forward(
    h: Tensor,
    film: Tensor | None,
    mask: Tensor | None,
    place: Place,
    settings: Settings,
    w: Weights,
) -> tuple[Tensor, Kept]:
    """`film` (B, 2 D) holds scale and shift, `mask` (B, N) says which points count."""
    heads, alpha, eps, norm_eps = settings
    n, proj, state = project(h, w.gain, film, mask, w.qkv, w.gate, w.gate_bias, heads, norm_eps)
    if place.lists is None:
        local = depthwise_conv(n, w.taps, w.taps_bias, place.grid)
        bias = w.local_bias.to(n.dtype)
        near, lse = torch.addmm(bias, local.flatten(0, 1), w.local.T).view_as(n), None
    else:
        local = n @ w.local.T
        near, lse = neighbor_attention(local, place.lists[0], heads)
    middle = mix(h, proj, state, near, w.out, w.out_bias, alpha, eps)
    out = feed_forward(middle, w.second_gain, w.gate_up, w.down, norm_eps)
    return out, Kept(h, n, proj, state, local, near, lse, middle)


class Gradients(NamedTuple):
    """Of h and film; of the vectors; and the products that the weights' gradients are."""

    h: Tensor
    film: Tensor | None
    gain: Tensor
    second_gain: Tensor
    taps: Tensor | None  # below their bias
    products: list[Product]


def block_backward(
    dout: Tensor, film: Tensor | None, place: Place, settings: Settings, w: Weights, kept: Kept
) -> Gradients:
    _, alpha, eps, norm_eps = settings
    h, n, proj, state, local, near, lse, middle = kept
    D = h.shape[-1]
    dh, dsecond_gain, hidden, dgate_up = feed_forward_gradient(
        middle, w.second_gain, w.gate_up, w.down, norm_eps, dout
    )
    dmixed = dh.to(n.dtype) @ w.out
    dproj, dstate, dnear, mixed = mix_gradient(dmixed, proj, state, near, alpha, eps)
    if place.lists is None:
        dn, dtaps = depthwise_gradient(n, w.taps, dnear @ w.local, place.grid)
        products = [Product(dnear, local)]
    else:
        dlocal, dtaps = neighbor_gradient(local, *place.lists, near, lse, dnear), None
        dn = dlocal @ w.local
        products = [Product(left, n) for left in dlocal.chunk(3, -1)]
    state_gradient(proj, dproj, dstate)
    dqkv, dgate = dproj[..., : 3 * D], dproj[..., 3 * D :]
    dn.view(-1, D).addmm_(dqkv.flatten(0, 1), w.qkv)
    below, dgain, dfilm = norm_gradient(
        h, w.gain, film, norm_eps, dn, dgate, w.gate, dh, pair=False
    )
    products = [
        *(Product(left, n) for left in dqkv.chunk(3, -1)),
        Product(dgate, h),
        Product(dh, mixed),
        Product(dout, hidden),
        *products,
        *(Product(left, middle) for left in dgate_up.chunk(2, -1)),
    ]
    return Gradients(below, dfilm, dgain, dsecond_gain, dtaps, products)


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
        place: Place,
        settings: Settings,
        weights: Sequence[Weights],
        *parameters: Tensor,
    ) -> Tensor:
        ctx.place, ctx.settings, ctx.weights, ctx.films = place, settings, weights, films
        ctx.kept = []
        for index, w in enumerate(weights):
            film = None if films is None else films[index]
            h, kept = block_forward(h, film, mask, place, settings, w)
            ctx.kept.append(kept)
        return h

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, dh: Tensor) -> tuple[Tensor | None, ...]:
        dh = dh.contiguous()
        grads: list[tuple[Tensor, ...]] = []
        dfilms: list[Tensor | None] = []
        with beside(dh.device) as side:
            for index in reversed(range(len(ctx.weights))):
                w = ctx.weights[index]
                film = None if ctx.films is None else ctx.films[index]
                # taken off the list, so that its memory serves the blocks below
                found = block_backward(dh, film, ctx.place, ctx.settings, w, ctx.kept.pop())
                dh = found.h
                with side.work(found):
                    sums = weight_gradients(found.products, w.second_gain, 2, w.qkv.dtype)
                    grads.append(_in_order(found, w, *sums))
                dfilms.append(found.film)
        flat = [grad for block in reversed(grads) for grad in block]
        dfilm = None if ctx.films is None else torch.stack(dfilms[::-1])
        return dh, dfilm, None, None, None, None, *flat


def _in_order(found: Gradients, w: Weights, square: Tensor, rows: Tensor) -> tuple[Tensor, ...]:
    """Gradients as `Weights` names them."""
    D, F = w.gate.shape[0], w.down.shape[1]
    attention = (square[:3].view(3 * D, D), square[3], rows[3], square[4], rows[4])
    feed_forward = (square[-2:, :F].reshape(2 * F, D), square[5, :, :F])
    local: tuple[Tensor, ...] = (square[6:-2].view(-1, D),)
    if found.taps is not None:
        local = (square[6], rows[6], found.taps[1:], found.taps[0])
    return found.gain, *attention, found.second_gain, *feed_forward, *local


class _Side:
    """A second stream of the GPU; what it reads is held until it has been read."""

    def __init__(self, device: torch.device) -> None:
        self.main = torch.cuda.current_stream(device)
        self.stream = torch.cuda.Stream(device)
        self.held: tuple[torch.cuda.Event, Any] | None = None

    @contextmanager
    def work(self, held: Any) -> Iterator[None]:
        before, self.held = self.held, None
        self.stream.wait_stream(self.main)
        with torch.cuda.stream(self.stream):
            yield
            done = self.stream.record_event()
        if before is not None:  # the block above: its operands may be overwritten from here on
            self.main.wait_event(before[0])
        self.held = (done, held)


class _Inline:
    @contextmanager
    def work(self, held: Any) -> Iterator[None]:
        yield


@contextmanager
def beside(device: torch.device) -> Iterator[_Side | _Inline]:
    """Work that runs beside the rest, and is done at the end of the block."""
    if device.type != "cuda":
        yield _Inline()
        return
    side = _Side(device)
    yield side
    side.main.wait_stream(side.stream)
