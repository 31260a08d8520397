"""The verbs of the package for Python, from generate and prepare to evaluate and predict_files.

`llt.load`, `llt.Dataset` and `llt.Surrogate` are the nouns. The command has the same verbs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from llt.choice import Choice, model_of, resolve, settings_within
from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.folder.choice import choice_of, read_choice
from llt.errors import ConfigError, DataError, RangeWarning
from llt.evaluation import metrics
from llt.evaluation.metrics import Evaluation
from llt.fitting import Room
from llt.generation import Progress, generate_file, split_counts
from llt.own_mesh import predict as own_mesh
from llt.own_mesh.predict import Done, Options, failures, num_cases
from llt.preparation.prepare import prepare_folder
from llt.runtime.device import find_device
from llt.surrogate import Surrogate, load
from llt.training import run as runs
from llt.training.loop import Listener

Counted = Callable[[int, int], None]  # is told how many of how many are done


def generate(
    problem: str,
    out: str | Path,
    *,
    num: int | Sequence[int] = (1000, 200, 200),
    seed: int = 0,
    workers: int = 0,
    executor: Executor | None = None,
    device: str = "cpu",
    resume: bool = False,
    force: bool = False,
    settings: Mapping[str, Any] | None = None,
    progress: Counted | None = None,
) -> Dataset:
    """Solve samples of a problem with its reference solver into a new dataset file.

    Args:
        num: how many to train, validate and test; or in all, to be split 5:1:1.
        seed: sample i of a seed is always the same.
        workers: processes; 0 takes one per core.
        executor: of concurrent.futures, also Dask's; it solves the samples instead of processes
            made here, in threads, processes or on other machines that have the same llt.
        resume: go on with what an interrupted job has left beside `out`.
        force: replace an existing file.
        settings: of the solver, as {"resolution": 169}.
        progress: called with (done, total) after every sample.
    """
    counts = split_counts(num) if isinstance(num, int) else tuple(num)
    if len(counts) != 3 or min(counts) < 1:
        raise ConfigError(f"num={num}: expected (train, val, test) or one number of at least 3")

    return generate_file(
        problem,
        Path(out),
        counts=(counts[0], counts[1], counts[2]),
        seed=seed,
        workers=workers,
        executor=executor,
        device=device,
        resume=resume,
        force=force,
        settings=dict(settings or {}),
        progress=_counting(progress),
    )


def prepare(
    folder: str | Path,
    out: str | Path,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    params: str | Path | None = None,
    masks: Sequence[str] | None = None,
    plan: str | Path | Mapping[str, Any] | None = None,
    seed: int = 0,
    workers: int = 0,
    resume: bool = False,
    force: bool = False,
    append: bool = False,
    skip_bad: bool = False,
    progress: Counted | None = None,
) -> Dataset:
    """Make a dataset file of a folder of simulation results, a file or a subfolder for each case.

    Instead of a folder, one file of arrays whose first axis counts the cases will do.

    Args:
        outputs: fields to learn; "p@wall" for one that exists on a patch only.
        inputs: fields, or patches, that the model is given.
        params: a CSV or TOML file with numbers of every case, or "none".
        masks: patches to keep as sets of points, or of the cells at them.
        plan: a TOML file as `llt inspect FOLDER -o FILE` writes it, or its entries.
        seed: draws the cases that validate and test.
        workers: processes; 0 takes one per core.
        resume: go on with what an interrupted job has left beside `out`.
        force: replace an existing file.
        append: add cases that `out` does not have yet; all others stay what they are.
        skip_bad: leave out cases that cannot be used.
        progress: called with (done, total) after every case, when it is read and when written.
    """
    begun = read_choice(Path(plan)) if isinstance(plan, str | Path) else choice_of(plan or {})
    named = {"outputs": outputs, "inputs": inputs, "masks": masks}
    chosen: dict[str, Any] = {key: tuple(v) for key, v in named.items() if v is not None}
    if params is not None:
        chosen["table"] = str(params)
    return prepare_folder(
        Path(folder),
        Path(out),
        begun.changed(choice_of(chosen)),
        seed=seed,
        workers=workers,
        resume=resume,
        force=force,
        append=append,
        skip_bad=skip_bad,
        progress=_counting(progress),
    )


def open(path: str | Path) -> Dataset:
    """A dataset file; samples are read when they are asked for, `load` reads them all."""
    return dataset_file.read(Path(path))


def train(
    data: Dataset | str | Path,
    out: str | Path,
    *,
    steps: int | None = None,
    epochs: int | None = None,
    minutes: float | None = None,
    model: str | None = None,
    recipe: str = "best",
    preset: str | None = None,
    start: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    device: str = "auto",
    progress: Listener | None = None,
) -> Path:
    """Train a model on a dataset into the new run folder `out`, and give that folder.

    Args:
        data: a dataset, or its file. One that is in memory is saved in the run folder.
        steps: how long to train, rounded up to whole epochs; or give `epochs` or `minutes`.
        model: by default llt, or that of `start`.
        recipe: best, or paper for the paper's network and training.
        preset: sizes by name instead of the problem's own.
        start: a run, a checkpoint or pretrained:NAME, whose weights it begins with.
        settings: any others, by the names that the command has, as {"train.lr": 1e-3}.
        device: cpu, cuda, or auto for the best there is.
        progress: called with a `Tick` after every step; its `metrics` come with every epoch.
    """
    given = {"steps": steps, "epochs": epochs, "minutes": minutes}
    if sum(value is not None for value in given.values()) > 1:
        asked = " and ".join(f"{name}={v}" for name, v in given.items() if v is not None)
        raise ConfigError(f"{asked}: give one of them")
    changes = dict(settings or {})
    if steps is not None:
        changes["train.steps"] = steps
    if epochs is not None:
        changes |= {"train.epochs": epochs, "train.steps": 0}
    source = data if isinstance(data, Dataset) else Path(data)
    known = source if isinstance(source, Dataset) else dataset_file.read(source)
    begin = None if start is None else str(start)
    choice = Choice(model=model, recipe=recipe, preset=preset, settings=changes, start=begin)
    about: dict[str, Any] = {"problem": known.problem, "room": Room.of(known, device)}
    if minutes is not None:
        choice = choice.changed(settings_within(minutes, source, choice, **about, device=device))
    _, arguments, config = resolve(choice=choice, **about)
    return runs.train(
        source,
        Path(out),
        model=model_of(choice),
        model_settings=arguments,
        config=config,
        recipe=recipe,
        device=device,
        listener=progress,
        start=begin,
    )


def resume(
    run: str | Path,
    *,
    data: str | Path | None = None,
    device: str = "auto",
    progress: Listener | None = None,
) -> Path:
    """Go on with a run that was interrupted.

    Args:
        data: the run's dataset file, where it has moved.
    """
    path = None if data is None else Path(data)
    return runs.resume(Path(run), data_path=path, device=device, listener=progress)


def evaluate(
    run: str | Path,
    *,
    split: str = "test",
    data: str | Path | None = None,
    device: str = "auto",
    symmetrize: bool | None = None,
) -> Evaluation:
    """The errors of a run on samples that it was not trained on.

    Args:
        data: another dataset file of the same problem, or the run's own where it has moved.
        symmetrize: also the errors averaged over the problem's symmetries; by default where it
            declares them.
    """
    path = None if data is None else Path(data)
    return metrics.evaluate(
        Path(run), split=split, device=device, data_path=path, symmetrize=symmetrize
    )


def predict_files(
    run: str | Path | Surrogate,
    new: str | Path,
    out: str | Path,
    *,
    parameters: Mapping[str, float] | None = None,
    params: str | Path | None = None,
    time: float | Sequence[float] | None = None,
    steps: int | None = None,
    integrate: Sequence[str] = (),
    symmetrize: bool = False,
    force: bool = False,
    skip_bad: bool = False,
    device: str = "auto",
    progress: Counted | None = None,
) -> list[Done]:
    """Predict new cases in files of simulation programs: a file into a file, a folder into one.

    Your own meshes come back with the predictions beside what was there. What is said of each case
    is its errors where the file has the truth, its distance from the training cases, its integrals.

    Args:
        run: trained on what `prepare` made.
        parameters: numbers that all cases share, by name.
        params: a CSV or TOML file with numbers of every case.
        time: one time, or several; by default those of the case.
        steps: of a model trained with train.history, frames that follow the first.
        integrate: as "mean:T", "force:p:wall", "flux:U:inlet".
        symmetrize: average over the problem's symmetries.
        force: replace existing files.
        skip_bad: of a folder, cases that cannot be predicted are warned of, and no error.
        progress: called with (done, total) after every case.
    """
    known = run if isinstance(run, Surrogate) else load(run, find_device(device))
    options = Options(
        parameters=parameters or {},
        table=None if params is None else Path(params),
        time=None if time is None else np.asarray(time, float).tolist(),
        steps=steps,
        integrate=integrate,
        symmetrize=symmetrize,
        force=force,
    )
    source, place = Path(new), Path(out)
    total = num_cases(known, source, options, place)
    with _counting(progress)("predicting cases", total) as advance:
        done, bad = own_mesh.predict_files(known, source, place, options, advance=advance)
    for line in (line for one in done for line in one.warnings):
        warnings.warn(line, RangeWarning, stacklevel=2)
    if line := failures(done, bad):
        if not (skip_bad and done):
            raise DataError(f"{line}; the others are in {out}")
        warnings.warn(line, stacklevel=2)
    return done


def _counting(progress: Counted | None) -> Progress:
    """A function that is told how many of how many are done, as long work calls it."""

    @contextmanager
    def counting(what: str, total: int) -> Iterator[Callable[[], None]]:
        done = 0

        def advance() -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, total)

        yield advance

    return counting
