"""Measure, and keep what was measured as records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.cli import contests, curve, load, memory, parallel
from llt.cli.display import show
from llt.cli.options import DEVICE, FORCE, JSON, refuse_existing
from llt.cli.words import counts, example, numbers, words
from llt.errors import ConfigError

if TYPE_CHECKING:
    import torch

    from llt.bench.cost import Protocol, Row

app = typer.Typer(help="Measure models and solvers; records, and the documents made from them.")
REPOSITORY = typer.Option(Path(), "--root", help="The repository.")


def _command(name: str, line: str, words: str) -> Callable[[Callable[..., None]], Any]:
    return app.command(name, short_help=line, epilog=example(words))


@app.callback(invoke_without_command=True)
def _bench(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@_command("cost", "LLT beside Transolver: time and memory.", "llt bench cost --matched --problems")
def cost(
    matched: bool = typer.Option(False, "--matched", help="Same sizes, on growing grids."),
    problems: bool = typer.Option(False, "--problems", help="The problems with their presets."),
    models: bool = typer.Option(False, "--models", help="All at their best: darcy, elasticity."),
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
    authors: Path | None = typer.Option(None, help="A checkout of github.com/thuml/Transolver."),
    jobs: int = typer.Option(1, min=1, help="Compile so many at a time; still time one by one."),
    device: str = DEVICE,
    out: Path = typer.Option(Path("runs/cost"), help="Folder for record.json and the figures."),
    force: bool = FORCE,
    json_: bool = JSON,
) -> None:
    """Time and memory of a training iteration, LLT beside Transolver: the paper's cost study."""
    import json

    if not (matched or problems or models or scaling or roofline):
        raise ConfigError("choose a study: --matched, --problems, --models, --scaling, --roofline")
    from llt.bench.authors import checkout
    from llt.bench.case import (
        MATCHED_SIZES,
        default_problems,
        matched_case,
        models_case,
        problem_case,
    )
    from llt.bench.study import Study
    from llt.bench.tables import cost_report, failures, models_tables, roofline_table
    from llt.cli.display import say

    refuse_existing(out / "record.json", force)
    protocol = _protocol(
        device,
        precision=precision,
        modes=modes,
        warmup=warmup,
        repetitions=repetitions,
        optimizer=optimizer,
        authors=None if authors is None else checkout(authors),
        jobs=jobs,
    )
    grids = [matched_case(number) for number in numbers(sizes) or MATCHED_SIZES]
    if scaling:
        _check_end(max_points, grids[-1].num_points, protocol)
    named = [problem_case(name) for name in words(only) or default_problems(protocol.device)]
    tell = _show_nothing if json_ else show  # --json has standard output for itself
    study = Study(protocol, out, _tell)
    if matched:
        tell(*cost_report(study.matched(grids)))
    if problems:
        tell(*cost_report(study.problems(named)))
    if models:
        rows = study.models([models_case(name) for name in words(only) or ("darcy", "elasticity")])
        tell(*models_tables(rows), *failures(rows))
    if scaling:
        tell(*cost_report(study.scaling(grids[-1].num_points, max_points or None)))
    if roofline:
        tell(*map(roofline_table, study.roofline(grids if sizes else [problem_case("darcy")])))
    say(f"{out}: record.json with all numbers, and the figures")
    if json_:
        print(json.dumps(study.record.to_dict()))


