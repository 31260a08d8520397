"""A cell of the accuracy study as a process of its own: it is trained, and its errors are found.

Of an evaluation these are all: error bars, averages over symmetries and times of predictions would
take longer than some trainings, on hundreds of cells.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import torch

from llt.bench.contender import read, train_run, trained
from llt.bench.study_cell import Cell
from llt.checkpoint import checkpoint_folder, read_weights
from llt.errors import LltError, TrainingError
from llt.evaluation.metrics import open_data
from llt.evaluation.rollouts import case_errors
from llt.runtime.checked import write_checked
from llt.runtime.device import find_device
from llt.runtime.files import write_json
from llt.runtime.workers import work_for
from llt.surrogate import load
from llt.training.loop import Interrupted
from llt.training.state import is_complete

DONE, FAILED = "done", "failed"
FILES = {DONE: "cell.json", FAILED: "failed.json"}
MEMORY = "memory.json"  # beside the files of the run


def work(
    cell: Cell, data: Path, run: Path, device: str, *, threads: int, parent: int, begun: float
) -> None:
    """Train a cell and write down what came out.

    Args:
        begun: when the process was started, in seconds since 1970.
    """
    waited = time.time() - begun
    work_for(parent)
    torch.set_num_threads(threads)
    try:
        measure(cell, data, run, device, waited)
    except TrainingError as error:
        reason = str(error).removeprefix(f"{run}: ")
        write_checked(run / FILES[FAILED], {**about(cell), "error": reason})
    except Interrupted:
        return  # its state is saved
    except (LltError, OSError) as error:
        sys.stderr.write(f"llt: {cell.name}: {error}\n")
        sys.exit(1)


def measure(cell: Cell, data: Path, run: Path, device: str, waited: float = 0.0) -> None:
    """Train a cell, or what is left of it."""
    _train(cell, data, run, device)
    start = time.monotonic()
    found = _errors(run, data, device)
    other = waited + read(run, "startup.json")["seconds"] + time.monotonic() - start
    memory = read(run, MEMORY)["bytes"] if (run / MEMORY).is_file() else None
    result = {**about(cell), **found, "overhead_seconds": round(other, 3), "memory_bytes": memory}
    write_checked(run / FILES[DONE], result)


def about(cell: Cell) -> dict[str, Any]:
    made = cell.contender
    return {
        "data": cell.data,
        "model": made.model,
        "seed": cell.seed,
        "tier": cell.tier,
        "recipe": made.recipe,
        "epochs": made.train.epochs,
        "label": cell.label,
        "rate": cell.rate,
    }


def _train(cell: Cell, data: Path, run: Path, device: str) -> None:
    """With its peak of memory, which another process cannot know after the last step."""
    if is_complete(run):
        return
    train_run(cell.contender, data, run, device=device)
    if find_device(device).type == "cuda":
        write_json(run / MEMORY, {"bytes": torch.cuda.max_memory_allocated()})


def _errors(run: Path, data_path: Path, device: str) -> dict[str, Any]:
    """Of the best weights on the test split."""
    surrogate = load(run, find_device(device))
    data = open_data(run, surrogate, data_path)
    errors = case_errors(surrogate, data, data.split("test")).total
    _, best = read_weights(checkpoint_folder(run))
    return {
        **trained(run, best),
        "parameters": sum(p.numel() for p in surrogate.model.parameters()),
        "test_error": errors.mean().item(),
        "spread": errors.std(correction=0).item(),
        "worst": errors.max().item(),
    }
