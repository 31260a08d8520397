"""The `llt` command: one module per subcommand.

Modules here import only what `--help` needs; torch and the rest load when a command runs.
User errors are one line on standard error. Exit codes: 0 done, 1 failed, 2 bad input.
"""

from __future__ import annotations

import sys
from typing import Any

import typer

from llt.cli import (
    bench,
    demo,
    doctor,
    evaluate,
    generate,
    inspect,
    models,
    pack,
    predict,
    published,
    report,
    train,
)
from llt.errors import LltError

# click's base class of usage errors; recent versions of typer carry their own copy of click
UsageError: type[Any] = next(
    c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException"
)

app = typer.Typer(
    name="llt",
    help="Neural surrogates for PDEs on any mesh: generate or import data, train, predict.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("demo")(demo.run)
app.command("generate")(generate.run)
app.command("import")(published.run)
app.command("inspect")(inspect.run)
app.command("train")(train.run)
app.command("evaluate")(evaluate.run)
app.command("report")(report.run)
app.command("predict")(predict.run)
app.command("pack")(pack.run)
app.command("models")(models.run)
app.add_typer(bench.app, name="bench")
app.command("doctor")(doctor.run)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    if version:
        from llt import __version__

        print(__version__)
        raise typer.Exit


def main(argv: list[str] | None = None) -> int:
    """Run the command and give its exit code."""
    try:
        return app(argv, standalone_mode=False) or 0
    except typer.Exit as stop:
        return stop.exit_code
    except UsageError as error:
        return _fail(error.format_message(), 2)
    except LltError as error:
        return _fail(str(error), error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return _fail("interrupted", 130)
    except BrokenPipeError:
        return 1
    except OSError as error:
        # a disk that is full or a folder that cannot be written: what was there stays intact
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", 1)


def _fail(message: str, code: int) -> int:
    print(f"llt: {' '.join(message.split())}", file=sys.stderr)
    return code