@_command("kernels", "Where a training step spends its time.", "llt bench kernels darcy")
def kernels(
    problem: str = typer.Argument("darcy", help="The problem whose preset is trained."),
    mode: str = typer.Option("", help="eager, graph or compile; default: graph, eager on the CPU."),
    precision: str = typer.Option("", help="As train.precision; default: fp16, fp32 on the CPU."),
    repetitions: int = typer.Option(10, min=1, help="Profiled steps."),
    device: str = DEVICE,
    out: Path = typer.Option(Path("runs/kernels/record.json"), help="The record."),
    force: bool = FORCE,
) -> None:
    """Check LLT's fused kernels, then list what a complete training step spends its time on."""
    from llt.bench.case import problem_case
    from llt.bench.checks import verify_kernels
    from llt.bench.cost import uses_fused
    from llt.bench.profile import profile_step
    from llt.runtime.device import find_device

    refuse_existing(out, force)
    modes = mode or ("graph" if find_device(device).type == "cuda" else "eager")
    settings = {"warmup": 5, "repetitions": repetitions, "optimizer": True}
    protocol = _protocol(device, precision=precision, modes=modes, **settings)
    errors = verify_kernels(protocol) if uses_fused(protocol) else {}
    found = profile_step(problem_case(problem), protocol)
    show(f"{found['way']}: {found['microseconds']:.0f} us in {found['calls']:.0f} calls")
    for name, row in list(found["kernels"].items())[:40]:
        show(f"{row['microseconds']:10.1f} us {row['calls']:8.1f}  {name[:90]}")
    title = f"Kernels of LLT's training step on {problem}"
    results = {"kernel_errors": errors, **found}
    _keep("kernels", title, protocol.device, results, protocol.to_dict(), out)


@_command(
    "prediction",
    "LLT's predictions, up to large meshes.",
    "llt bench prediction --points 65536,1048576",
)
def prediction(
    points: str = typer.Option("65536,1048576", help="Sizes of point sets."),
    grids: str = typer.Option("65536,1048576", help="Sizes of square grids."),
    chunk: int = typer.Option(0, min=0, help="Points computed at a time; 0: predict's own choice."),
    cases: str = typer.Option("darcy=8,elasticity=8", help="Cases predicted in one call."),
    device: str = DEVICE,
    out: Path = typer.Option(Path("runs/prediction/record.json"), help="The record."),
    force: bool = FORCE,
) -> None:
    """Time and memory of LLT predictions: one case and many, and large meshes in chunks."""
    from llt.bench.latency import measure_latency
    from llt.bench.prediction import measure_prediction
    from llt.runtime.device import find_device

    refuse_existing(out, force)
    target = find_device(device)
    results: dict[str, Any] = {}
    for problem, number in counts(cases):
        results[f"{problem}, cases"] = row = measure_latency(problem, number, target)
        _show_row(problem, row)
    for problem, sizes in (("car", points), ("darcy", grids)):
        for number in numbers(sizes):
            row = measure_prediction(problem, number, chunk, target)
            results[f"{problem}, {number} points"] = row
            _show_row(problem, row)
    title = "LLT predictions: one case, many cases, large meshes in chunks"
    _keep("prediction", title, target, results, {"chunk": chunk}, out)


@_command(
    "solvers", "The solvers beside plain alternatives.", "llt bench solvers darcy pipe --samples 5"
)
def solvers(
    problems: list[str] = typer.Argument(
        help="As darcy, elasticity, pipe, airfoil, plasticity, car."
    ),
    samples: int = typer.Option(20, min=1, help="Samples for times and statistics."),
    compared: int = typer.Option(3, min=1, help="Samples for the plain alternative, too."),
    workers: int = typer.Option(1, min=1, help="Also time so many processes against one."),
    batch: int = typer.Option(
        0, min=0, help="Also time so many at once on a GPU, where a solver can."
    ),
    out: Path = typer.Option(Path("runs/solvers/record.json"), help="The record."),
    force: bool = FORCE,
) -> None:
    """Seconds per sample of the reference solvers on one core, beside a plain alternative."""
    from llt.bench.solvers import measure_batch, measure_solver, measure_workers
    from llt.runtime.device import find_device
    from llt.solvers import BATCHED, find_solver

    refuse_existing(out, force)
    for problem in problems:
        find_solver(problem)  # refuse an unknown name before anything is measured
    device = find_device("cuda" if batch else "cpu")
    results: dict[str, Any] = {}
    for problem in problems:
        results[problem] = found = measure_solver(problem, samples=samples, compared=compared)
        beside = found["comparison"]
        show(
            f"{problem}: {beside['ours_s']:.3g} s, {beside['plain']} {beside['plain_s']:.3g} s, "
            f"{beside['speedup']:.1f} times faster, deviation {beside['deviation']:.1g}"
        )
        if workers > 1:
            found["workers"] = measure_workers(problem, workers)
            show(f"{problem}: {workers} workers {found['workers']['speedup']:.1f} times faster")
        if batch and problem in BATCHED:
            found["batch"] = measure_batch(problem, batch, "cuda")
            show(f"{problem}: {batch} samples on a GPU in {found['batch']['seconds']:.3g} s")
    settings = {"samples": samples, "compared": compared}
    _keep("solvers", "Reference solvers beside plain alternatives", device, results, settings, out)


