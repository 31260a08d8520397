"""Records of measurements: what was run, where, with which versions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch

from llt.runtime.environment import environment
from llt.runtime.files import write_json


def write_record(path: Path, results: dict[str, Any], device: str = "cpu") -> None:
    record = {
        "command": " ".join(["python", *sys.argv]),
        "environment": environment(torch.device(device)),
        "results": results,
    }
    write_json(path, record)
