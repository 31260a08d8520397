"""The accuracy study: a folder that fills up with trainings, some at a time on one device.

NAME/              the run folder of a cell
NAME/cell.json     what came out of it: the cell is done
NAME/failed.json   why it never will: it diverged
record.json        all cells that are done or have failed

Every cell is trained in a process of its own and goes on where it was stopped, whatever stopped
it. What is done or has failed is not touched again.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import torch

from llt.bench.contender import EVALUATION, check_same, outcome, train_contender
from llt.bench.record import Record, new_record, write_record
from llt.bench.study_file import Cell, StudyFile
from llt.errors import LltError, TrainingError
from llt.runtime.checked import read_checked, write_checked
from llt.runtime.device import find_device
from llt.runtime.lock import claimed
from llt.runtime.reading import read_json
from llt.runtime.signals import requests_to_stop
from llt.runtime.workers import work_for
from llt.training.loop import Interrupted

DONE, FAILED, BEGUN, LEFT = "done", "failed", "begun", "left"
FILES = {DONE: "cell.json", FAILED: "failed.json"}
Tell = Callable[[Cell, str], None]


class AccuracyStudy:
    """A study file and the folder of its trainings; all it knows is on the disk."""

    def __init__(self, file: StudyFile, out: Path, device: str = "auto") -> None:
        self.file, self.out, self.device = file, out, device
        for cell in file.cells:
            check_same(cell.contender, file.hashes[cell.data], out / cell.name)

    def state(self, cell: Cell) -> str:
        folder = self.out / cell.name
        for state, name in FILES.items():
            if (folder / name).is_file():
                return state
        return BEGUN if (folder / "config.toml").is_file() else LEFT

    def result(self, cell: Cell) -> dict[str, Any]:
        """Of a cell that is done or has failed."""
        return read_checked(self.out / cell.name / FILES[self.state(cell)], LltError)

    def cells(self, *states: str) -> list[Cell]:
        return [cell for cell in self.file.cells if self.state(cell) in states]

    def run(self, jobs: int, tell: Tell) -> Record:
        """Train what is not done; after each cell the record is on the disk."""
        with claimed(self.out), requests_to_stop() as stopped:
            todo, running = self.cells(BEGUN, LEFT), dict[BaseProcess, Cell]()
            while (todo or running) and not stopped:
                while todo and len(running) < jobs:
                    cell = todo.pop(0)
                    running[self._start(cell, jobs)] = cell
                    tell(cell, "begins")
                for process in [p for p in running if not p.is_alive()]:
                    cell = running.pop(process)
                    tell(cell, self.state(cell) if process.exitcode == 0 else "died")
                    write_record(self.out / "record.json", self.record())
                time.sleep(0.05)
            _stop([*running])
            if stopped:
                raise KeyboardInterrupt
            record = self.record()
            write_record(self.out / "record.json", record)
            return record

    def _start(self, cell: Cell, jobs: int) -> BaseProcess:
        data, threads = self.file.data[cell.data], max(1, torch.get_num_threads() // jobs)
        given = cell, data, self.out / cell.name, self.device, threads, os.getpid()
        # forked processes would inherit threads and CUDA, and hang
        process = multiprocessing.get_context("spawn").Process(target=_work, args=given)
        process.start()
        return process

    def record(self) -> Record:
        cells = {cell.name: self.result(cell) for cell in self.cells(DONE, FAILED)}
        results = {"cells": cells, "unfit": [list(pair) for pair in self.file.unfit]}
        place = find_device(self.device)
        record = new_record("accuracy", "Errors of all models", place, results, {})
        return replace(record, data={n: {"hash": h} for n, h in self.file.hashes.items()})


def _work(cell: Cell, data: Path, run: Path, device: str, threads: int, parent: int) -> None:
    """In a process of its own: train a cell and write down what came out."""
    work_for(parent)
    torch.set_num_threads(threads)
    try:
        measure(cell, data, run, device)
    except TrainingError as error:
        reason = str(error).removeprefix(f"{run}: ")
        write_checked(run / FILES[FAILED], {**about(cell), "error": reason})
    except Interrupted:
        return  # its state is saved
    except (LltError, OSError) as error:
        sys.stderr.write(f"llt: {cell.name}: {error}\n")
        sys.exit(1)


def measure(cell: Cell, data: Path, run: Path, device: str) -> None:
    train_contender(cell.contender, data, run, device=device)
    found = outcome(run)
    per_sample = read_json(run / EVALUATION)["per_sample"]
    used = torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None
    write_checked(
        run / FILES[DONE],
        {
            **about(cell),
            **found,
            "spread": float(np.std(per_sample)),
            "worst": max(per_sample),
            "memory_bytes": used,
        },
    )


def about(cell: Cell) -> dict[str, Any]:
    made = cell.contender
    how = {"recipe": made.recipe, "epochs": made.train.epochs, "label": cell.label}
    return {"data": cell.data, "model": made.model, "seed": cell.seed, **how}


def _stop(running: list[BaseProcess]) -> None:
    """Trainings save their state when they are asked to end."""
    for process in running:
        process.terminate()
    for process in running:
        process.join()