@_command(
    "subgrid", "What Darcy's stored input cannot tell.", "llt bench subgrid darcy.h5 --samples 50"
)
def subgrid(
    data: Path = typer.Argument(help="A file of llt generate darcy."),
    samples: int = typer.Option(200, min=1, help="Of the test split, at most."),
    out: Path = typer.Option(Path("runs/subgrid/record.json"), help="The record."),
    force: bool = FORCE,
) -> None:
    """The error of an exact solve that is told only what a model is told: every k-th point."""
    from llt.bench.subgrid import subgrid_errors
    from llt.data import dataset_file
    from llt.runtime.device import find_device

    refuse_existing(out, force)
    found = dataset_file.read(data)
    indices = found.split("test")[:samples]
    errors = subgrid_errors(found, indices)
    show(f"{len(errors)} samples: mean {errors.mean():.5f}, worst {errors.max():.5f}")
    results = {"relative_l2": float(errors.mean()), "per_sample": errors.tolist()}
    about = {"hash": found.hash, "indices": indices.tolist()}
    title = "Darcy solved with interfaces guessed from the stored points"
    _keep("solvers", title, find_device("cpu"), results, {"samples": samples}, out, about)


@_command("trust", "Whether error bars hold.", "llt bench trust pretrained:darcy=darcy.h5")
def trust(
    pairs: list[str] = typer.Argument(help="Weights and data they were not trained on: RUN=FILE."),
    splits: int = typer.Option(20, min=1, help="Times that validation and test are dealt out."),
    device: str = DEVICE,
    out: Path = typer.Option(Path("runs/trust/record.json"), help="The record."),
    force: bool = FORCE,
) -> None:
    """Shares of points and cases within 90 % bars, over random splits of validation and test."""
    from llt.bench.trust import measure_coverage
    from llt.evaluation.metrics import open_data
    from llt.runtime.device import find_device
    from llt.surrogate import load

    refuse_existing(out, force)
    results: dict[str, Any] = {}
    about: dict[str, Any] = {}
    for pair in pairs:
        run, _, file = pair.rpartition("=")
        if not run:
            raise ConfigError(f"{pair}: expected RUN=FILE, as pretrained:darcy=darcy.h5")
        surrogate = load(run, find_device(device))
        data = open_data(Path(run), surrogate, Path(file))
        results[run] = found = measure_coverage(surrogate, data, splits=splits)
        about[run] = {"hash": data.hash, "provenance": data.provenance}
        points = ", ".join(f"{name} {row['mean']:.3f}" for name, row in found["points"].items())
        show(f"{run}: of points {points}; of cases {found['cases']['mean']:.3f}")
    title = f"Coverage of 90 % error bars, mean over {splits} splits of validation and test"
    _keep("trust", title, find_device(device), results, {"splits": splits}, out, about)


