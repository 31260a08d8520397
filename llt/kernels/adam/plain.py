"""The definition of Adam's update."""

from __future__ import annotations

import torch
from torch import Tensor


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
