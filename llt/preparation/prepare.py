"""The whole way: what is there, what is chosen, reading, writing."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.folder.choice import Choice
from llt.data.folder.plan import SOURCE, Plan
from llt.errors import ConfigError, DataError
from llt.generation import Progress, silent
from llt.preparation.parts import read_all
from llt.preparation.tasks import Task, known_cases, plan_tasks
from llt.preparation.writing import write_file
from llt.runtime.files import check_place, remove_abandoned
from llt.runtime.lock import claimed
from llt.solvers.parts import Parts

OTHERS = "another plan"


def prepare_folder(
    folder: Path,
    out: Path,
    choice: Choice,
    *,
    seed: int = 0,
    workers: int = 0,
    resume: bool = False,
    force: bool = False,
    append: bool = False,
    skip_bad: bool = False,
    progress: Progress = silent,
    tell: Callable[[str], None] = lambda line: None,
) -> Dataset:
    """Make a dataset file of a folder of simulation results.

    Args:
        choice: what becomes input, output, parameter and mask; what it leaves open is proposed.
        seed: draws the cases that validate and test.
        workers: processes; 0 takes one per core.
        resume: go on with what an interrupted job has left beside `out`.
        append: add the cases that `out` does not have yet; all others stay what they are.
        skip_bad: leave out cases that cannot be read or do not follow the plan.
        progress: called with a title and a total; what it gives is called for every case.
        tell: is told line by line what was chosen.
    """
    _check(out, seed=seed, workers=workers)
    base = _base(out, choice) if append else None
    if base is None and out.exists() and not (force or resume):
        raise ConfigError(f"{out}: already exists; choose another -o, --append or --force")
    plan, tasks, others = plan_tasks(folder, out, choice, base, tell)
    parts = out.with_name(f"{out.name}.parts")
    if (base is None or not tasks) and out.exists() and not force:
        done = _finished(out, plan, tasks, seed) if base is None else base
        tell(f"{out}: has all of these cases")
        if parts.is_dir():
            with claimed(parts):
                shutil.rmtree(parts, ignore_errors=True)
        return done
    check_place(out)
    with claimed(parts):
        if (parts / "job.json").exists() and not resume:
            raise ConfigError(
                f"{parts}: left by an interrupted job; --resume it or remove the folder"
            )
        remove_abandoned(out.parent, out.name)
        own = Parts(parts, {"plan": plan.to_dict()}, OTHERS)
        bad = read_all(plan, tasks, own, workers or os.cpu_count() or 1, progress)
        good = [task for task in tasks if task.case.name not in bad]
        _check_bad(bad, len(tasks), skip_bad=skip_bad)
        about: dict[str, Any] = {
            "source": SOURCE,
            "folder": folder.resolve().name,
            "plan": plan.to_dict(),
        }
        about |= {"seed": seed, "skipped": bad, "others": [*others]}
        count = len(good) + (0 if base is None else len(base))
        with progress(f"writing {out.name}", count) as advance:
            write_file(out, plan.problem, own, good, base=base, about=about, advance=advance)
        shutil.rmtree(parts, ignore_errors=True)
    return dataset_file.read(out)


def _check(out: Path, *, seed: int, workers: int) -> None:
    if out.is_dir():
        raise ConfigError(f"{out}: is a folder; give the file to write")
    if seed < 0:
        raise ConfigError(f"--seed {seed}: must not be negative")
    if workers < 0:
        raise ConfigError(f"--workers {workers}: must not be negative")


def _base(out: Path, choice: Choice) -> Dataset:
    """The dataset that cases are added to; it has a plan already."""
    base = dataset_file.read(out)
    if base.provenance.get("source") != SOURCE:
        raise ConfigError(f"{out}: was not made by llt prepare, so nothing can be added to it")
    if not Choice(table=choice.table) == choice:
        raise ConfigError(f"{out}: --append follows the plan of the file; only --params may differ")
    return base


def _finished(out: Path, plan: Plan, tasks: list[Task], seed: int) -> Dataset:
    """The file, if it is what the job would write: it was stopped when there was nothing left."""
    data = dataset_file.read(out)
    about, known = data.provenance, known_cases(data)
    skipped = about.get("skipped", {})
    wanted = {task.case.name: task.fingerprint for task in tasks if task.case.name not in skipped}
    same_plan = about.get("plan") == json.loads(json.dumps(plan.to_dict()))
    if not (same_plan and about.get("seed") == seed and known == wanted):
        raise ConfigError(f"{out}: already exists; choose another -o, --append or --force")
    return data


def _check_bad(bad: dict[str, str], total: int, *, skip_bad: bool) -> None:
    if not bad:
        return
    reasons = "; ".join([*bad.values()][:3])
    more = f"; and {len(bad) - 3} more" if len(bad) > 3 else ""
    if not skip_bad:
        raise DataError(
            f"{len(bad)} of {total} cases cannot be used: {reasons}{more}; correct them and "
            "go on with --resume, or leave them out with --resume --skip-bad"
        )
    warnings.warn(f"left out {len(bad)} of {total} cases: {reasons}{more}", stacklevel=3)