_command("accuracy", "All models on all problems.", "llt bench accuracy study.toml --jobs 3")(
    contests.accuracy
)
_command("race", "Training to an error: who is first.", "llt bench race darcy.h5 --to 0.0044")(
    contests.race
)
_command("small", "Few samples, minutes on the CPU.", "llt bench small darcy.h5 --samples 20,100")(
    contests.small
)
_command("data", "What more data would bring.", "llt bench data mine.h5 --steps 2000")(curve.data)
_command("serve", "The service under load.", "llt bench serve pretrained:darcy --clients 8")(
    load.serve
)
_command("parallel", "Steps of several processes.", "llt bench parallel --processes 1,2")(
    parallel.parallel
)
_command("memory", "What saves memory in training.", "llt bench memory --points 20000")(
    memory.memory
)


@_command(
    "record",
    "Keep a training as a record.",
    'llt bench record runs/darcy -o darcy.json --title "Darcy" --command "llt train darcy.h5"',
)
def record(
    run: Path = typer.Argument(help="A run folder that has been evaluated."),
    out: Path = typer.Option(..., "-o", "--out", help="As benchmarks/studies/accuracy/NAME.json."),
    title: str = typer.Option(..., help="What was trained, in one line."),
    command: str = typer.Option(..., help="How the run was made, as 'llt train ...'."),
    force: bool = FORCE,
) -> None:
    """Keep a training as a record: settings, data, curve, errors."""
    from llt.bench.record import record_run, write_record
    from llt.cli.display import say

    refuse_existing(out, force)
    found = record_run(run, title, command)
    write_record(out, found)
    errors = found.results["evaluation"]
    say(f"{out}: {errors['split']} relative L2 {errors['relative_l2']:.5f}")


@_command("index", "Write the list of all records.", "llt bench index")
def index(root: Path = REPOSITORY) -> None:
    """Write benchmarks/README.md, the list of all records."""
    from llt.bench.documents import write_index
    from llt.bench.record import read_records
    from llt.cli.display import say

    say(f"{write_index(root, read_records(root / 'benchmarks'))}: written")


@_command("tables", "Write the tables and figures of README and docs.", "llt bench tables")
def tables(root: Path = REPOSITORY) -> None:
    """Write the tables in README and docs, and the accuracy study's figures, from the records."""
    from llt.bench.accuracy_figures import write_figures
    from llt.bench.documents import write_tables
    from llt.bench.record import read_records
    from llt.cli.display import say

    records = read_records(root / "benchmarks")
    for path in (*write_tables(root, records), *write_figures(root, records)):
        say(f"{path}: changed")


def _keep(
    study: str,
    title: str,
    device: torch.device,
    results: Any,
    settings: Any,
    out: Path,
    data: Any = None,
) -> None:
    from dataclasses import replace

    from llt.bench.record import new_record, write_record
    from llt.cli.display import say

    record = new_record(study, title, device, results, settings)
    write_record(out, replace(record, data=data or record.data))
    say(f"{out}: the record")


def _protocol(device: str, *, precision: str, modes: str, **settings: Any) -> Protocol:
    from llt.bench.cost import MODES, Protocol
    from llt.runtime.device import find_device

    target = find_device(device)
    cuda = target.type == "cuda"
    return Protocol(
        device=target,
        precision=precision or ("fp16" if cuda else "fp32"),
        modes=words(modes) or (MODES if cuda else ("eager",)),
        **settings,
    )


def _check_end(max_points: int, start: int, protocol: Protocol) -> None:
    if max_points and max_points < start:
        raise ConfigError(f"--max-points {max_points} is below the first of --scaling, {start}")
    if not max_points and protocol.device.type != "cuda":
        raise ConfigError("--scaling on the CPU needs --max-points: main memory has no clean end")


def _show_nothing(*_: Any) -> None:
    pass


def _tell(row: Row) -> None:
    from llt.cli.display import say

    say(f"{row.case}, {row.model} {row.way}: {row.reason or f'{row.ms:,.2f} ms'}")


def _show_row(problem: str, row: dict[str, float | None]) -> None:
    shown = (f"{name} {value:.3g}" for name, value in row.items() if value is not None)
    show(f"{problem}: {', '.join(shown)}")
