"""The accuracy study: a folder that fills up with trainings, some at a time on one device.

NAME/              the run folder of a cell
NAME/cell.json     what came out of it: the cell is done
NAME/failed.json   why it never will: it diverged
alone.json         how long steps take when nothing else runs on the device
record.json        all cells that are done or have failed here, and what is open

Every cell is trained in a process of its own and goes on where it was stopped, whatever stopped
it. What is done or has failed, here or in the study's records, is not touched again. Rates and
rivals are chosen as soon as the tier before is finished; the cells that waited for them follow in
the same run.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import torch

from llt.bench.contender import check_same, settings_differ
from llt.bench.record import Record, new_record, write_record
from llt.bench.study_cell import Cell
from llt.bench.study_file import StudyFile
from llt.bench.study_results import Results, counted
from llt.bench.study_training import DONE, FAILED, FILES, about, work
from llt.bench.timing import release_memory
from llt.errors import ConfigError, DataError, LltError, LostError, unknown
from llt.runtime.checked import read_checked, write_checked
from llt.runtime.device import find_device
from llt.runtime.lock import claimed
from llt.runtime.signals import requests_to_stop
from llt.training.trial import try_training

BEGUN, LEFT = "begun", "left"
WAITING = "waiting"  # for its rate
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
        self._own: dict[str, dict[str, Any]] = {}  # of cells that have been read
        self.file = file
        self.file = file.grown(self.found)
        for cell in self.file.cells:
            self._check(cell)

    def _check(self, cell: Cell) -> None:
        """Refuse results of a training that the study no longer asks for."""
        source, known = self.file.data[cell.data], self.file.known["cells"].get(cell.name, {})
        if source.hash and source.is_here:
            check_same(cell.contender, source.hash, self.out / cell.name)
        # what failed has no settings
        if "settings" in known and (wrong := settings_differ(cell.contender, known["settings"])):
            raise ConfigError(
                f"records: cell {cell.name} was trained with {wrong}; take it out of its record, "
                "or give its group a label"
            )

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
        """Read once: it stays as it is."""
        for file in FILES.values():
            if name not in self._own and (path := self.out / name / file).is_file():
                self._own[name] = read_checked(path, LltError)
        return self._own.get(name)

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

    def run(self, jobs: int, tell: Tell, timing: Tell | None = None) -> Record:
        """Train what is not done; after each cell the record is on the disk.

        Args:
            timing: is told of the steps that are timed in the end.
        """
        self._refuse_missing()
        # no kernels that are chosen by their times: beside other trainings bad ones win
        os.environ.setdefault("TORCHINDUCTOR_DETERMINISTIC", "1")
        died: list[Cell] = []
        with claimed(self.out), requests_to_stop() as stopped:
            todo, running = self.todo(), dict[BaseProcess, Cell]()
            while (todo or running) and not stopped:
                while todo and len(running) < jobs:
                    cell = todo.pop(0)
                    running[self._start(cell, jobs)] = cell
                    tell(cell, "begins")
                for process in [p for p in running if not p.is_alive()]:
                    cell = running.pop(process)
                    died += [cell] if process.exitcode else []
                    tell(cell, "died" if process.exitcode else self.state(cell))
                    todo += self._newly_chosen()
                    self._keep()
                time.sleep(0.05)
            _stop([*running])
            self._keep()  # some may have come to their end before they were stopped
            for cells in self.untimed():
                if stopped:
                    break
                if timing:
                    timing(cells[0], "its steps are timed")
                self._time(cells)
                self._keep()
            if stopped:
                raise KeyboardInterrupt
        if died:
            raise LostError(
                f"{self.out}: {len(died)} of the trainings died: "
                f"{', '.join(cell.name for cell in died)}; the same command tries them again"
            )
        return self.record()

    def _keep(self) -> None:
        write_record(self.out / "record.json", self.record())

    def _start(self, cell: Cell, jobs: int) -> BaseProcess:
        data, threads = self.file.data[cell.data].path, max(1, torch.get_num_threads() // jobs)
        given = cell, data, self.out / cell.name, self.device
        more = {"threads": threads, "parent": os.getpid(), "begun": time.time()}
        # forked processes would inherit threads and CUDA, and hang
        process = multiprocessing.get_context("spawn").Process(target=work, args=given, kwargs=more)
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

    def untimed(self) -> list[list[Cell]]:
        """Cells whose steps are the same, together, where one of them has no time.

        It is asked for of what is drawn, wherever that was trained, and not of every seed.
        """
        known = {**self.file.known["alone"], **self._alone()}
        groups: dict[str, dict[str, Cell]] = {}
        for cell in self.cells(DONE):
            here = cell.data in self.only and self.file.data[cell.data].is_here
            if here and cell.is_drawn and cell.way not in known:
                groups.setdefault(_steps(cell), {})[cell.way] = cell
        return [[*group.values()] for group in groups.values()]

    def _time(self, cells: Sequence[Cell]) -> None:
        """Nothing else runs on the device now."""
        contender, data = cells[0].contender, self.file.data[cells[0].data].path
        found = try_training(
            data,
            model=contender.model,
            model_settings=contender.settings,
            config=contender.train,
            device=self.device,
        )
        epoch = found.steps_per_epoch * found.seconds_per_step
        seconds = {cell.way: cell.contender.train.epochs * epoch for cell in cells}
        write_checked(self.out / ALONE, {**self._alone(), **seconds})
        release_memory(find_device(self.device))

    def _alone(self) -> dict[str, float]:
        path = self.out / ALONE
        return read_checked(path, LltError) if path.is_file() else {}

    def record(self) -> Record:
        """What was found here, and what nobody has found."""
        own = {cell.name: self.own(cell.name) for cell in self.file.cells}
        results = {
            "cells": {name: found for name, found in own.items() if found},
            "open": {cell.name: about(cell) for cell in self.cells(BEGUN, LEFT, WAITING)},
            "rates": [asdict(entry) for entry in self.file.rates],
            "rivals": [asdict(entry) for entry in self.file.rivals],
            "unfit": [list(pair) for pair in self.file.unfit],
            "unmatched": [list(pair) for pair in self.file.unmatched],
            "alone": self._alone(),
        }
        place = find_device(self.device)
        record = new_record("accuracy", "Errors of all models", place, results, {})
        return replace(record, data={n: {"hash": s.hash} for n, s in self.file.data.items()})

    def results(self) -> Results:
        """With what the study's records know besides."""
        here, known = self.record().results, self.file.known
        both = {name: {**known[name], **here[name]} for name in ("cells", "alone")}
        return counted({**here, **both})


def _steps(cell: Cell) -> str:
    """All that the time of a step depends on, and more."""
    made = cell.contender
    train = made.train.to_dict()
    for name in ("epochs", "lr", "muon_lr", "seed"):
        del train[name]
    return json.dumps([cell.data, made.model, made.settings, train], sort_keys=True, default=str)


def _stop(running: list[BaseProcess]) -> None:
    """Trainings save their state when they are asked to end."""
    for process in running:
        process.terminate()
    for process in running:
        process.join()
