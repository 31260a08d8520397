"""The `llt` command: one module per subcommand.

Modules here import only what `--help` needs; torch and the rest load when a command runs.
User errors are one line on standard error. Exit codes: 0 done, 1 failed, 2 bad input.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import typer

from llt.cli import (
    bench,
    demo,
    doctor,
    evaluate,
    export,
    generate,
    inspect,
    join,
    models,
    pack,
    predict,
    prepare,
    published,
    recipes,
    report,
    serve,
    train,
    view,
)
from llt.cli.words import example
from llt.errors import LltError

# click's base class of usage errors; recent versions of typer carry their own copy of click
UsageError: type[Any] = next(
    c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException"
)

# of every command: its function, one line for the list of all, and an example
COMMANDS: dict[str, tuple[Callable[..., None], str, str]] = {
    "demo": (demo.run, "From nothing to a trained surrogate and its report.", "llt demo"),
    "generate": (
        generate.run,
        "Make a dataset with a reference solver.",
        "llt generate darcy -o darcy.h5 --num 1000,200,200",
    ),
    "join": (
        join.run,
        "Join the parts that a job array generated.",
        "llt join darcy.h5.part-* -o darcy.h5",
    ),
    "import": (
        published.run,
        "Make a dataset from published benchmark files.",
        "llt import darcy downloads/darcy -o darcy.h5",
    ),
    "prepare": (
        prepare.run,
        "Make a dataset from your own results.",
        "llt prepare results -o mine.h5 --inputs k --outputs T,q --params params.csv",
    ),
    "inspect": (
        inspect.run,
        "Show what data, a run or a folder holds.",
        "llt inspect darcy.h5",
    ),
    "train": (
        train.run,
        "Train a model on a dataset into a run folder.",
        "llt train darcy.h5 --out runs/darcy --set train.epochs=100",
    ),
    "evaluate": (
        evaluate.run,
        "Errors of a run on samples it has never seen.",
        "llt evaluate runs/darcy --resolutions 61,141",
    ),
    "report": (report.run, "Pictures, errors, curves in one page.", "llt report runs/darcy"),
    "view": (
        view.run,
        "Look at cases in the browser; change live problems.",
        "llt view runs/darcy",
    ),
    "predict": (
        predict.run,
        "Input fields in, output fields out; your own mesh back.",
        "llt predict runs/mine new.vtu -o out.vtu --param speed=12.5",
    ),
    "pack": (
        pack.run,
        "Make small weights of a run, with a card.",
        "llt pack runs/darcy -o weights/darcy",
    ),
    "export": (
        export.run,
        "Write a run as a file that runs without llt.",
        "llt export runs/darcy -o darcy.onnx",
    ),
    "serve": (
        serve.run,
        "Answer requests over HTTP.",
        "llt serve runs/darcy runs/pipe --port 8000",
    ),
    "models": (models.run, "List the models; say all of one.", "llt models transolver"),
    "recipes": (recipes.run, "List the recipes and the presets.", "llt recipes"),
    "doctor": (doctor.run, "Check that all works on this machine.", "llt doctor"),
}

BEGIN = """\b
Begin here:
  llt demo                    see it work, in minutes on a CPU
  llt train FILE --show       all settings of a training, its size, time and memory
  llt COMMAND -h              what a command takes, with an example
  llt --install-completion    let the shell complete commands and options
"""

app = typer.Typer(
    name="llt",
    help="Neural surrogates for PDEs on any mesh: generate or import data, train, predict.",
    epilog=BEGIN,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, (_run, _line, _example) in COMMANDS.items():
    app.command(_name, short_help=_line, epilog=example(_example))(_run)
app.add_typer(bench.app, name="bench", short_help="Measure models and solvers.")


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    if version:
        from llt import __version__

        print(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(argv: list[str] | None = None) -> int:
    """Run the command and give its exit code."""
    before, warnings.formatwarning = warnings.formatwarning, _one_line
    try:
        return app(argv, standalone_mode=False) or 0
    except typer.Exit as stop:
        return stop.exit_code
    except UsageError as error:
        return _fail(error.format_message(), 2, _speaks(argv))
    except LltError as error:
        heard = _speaks(argv) if error.heard is None else error.heard
        return _fail(str(error), error.exit_code, heard)
    except (typer.Abort, KeyboardInterrupt):
        return _fail("interrupted", 130, _speaks(argv))
    except BrokenPipeError:
        return 1
    except OSError as error:
        # a disk that is full or a folder that cannot be written: what was there stays intact
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", 1)
    finally:
        warnings.formatwarning = before


def _speaks(argv: list[str] | None) -> bool:
    """Of several processes that train together, the first one speaks for all."""
    from llt.runtime.place import find_place

    if (sys.argv[1:] if argv is None else argv)[:1] != ["train"]:
        return True
    try:
        place = find_place()
    except LltError:
        return True
    return place is None or place.rank == 0


def _one_line(message: Warning | str, *about: Any, **named: Any) -> str:
    """A warning as a person reads it, without the place in the code."""
    return f"llt: {' '.join(str(message).split())}\n"


def _fail(message: str, code: int, heard: bool = True) -> int:
    if heard:
        print(f"llt: {' '.join(message.split())}", file=sys.stderr)
    return code
