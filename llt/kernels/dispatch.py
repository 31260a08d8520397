"""Which kernels are used: plain ones, lean ones on the CPU, or fused ones where they can be.

By itself (auto) it is the fused kernels on GPUs that they were measured on. LLT_KERNELS=reference
or fused decides otherwise; `use` does so for a while. When asked for, the fused kernels are taken
wherever they fit: on CUDA, or slowly in Triton's interpreter on the CPU (TRITON_INTERPRET=1).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor

from llt.errors import ConfigError, KernelError, unknown
from llt.kernels import lean, reference

CHOICES = ("auto", "reference", "fused")
HOPPER = (9, 0)  # compute capability of the H100 and H200; others may lack the shared memory
HAVE_TRITON = find_spec("triton") is not None
_chosen: list[str] = []  # by `use`, the innermost last


def choice() -> str:
    name = _chosen[-1] if _chosen else os.environ.get("LLT_KERNELS", "auto")
    if name not in CHOICES:
        raise ConfigError(unknown("LLT_KERNELS", name, CHOICES))
    if name == "fused" and not HAVE_TRITON:
        raise KernelError("the fused kernels need Triton: pip install triton, or use the reference")
    return name


@contextmanager
def use(name: str) -> Iterator[None]:
    """Choose the kernels within a `with` block."""
    if name not in CHOICES:
        raise ConfigError(unknown("kernels", name, CHOICES))
    _chosen.append(name)
    try:
        yield
    finally:
        _chosen.pop()


def use_fused(x: Tensor, dim: int, heads: int, taps: int = 0) -> bool:
    """Whether a model of this width goes through the fused kernels on the device of x.

    `taps` is how many neighbors a convolution reads.
    """
    if not _wanted(x.device) or not _fits(dim, heads, taps):
        return False
    # weights in 16 bits fit into shared memory; the interpreter has no such bounds
    return not x.is_cuda or product_type(x) != torch.float32


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b; points (B, N, D) have a faster way on the CPU."""
    return (lean.linear if x.dim() == 3 and _lean(x) else F.linear)(x, weight, bias)


def attention(n: Tensor, weight: Tensor, heads: int, mask: Tensor | None = None) -> Tensor:
    """See `reference.attention`."""
    if not _lean(n):
        return reference.attention(n, weight, heads, mask)
    q, k, v = (lean.linear(n, part) for part in weight.chunk(3))
    return cast(Tensor, lean.LinearAttention.apply(q, k, v, mask, heads, reference.EPS))


def blend(g: Tensor, far: Tensor, near: Tensor, alpha: float) -> Tensor:
    """See `reference.blend`."""
    if not _lean(g):
        return reference.blend(g, far, near, alpha)
    return cast(Tensor, lean.Blend.apply(g, far, near, alpha))


def gated(n: Tensor, weight: Tensor) -> Tensor:
    """See `reference.gated`."""
    if not _lean(n):
        return reference.gated(n, weight)
    gate, up = (lean.linear(n, part) for part in weight.chunk(2))
    return F.silu(gate) * up


def adam_update(flat: Tensor, *tensors: Tensor | None, **settings: Any) -> None:
    """See `reference.adam_update`."""
    if _wanted(flat.device):
        from llt.kernels.fused.adam import adam_update as update
    else:
        update = reference.adam_update
    update(flat, *tensors, **settings)  # type: ignore[arg-type]


def product_type(h: Tensor) -> torch.dtype:
    """What matrix products are computed in: autocast's type, or float32."""
    device = h.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return torch.float32


def _wanted(device: torch.device) -> bool:
    """Whether the fused kernels are chosen for a device."""
    name = choice()
    if device.type != "cuda":
        return name == "fused" and _interpreted()
    return name == "fused" or (name == "auto" and HAVE_TRITON and _is_hopper(device.index or 0))


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _is_hopper(index: int) -> bool:
    return torch.cuda.get_device_capability(index) == HOPPER


def _lean(x: Tensor) -> bool:
    """Few passes over memory count on the CPU, unless a compiler sees to them."""
    if torch.compiler.is_compiling() or torch.is_autocast_enabled("cpu"):
        return False
    return x.device.type == "cpu"


def _interpreted() -> bool:
    return os.environ.get("TRITON_INTERPRET") == "1"


def _fits(dim: int, heads: int, taps: int) -> bool:
    """Tiles have sides that are powers of two; a point's channels must fit into registers, and so
    must the sums of all taps of a convolution."""
    return all(size & (size - 1) == 0 for size in (dim, heads)) and (
        16 <= dim <= 128 and dim // heads <= 32 and taps <= 27
    )
