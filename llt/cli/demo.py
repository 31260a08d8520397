"""From nothing to a trained surrogate and its report, in minutes on a CPU."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path

import typer

from llt.cli.options import DEVICE

FOLDER = Path("runs/demo")
RECIPE = "best"
SETTINGS = {"resolution": 169, "stored_resolution": 43}  # of the solver


def run(
    out: Path = typer.Option(FOLDER, help="The run folder."),
    num: str = typer.Option("300,50,50", help="Samples: TRAIN,VAL,TEST."),
    epochs: int = typer.Option(14, min=1, help="Epochs of training."),
    device: str = DEVICE,
) -> None:
    """Generate Darcy flows, train LLT on them, evaluate it and write a report."""
    import time

    from llt.cli.display import say, stoppable
    from llt.cli.generate import parse_counts

    start = time.monotonic()
    data = _generate(out, parse_counts(num))
    _train(data, out, epochs, device)
    with stoppable(f"the training is complete; go on with: llt report {out}"):
        report = _report(out, device)
    say(f"4/4 done in {time.monotonic() - start:.0f} s; open {report}")


def _generate(out: Path, counts: tuple[int, int, int]) -> Path:
    """The data, solved or left by an earlier demo."""
    from llt.cli.display import counting, say, stoppable
    from llt.generation import generate_file

    say("1/4 Darcy flow: random media, solved with the reference solver")
    file = _data_file(out, counts)
    if file.exists():
        say(f"{file}: of an earlier demo")
        return file
    with stoppable("the same command goes on"):
        generate_file(
            "darcy", file, counts=counts, resume=True, settings=SETTINGS, progress=counting
        )
    return file


def _data_file(out: Path, counts: tuple[int, int, int]) -> Path:
    """A file that is free, or that holds these data; that of an earlier demo stays as it is."""
    names = chain([f"{out.name}-data.h5"], (f"{out.name}-data.{i}.h5" for i in count(1)))
    paths = (out.with_name(name) for name in names)
    return next(path for path in paths if not path.exists() or _holds(path, counts))


def _holds(path: Path, counts: tuple[int, int, int]) -> bool:
    from llt.data import dataset_file
    from llt.errors import DataError
    from llt.solvers.generate import Job, make_settings

    try:
        data = dataset_file.read(path)
    except DataError:
        return False
    job, about = Job.of("darcy", 0, make_settings("darcy", SETTINGS)), data.provenance
    found = about.get("seed"), about.get("settings"), about.get("solver_version")
    sizes = tuple(len(data.splits[name]) for name in ("train", "val", "test"))
    return found == (job.seed, job.settings, job.version) and sizes == counts


def _train(data: Path, out: Path, epochs: int, device: str) -> None:
    from dataclasses import replace

    from llt.cli.display import say, stoppable, training
    from llt.problem import DARCY
    from llt.recipes import recipe_preset
    from llt.training.run import train

    _move_aside(out)
    preset = recipe_preset(RECIPE, DARCY, preset="demo")
    say(f"2/4 training LLT for {epochs} epochs")
    resume = f"go on with: llt train --resume {out}, then llt report {out}"
    with stoppable("the same command goes on", resume), training() as listener:
        train(
            data,
            out,
            model_settings=preset.model,
            config=replace(preset.train, epochs=epochs),
            recipe=RECIPE,
            device=device,
            listener=listener,
        )


def _report(out: Path, device: str) -> Path:
    from llt.cli.display import say
    from llt.cli.evaluate import show, study_resolutions
    from llt.evaluation.kept import keep_evaluation
    from llt.evaluation.metrics import evaluate
    from llt.evaluation.report import write_report
    from llt.runtime.device import find_device

    say("3/4 evaluating on samples it has never seen")
    evaluation = evaluate(out, device=device)
    evaluation.resolutions = study_resolutions(out, [29, 43, 57, 85], 20, device)
    keep_evaluation(out, evaluation)
    show(evaluation)
    return write_report(out, evaluation, str(find_device(device)))


def _move_aside(out: Path) -> None:
    """An earlier demo is kept under another name."""
    if not out.exists():
        return
    number = 1
    while (older := out.with_name(f"{out.name}.{number}")).exists():
        number += 1
    out.rename(older)
