"""Which kernels a model uses on a device in a precision, and why.

Training, prediction, benchmarks, `llt doctor` and the record of a run all ask here.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from llt.kernels.choice import choice, device_refusal, interpreted
from llt.models.base import Operator
from llt.runtime.device import HALF


@dataclass(frozen=True, slots=True)
class Plan:
    """`kernels` is fused, cpu or plain; where they are not fused, `reason` says why, and where the
    fused ones were checked at first use, what came of it."""

    kernels: str
    reason: str | None = None

    @property
    def fused(self) -> bool:
        return self.kernels == "fused"

    def __str__(self) -> str:
        return f"{self.kernels} kernels" + (f": {self.reason}" if self.reason else "")


def plan(model: Operator, device: torch.device, precision: str) -> Plan:
    """The kernels of a model; `precision` is that of its matrix products."""
    reason = device_refusal(device) or model.fused_refusal(device)
    if reason is None and precision not in HALF and not (device.type == "cpu" and interpreted()):
        # weights in 16 bits fit into shared memory; the interpreter has no such bounds
        reason = f"the fused ones compute in {' or '.join(HALF)}, not in {precision}"
    if reason is None:
        checked = model.first_use(device, precision)
        if checked is None or checked.reason is None:
            return Plan("fused", None if checked is None else str(checked))
        reason = checked.reason
    on_cpu = device.type == "cpu" and choice() != "reference"
    return Plan("cpu" if on_cpu else "plain", reason)
