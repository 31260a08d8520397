"""Adam's update of one flat vector of parameters."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from llt.kernels.adam import plain
from llt.kernels.choice import device_refusal


def adam_update(flat: Tensor, *tensors: Tensor | None, **settings: Any) -> None:
    """See `plain.adam_update`."""
    if device_refusal(flat.device) is None:
        from llt.kernels.adam.triton import adam_update as update
    else:
        update = plain.adam_update
    update(flat, *tensors, **settings)  # type: ignore[arg-type]
