"""Derivatives of kernels whose gradient is written by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

from llt.errors import KernelError


def first_derivative_only(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse a second derivative, which would come out wrong without a word.

    torch's `once_differentiable` notices only where the incoming gradient needs one itself.
    """

    @wraps(backward)
    def checked(ctx: Any, *up: Any) -> Any:
        if torch.is_grad_enabled():  # as it is under create_graph=True alone
            raise KernelError(
                "fast kernels have first derivatives only; for second ones use plain kernels: "
                "LLT_KERNELS=reference, or `with llt.kernels.use('reference')`"
            )
        return backward(ctx, *up)

    return checked
