"""`llt bench data`: what more data would bring."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from llt.choice import Choice
from llt.cli.options import DEVICE, JSON


def data(
    file: Path = typer.Argument(metavar="FILE", help="A dataset file."),
    steps: int = typer.Option(0, min=0, help="Of each training; default: the recipe's."),
    model: str | None = typer.Option(None, help="Which model.  [default: llt]"),
    recipe: str | None = typer.Option(None, help="best or paper.  [default: best]"),
    preset: str | None = typer.Option(None, help="Sizes by name, see llt recipes."),
    set_: list[str] = typer.Option([], "--set", help="A setting, as for llt train."),
    device: str = DEVICE,
    out: Path | None = typer.Option(None, help="Folder for record, figure and runs."),
    json_: bool = JSON,
) -> None:
    """Train on a quarter, a half and all cases: what would twice as many bring?

    The same command goes on with a curve that was stopped.
    """
    from llt.bench.contender import Contender
    from llt.bench.curve import learning_curve
    from llt.bench.curve_report import curve_rows, promise
    from llt.bench.tables import plain_table
    from llt.choice import model_of
    from llt.cli.display import say, show, stoppable
    from llt.cli.train import resolve

    words = [*set_, *([f"train.steps={steps}"] if steps else [])]
    choice = Choice(model, recipe, preset, words=words)
    chosen, settings, config = resolve(file, choice, device)
    name, out = model_of(choice), out or Path("runs") / f"{file.stem}-curve"
    entry = Contender(
        name=name, title=name, model=name, settings=settings, train=config, recipe=chosen
    )
    with stoppable("the same command goes on"):
        record = learning_curve(file, entry, out, device=device, progress=_training)
    if json_:
        print(json.dumps(record.to_dict()))
    else:
        show(plain_table(record.title, *curve_rows(record.results)), promise(record.results))
    say(f"{out}: record.json with all numbers, curve.png, and the run folders")


@contextmanager
def _training(cases: int, steps: int) -> Iterator[Any]:
    from llt.cli.display import say, training

    say(f"{cases} cases, {steps:,} steps")
    with training() as listener:
        yield listener
