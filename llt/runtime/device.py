"""Which device, and in which precision matrix products are computed there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from llt.errors import ConfigError, unknown

PRECISIONS = ("fp32", "tf32", "bf16", "fp16")
HALF = {"bf16": torch.bfloat16, "fp16": torch.float16}


def find_device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(f"unknown device {name!r}; choose from auto, cpu, cuda") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"device {name}: no CUDA device is available here; use cpu")
    return device


def resolve_precision(asked: str, own: str, device: torch.device) -> str:
    """What is computed in: on CUDA the precision asked for, or a model's own for "auto"."""
    if asked not in ("auto", *PRECISIONS):
        raise ConfigError(unknown("precision", asked, ("auto", *PRECISIONS)))
    if device.type != "cuda":
        return "fp32"
    return own if asked == "auto" else asked


def autocast(device: torch.device, precision: str, *, cache: bool = True) -> torch.autocast:
    """Products in 16 bits where the precision says so; the CPU computes in fp32.

    With `cache` the 16-bit copies of weights are kept to the end of the outermost block.
    """
    half = HALF.get(precision) if device.type == "cuda" else None
    return torch.autocast(device.type, half, enabled=half is not None, cache_enabled=cache)


@contextmanager
def matmul_precision(precision: str) -> Iterator[None]:
    """Allow TF32 in float32 products on CUDA, or forbid it; the old setting comes back after."""
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("highest" if precision == "fp32" else "high")
    torch.backends.cudnn.allow_tf32 = precision != "fp32"
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.backends.cudnn.allow_tf32 = before[1]
