"""Adam's update of one flat vector of parameters."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from llt.kernels.adam import plain
from llt.kernels.choice import device_refusal


def adam_update(flat: Tensor, *tensors: Tensor | None, **settings: Any) -> None:
    """See `plain.adam_update`."""
    if _fused(flat.device):
        from llt.kernels.adam.triton import adam_update as update
    else:
        update = plain.adam_update
    update(flat, *tensors, **settings)  # type: ignore[arg-type]


def _fused(device: torch.device) -> bool:
    from llt.kernels.verdict import verdict
    from llt.kernels.verify import verify

    if device_refusal(device) is not None:
        return False
    found = verdict(device, "adam", verify)
    return found is None or found.reason is None
