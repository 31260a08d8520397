"""The accuracy study: a folder that fills up with trainings, some at a time on one device.

NAME/              the run folder of a cell
NAME/cell.json     what came out of it: the cell is done
NAME/failed.json   why it never will: it diverged
NAME/alone.json    how long its steps take when nothing else runs on the device
record.json        all cells that are done or have failed here, and what is open

Every cell is trained in a process of its own and goes on where it was stopped, whatever stopped
it. What is done or has failed, here or in the study's records, is not touched again. Rates and
rivals are chosen as soon as the tier before is finished; the cells that waited for them follow in
the same run.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import torch

from llt.bench.contender import EVALUATION, check_same, outcome, train_contender
from llt.bench.record import Record, new_record, write_record
from llt.bench.study_cell import Cell
from llt.bench.study_file import StudyFile
from llt.bench.study_results import Results, counted
from llt.bench.timing import release_memory
from llt.errors import ConfigError, DataError, LltError, TrainingError, unknown
from llt.runtime.checked import read_checked, write_checked
from llt.runtime.device import find_device
from llt.runtime.lock import claimed
from llt.runtime.reading import read_json
from llt.runtime.signals import requests_to_stop
from llt.runtime.workers import work_for
from llt.training.loop import Interrupted
from llt.training.trial import try_training

DONE, FAILED, BEGUN, LEFT = "done", "failed", "begun", "left"
WAITING = "waiting"  # for its rate
FILES = {DONE: "cell.json", FAILED: "failed.json"}
ALONE = "alone.json"
Tell = Callable[[Cell, str], None]


class AccuracyStudy:
    """A study file and the folder of its trainings; all it knows is on the disk.

    Args:
        only: problems to train; the others' cells are left to other runs.
    """

    def __init__(
        self, file: StudyFile, out: Path, device: str = "auto", only: Collection[str] = ()
    ) -> None:
        self.out, self.device, self.only = out, device, only or [*file.data]
        for name in self.only:
            if name not in file.data:
                raise ConfigError(f"--only: {unknown('problem', name, file.data)}")
        self.file = file
        self.file = file.grown(self.found)
        for cell in self.file.cells:
            source = file.data[cell.data]
            if source.hash and source.is_here:
                check_same(cell.contender, source.hash, out / cell.name)

    def state(self, cell: Cell) -> str:
        if cell.rate is None:
            return WAITING
        if known := self.file.known["cells"].get(cell.name):
            return FAILED if "error" in known else DONE
        folder = self.out / cell.name
        for state, name in FILES.items():
            if (folder / name).is_file():
                return state
        return BEGUN if (folder / "config.toml").is_file() else LEFT

    def found(self, name: str) -> dict[str, Any] | None:
        """What came out of a cell, wherever it was trained."""
        return self.file.known["cells"].get(name) or self.own(name)

    def own(self, name: str) -> dict[str, Any] | None:
        for file in FILES.values():
            if (path := self.out / name / file).is_file():
                return read_checked(path, LltError)
        return None

    def cells(self, *states: str) -> list[Cell]:
        return [cell for cell in self.file.cells if self.state(cell) in states]

    def todo(self) -> list[Cell]:
        return [cell for cell in self.cells(BEGUN, LEFT) if cell.data in self.only]

    def ahead(self) -> list[Cell]:
        """To do now, or as soon as their rates are known."""
        return [cell for cell in self.cells(BEGUN, LEFT, WAITING) if cell.data in self.only]

    def missing(self) -> dict[str, list[Cell]]:
        """Cells to do whose data are not here, by problem."""
        missing: dict[str, list[Cell]] = {}
        for cell in self.ahead():
            if not self.file.data[cell.data].is_here:
                missing.setdefault(cell.data, []).append(cell)
        return missing

    def run(self, jobs: int, tell: Tell) -> Record:
        """Train what is not done; after each cell the record is on the disk."""
        self._refuse_missing()
        with claimed(self.out), requests_to_stop() as stopped:
            todo, running = self.todo(), dict[BaseProcess, Cell]()
            while (todo or running) and not stopped:
                while todo and len(running) < jobs:
                    cell = todo.pop(0)
                    running[self._start(cell, jobs)] = cell
                    tell(cell, "begins")
                for process in [p for p in running if not p.is_alive()]:
                    cell = running.pop(process)
                    tell(cell, self.state(cell) if process.exitcode == 0 else "died")
                    todo += self._newly_chosen()
                    write_record(self.out / "record.json", self.record())
                time.sleep(0.05)
            _stop([*running])
            for cell in self._untimed():
                if stopped:
                    break
                self._time(cell)
            if stopped:
                raise KeyboardInterrupt
            record = self.record()
            write_record(self.out / "record.json", record)
            return record

    def _start(self, cell: Cell, jobs: int) -> BaseProcess:
        data, threads = self.file.data[cell.data].path, max(1, torch.get_num_threads() // jobs)
        given = cell, data, self.out / cell.name, self.device, threads, os.getpid()
        # forked processes would inherit threads and CUDA, and hang
        process = multiprocessing.get_context("spawn").Process(target=_work, args=given)
        process.start()
        return process

    def _newly_chosen(self) -> list[Cell]:
        """Cells that can be named now that a cell is finished."""
        before = {cell.name for cell in self.file.cells}
        self.file = self.file.grown(self.found)
        return [cell for cell in self.todo() if cell.name not in before]

    def _refuse_missing(self) -> None:
        for name, cells in self.missing().items():
            others = ",".join(other for other in self.only if other not in self.missing())
            raise DataError(
                f"{self.file.data[name].path}: no such file; cells of {name} that need it: "
                f"{len(cells)}; make or copy it{others and f', or train the rest: --only {others}'}"
            )

    def _untimed(self) -> list[Cell]:
        """One cell of those that differ in nothing but their seeds, where none has its time.

        Nobody asks for the time of what only chose a rate.
        """
        done = [
            cell
            for cell in self.cells(DONE)
            if cell.tier
            and self.file.data[cell.data].is_here
            and (self.out / cell.name / FILES[DONE]).is_file()
        ]
        timed = {cell.way for cell in done if (self.out / cell.name / ALONE).is_file()}
        return [*{cell.way: cell for cell in done if cell.way not in timed}.values()]

    def _time(self, cell: Cell) -> None:
        """Nothing else runs on the device now."""
        contender, data = cell.contender, self.file.data[cell.data].path
        found = try_training(
            data,
            model=contender.model,
            model_settings=contender.settings,
            config=contender.train,
            device=self.device,
        )
        seconds = found.epochs * found.steps_per_epoch * found.seconds_per_step
        write_checked(self.out / cell.name / ALONE, {"seconds": seconds})
        release_memory(find_device(self.device))

    def record(self) -> Record:
        """What was found here, and what nobody has found."""
        own = {cell.name: self.own(cell.name) for cell in self.file.cells}
        times = ((cell.way, self.out / cell.name / ALONE) for cell in self.file.cells)
        results = {
            "cells": {name: found for name, found in own.items() if found},
            "open": {cell.name: about(cell) for cell in self.cells(BEGUN, LEFT, WAITING)},
            "rates": [asdict(entry) for entry in self.file.rates],
            "rivals": [asdict(entry) for entry in self.file.rivals],
            "unfit": [list(pair) for pair in self.file.unfit],
            "unmatched": [list(pair) for pair in self.file.unmatched],
            "alone": {
                way: read_checked(path, LltError)["seconds"]
                for way, path in times
                if path.is_file()
            },
        }
        place = find_device(self.device)
        record = new_record("accuracy", "Errors of all models", place, results, {})
        return replace(record, data={n: {"hash": s.hash} for n, s in self.file.data.items()})

    def results(self) -> Results:
        """With what the study's records know besides."""
        here, known = self.record().results, self.file.known
        both = {name: {**known[name], **here[name]} for name in ("cells", "alone")}
        return counted({**here, **both})


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


def _stop(running: list[BaseProcess]) -> None:
    """Trainings save their state when they are asked to end."""
    for process in running:
        process.terminate()
    for process in running:
        process.join()
