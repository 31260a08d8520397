"""Progress of long work: a bar on a terminal, plain lines elsewhere; always on standard error.

Results go to standard output.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from llt.training.loop import Tick


class Advance(Protocol):
    def __call__(self) -> None: ...


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def show(*parts: Any) -> None:
    """Results, tables and lines, on standard output."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 120  # a pipe would get 80 columns and cut the tables
    for part in parts:
        console.print(part)


@contextmanager
def stoppable(again: str, resume: str = "") -> Iterator[None]:
    """A command that is stopped says in one line how to go on.

    Args:
        resume: the same where a training has saved its state, if it is not the same.
    """
    import typer

    from llt.training.loop import Interrupted

    try:
        yield
    except KeyboardInterrupt:
        say(f"stopped; {again}")
        raise typer.Exit(130) from None
    except Interrupted as stop:
        say(f"stopped by {stop}; {resume or again}")
        raise typer.Exit(128 + stop.signum) from None


@contextmanager
def counting(label: str, total: int) -> Iterator[Advance]:
    """Count finished pieces of work."""
    if sys.stderr.isatty():
        with _bar() as bar:
            task = bar.add_task(label, total=total, note="")
            yield lambda: bar.advance(task)
        return
    start, done, told = time.monotonic(), 0, time.monotonic()

    def advance() -> None:
        nonlocal done, told
        done += 1
        now = time.monotonic()
        if done == total or now - told > 10:
            told = now
            left = (now - start) / done * (total - done)
            say(f"{label}: {done}/{total}, {duration(now - start)}, {duration(left)} left")

    yield advance


@contextmanager
def training() -> Iterator[Any]:
    """A listener for `llt.training`: steps, loss, validation error, time left."""
    if sys.stderr.isatty():
        with _bar() as bar:
            task = bar.add_task("training", total=None, note="")

            def show(tick: Tick) -> None:
                done = tick.epoch * tick.steps_per_epoch + tick.position
                bar.update(task, completed=done, total=tick.epochs * tick.steps_per_epoch)
                if tick.note:
                    bar.console.print(tick.note, highlight=False, markup=False)
                if tick.metrics:
                    bar.update(task, note=_metrics(tick))

            yield show
        return
    start = heard = time.monotonic()
    told = 0.0  # when an epoch was, and `heard` when anything was
    first: int | None = None  # epochs done before this attempt

    def tell(tick: Tick) -> None:
        nonlocal told, heard, first
        if tick.note:
            say(tick.note)
        now = time.monotonic()
        if not tick.metrics:
            if now - heard > 30:  # epochs may take long
                heard = now
                step = f"step {tick.position} of {tick.steps_per_epoch}"
                say(f"epoch {tick.epoch + 1}/{tick.epochs}: {step}")
            return
        first = tick.epoch - 1 if first is None else first
        if tick.epoch == tick.epochs or now - told > 5:
            told = heard = now
            left = (now - start) / max(tick.epoch - first, 1) * (tick.epochs - tick.epoch)
            say(f"{_metrics(tick)}, {duration(left)} left")

    yield tell


def _metrics(tick: Tick) -> str:
    assert tick.metrics is not None
    return (
        f"epoch {tick.epoch}/{tick.epochs}: loss {tick.metrics['train_loss']:.4f}, "
        f"validation error {tick.metrics['val_error']:.4f}"
    )


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True),
    )


def duration(value: float) -> str:
    if value < 60:
        return f"{value:.0f} s"
    if value < 3600:
        return f"{value // 60:.0f} min {value % 60:.0f} s"
    return f"{value // 3600:.0f} h {value % 3600 // 60:.0f} min"
