"""Measure, and keep what was measured as records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.errors import ConfigError

if TYPE_CHECKING:
    from llt.bench.cost import Protocol, Row

app = typer.Typer(help="Measure models and solvers; records, and the documents made from them.")
REPOSITORY = typer.Option(Path(), "--root", help="The repository.")


@app.command("cost")
def cost(
    matched: bool = typer.Option(False, "--matched", help="Same sizes, on growing grids."),
    problems: bool = typer.Option(False, "--problems", help="The problems with their presets."),
    scaling: bool = typer.Option(False, "--scaling", help="Twice the points until memory ends."),
    roofline: bool = typer.Option(False, "--roofline", help="Parts of LLT against the hardware."),
    sizes: str = typer.Option("", help="Points of the grids, as 1024,2048; default: the paper's."),
    only: str = typer.Option("", help="Some problems, as darcy,pipe; default: the paper's."),
    max_points: int = typer.Option(0, help="Where --scaling ends at the latest."),
    modes: str = typer.Option("", help="Of eager,graph,compile; default: all, eager on the CPU."),
    precision: str = typer.Option("", help="As train.precision; default: fp16, fp32 on the CPU."),
    optimizer: bool = typer.Option(False, "--optimizer", help="Time the update too."),
    warmup: int = typer.Option(10, min=0, help="Iterations before timing."),
    repetitions: int = typer.Option(30, min=1, help="Timed iterations; the median counts."),
    device: str = typer.Option("auto", help="auto, cpu or cuda."),
    out: Path = typer.Option(Path("runs/cost"), help="Folder for record.json and the figures."),
    json_: bool = typer.Option(False, "--json", help="One JSON object on standard output."),
) -> None:
    """Time and memory of a training iteration, LLT beside Transolver: the paper's cost study."""
    import json

    if not (matched or problems or scaling or roofline):
        raise ConfigError("choose a study: --matched, --problems, --scaling or --roofline")
    from llt.bench.case import MATCHED_SIZES, PAPER_PROBLEMS, matched_case, problem_case
    from llt.bench.study import Study
    from llt.bench.tables import cost_report, roofline_table
    from llt.cli.display import say

    protocol = _protocol(
        device,
        precision=precision,
        modes=modes,
        warmup=warmup,
        repetitions=repetitions,
        optimizer=optimizer,
    )
    grids = [matched_case(number) for number in _numbers(sizes) or MATCHED_SIZES]
    if scaling:
        _check_end(max_points, grids[-1].num_points, protocol)
    named = [problem_case(name) for name in _words(only) or PAPER_PROBLEMS]
    show = _show_nothing if json_ else _show  # --json has standard output for itself
    study = Study(protocol, out, _tell)
    if matched:
        show(*cost_report(study.matched(grids)))
    if problems:
        show(*cost_report(study.problems(named)))
    if scaling:
        show(*cost_report(study.scaling(grids[-1].num_points, max_points or None)))
    if roofline:
        show(*map(roofline_table, study.roofline(grids if sizes else [problem_case("darcy")])))
    say(f"{out}: record.json with all numbers, and the figures")
    if json_:
        print(json.dumps(study.record.to_dict()))


@app.command("record")
def record(
    run: Path = typer.Argument(help="A run folder that has been evaluated."),
    out: Path = typer.Option(..., "-o", "--out", help="As benchmarks/studies/accuracy/NAME.json."),
    title: str = typer.Option(..., help="What was trained, in one line."),
    command: str = typer.Option(..., help="How the run was made, as 'llt train ...'."),
) -> None:
    """Keep a training as a record: settings, data, curve, errors."""
    from llt.bench.record import record_run, write_record
    from llt.cli.display import say

    found = record_run(run, title, command)
    write_record(out, found)
    errors = found.results["evaluation"]
    say(f"{out}: {errors['split']} relative L2 {errors['relative_l2']:.5f}")


@app.command("index")
def index(root: Path = REPOSITORY) -> None:
    """Write benchmarks/README.md, the list of all records."""
    from llt.bench.documents import write_index
    from llt.bench.record import read_records
    from llt.cli.display import say

    say(f"{write_index(root, read_records(root / 'benchmarks'))}: written")


@app.command("tables")
def tables(root: Path = REPOSITORY) -> None:
    """Write the tables in README and docs anew from the records."""
    from llt.bench.documents import write_tables
    from llt.bench.record import read_records
    from llt.cli.display import say

    for path in write_tables(root, read_records(root / "benchmarks")):
        say(f"{path}: changed")


def _protocol(device: str, *, precision: str, modes: str, **settings: Any) -> Protocol:
    from llt.bench.cost import MODES, Protocol
    from llt.runtime.device import find_device

    target = find_device(device)
    cuda = target.type == "cuda"
    return Protocol(
        device=target,
        precision=precision or ("fp16" if cuda else "fp32"),
        modes=_words(modes) or (MODES if cuda else ("eager",)),
        **settings,
    )


def _check_end(max_points: int, start: int, protocol: Protocol) -> None:
    if max_points and max_points < start:
        raise ConfigError(f"--max-points {max_points} is below the first of --scaling, {start}")
    if not max_points and protocol.device.type != "cuda":
        raise ConfigError("--scaling on the CPU needs --max-points: main memory has no clean end")


def _show(*parts: Any) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = 120  # a pipe would get 80 columns and cut the tables
    for part in parts:
        console.print(part)


def _show_nothing(*_: Any) -> None:
    pass


def _tell(row: Row) -> None:
    from llt.cli.display import say

    say(f"{row.case}, {row.model} {row.way}: {row.reason or f'{row.ms:,.2f} ms'}")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _numbers(text: str) -> list[int]:
    try:
        return sorted(int(word) for word in _words(text))
    except ValueError:
        raise ConfigError(f"--sizes {text}: expected numbers as in 1024,2048") from None
