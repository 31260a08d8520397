"""Are the fused kernels right on a GPU on which nobody has measured them? Asked once, remembered.

At first use they are run beside the plain ones. The verdict is kept in the cache folder, one file
for each GPU, network and set of versions; a file that cannot be read or written costs time alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import torch

from llt.errors import KernelError
from llt.kernels.choice import choice
from llt.kernels.limits import limits_of
from llt.runtime.checked import read_checked, write_checked
from llt.runtime.files import cache_folder

Check = Callable[[torch.device], Mapping[str, float]]
_known: dict[tuple[int, str], Verdict] = {}  # of this process


@dataclass(frozen=True, slots=True)
class Verdict:
    """The largest relative error of the fused kernels, or why they are not used."""

    error: float | None = None
    reason: str | None = None

    def __str__(self) -> str:
        return self.reason or f"checked at first use on this GPU, relative error {self.error:.1g}"


def verdict(device: torch.device, subject: str, check: Check) -> Verdict | None:
    """Whether `check` finds the kernels of `subject` right on a device.

    None where there is no question: on measured GPUs, and where the kernels are chosen by name.
    A check gives relative errors, or raises a KernelError when they are too large.
    """
    index = device.index or 0
    if device.type != "cuda" or choice() != "auto" or limits_of(index).measured:
        return None
    if (index, subject) not in _known:
        _known[index, subject] = _remembered(device, subject, check)
    return _known[index, subject]


def _remembered(device: torch.device, subject: str, check: Check) -> Verdict:
    key = _key(device, subject)
    digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:24]
    path = cache_folder() / "verdicts" / f"{digest}.json"
    found = _read(path)
    if found is None:
        found = _judge(device, check)
        with suppress(OSError):
            write_checked(path, key | asdict(found))
    return found


def _key(device: torch.device, subject: str) -> dict[str, str]:
    import llt

    return {
        "device": torch.cuda.get_device_name(device),
        "capability": "{}.{}".format(*limits_of(device.index or 0).capability),
        "torch": torch.__version__,
        "triton": version("triton"),
        "llt": llt.__version__,
        "subject": subject,
    }


def _read(path: Path) -> Verdict | None:
    try:
        kept = read_checked(path, KernelError)
        error, reason = kept["error"], kept["reason"]
    except (KernelError, OSError, KeyError):  # absent, damaged, or of another version
        return None
    whole = isinstance(reason, str) if error is None else isinstance(error, float)
    return Verdict(error, reason) if whole else None


def _judge(device: torch.device, check: Check) -> Verdict:
    from triton.errors import TritonError  # where a kernel does not fit, or cannot be compiled

    try:
        return Verdict(error=max(check(device).values()))
    except (KernelError, TritonError) as error:
        return Verdict(reason=f"at first use on this GPU: {str(error).splitlines()[0]}")
