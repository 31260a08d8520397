"""Muon's update of all matrices of a model, which lie in one flat vector."""

from __future__ import annotations

from torch import Tensor

from llt.kernels.choice import device_refusal
from llt.kernels.muon import plain
from llt.kernels.muon.layout import Layout, Stack

__all__ = ["Layout", "Stack", "muon_update"]

LONGEST = 128  # side of a matrix that a fused kernel can hold


def muon_update(
    flat: Tensor,
    momentum: Tensor,
    gradient: Tensor,
    layout: Layout,
    row: Tensor,
    factor: Tensor,
    finite: Tensor | None,
) -> None:
    """See `plain.muon_update`."""
    if device_refusal(flat.device) is None and layout.longest_side <= LONGEST:
        from llt.kernels.muon.triton import muon_update as update
    else:
        update = plain.muon_update
    update(flat, momentum, gradient, layout, row, factor, finite)
