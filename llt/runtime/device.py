"""Which device, what memory it has, and in which precision it computes matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from llt.errors import ConfigError, unknown

PRECISIONS = ("fp32", "tf32", "bf16", "fp16")
HALF = {"bf16": torch.bfloat16, "fp16": torch.float16}


def find_device(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device: torch.device | None = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise ConfigError(f"unknown device {name!r}; choose from auto, cpu, cuda")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"device {name}: no CUDA device is available here; use cpu")
    return device


def free_memory(device: torch.device) -> int:
    """Bytes that can still be had on a device; on the CPU those of the host."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        available = next(line for line in lines if line.startswith("MemAvailable"))
        return int(available.split()[1]) * 1024
    except (OSError, StopIteration):  # not Linux: assume what any machine has
        return 2**33


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
