"""Which kernels are wanted: LLT_KERNELS says so for a process, `use` for a while.

auto       the fused kernels where they fit and are known to be right, else the CPU's own or plain
reference  the plain ones, everywhere
fused      the fused ones wherever they fit: also on GPUs where nobody has checked them, and,
           slowly, in Triton's interpreter on the CPU (TRITON_INTERPRET=1)
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import torch
from torch import Tensor

from llt.errors import ConfigError, KernelError, unknown

CHOICES = ("auto", "reference", "fused")
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


def on_cpu(x: Tensor) -> bool:
    """Whether the CPU's own version of an operation runs: it saves passes over memory.

    A compiler sees to that itself.
    """
    if x.device.type != "cpu" or torch.compiler.is_compiling():
        return False
    return choice() != "reference" and not torch.is_autocast_enabled("cpu")


def device_refusal(device: torch.device) -> str | None:
    """Why no fused kernel runs on a device; None where one does."""
    name = choice()
    if name == "reference":
        return "LLT_KERNELS=reference asks for them"
    if device.type == "cpu":
        return None if name == "fused" and interpreted() else "the CPU has no fused ones"
    if device.type != "cuda":
        return f"there are no fused ones for {device.type}"
    return None if HAVE_TRITON else "Triton is not installed"


def interpreted() -> bool:
    return os.environ.get("TRITON_INTERPRET") == "1"


def product_dtype(x: Tensor) -> torch.dtype:
    """What matrix products are computed in: autocast's type, or float32."""
    device = x.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return torch.float32
