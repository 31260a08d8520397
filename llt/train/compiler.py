"""What is asked of torch.compile, in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """`function`, compiled for the shapes it is called with."""
    return torch.compile(function, dynamic=False, options=_options())


def _options() -> dict[str, Any]:
    # Fusing sums over rows with sums over columns makes wrong gradients where their results are
    # parts of one tensor, as those of q, k and v are (pytorch issue 193061; since 2.10).
    from torch._inductor import config  # slow to import

    name = "mix_order_reduction"
    return {f"triton.{name}": False} if hasattr(config.triton, name) else {}
