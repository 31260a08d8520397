"""Evaluate a run on held-out samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.errors import ConfigError

if TYPE_CHECKING:
    from llt.data.dataset import Dataset
    from llt.evaluation.metrics import Evaluation


def run(
    run: Path = typer.Argument(..., help="A run folder, a checkpoint or pretrained:NAME."),
    split: str = typer.Option("test", help="train, val or test."),
    data: Path | None = typer.Option(None, help="Another dataset file of the same problem."),
    resolutions: str = typer.Option("", help="Also ask at these, as 61,141,211 or 221x51."),
    samples: int = typer.Option(
        50, help="Samples solved again for --resolutions that the file does not hold."
    ),
    symmetrize: bool | None = typer.Option(
        None,
        help="Also the error averaged over the problem's G symmetries, at G times the cost; "
        "by default where it declares them.",
        show_default=False,
    ),
    device: str = typer.Option("auto", help="auto, cpu or cuda."),
    json_: bool = typer.Option(False, "--json", help="One JSON object on standard output."),
) -> None:
    """Evaluate a run: relative L2 error per sample, timing, other resolutions."""
    import json

    from llt.evaluation.metrics import evaluate

    evaluation = evaluate(run, split=split, device=device, data_path=data, symmetrize=symmetrize)
    if resolutions:
        numbers = parse_resolutions(resolutions)
        evaluation.resolutions = study_resolutions(run, numbers, samples, device, data)
    if split == "test" and data is None and (run / "config.toml").is_file():
        from llt.runtime.files import write_json

        write_json(run / "evaluation.json", evaluation.to_dict())
    if json_:
        print(json.dumps(evaluation.to_dict()))
    else:
        show(evaluation)


def parse_resolutions(text: str) -> list[int | tuple[int, ...]]:
    """61,106 or, on grids that are not square, 221x51,111x26."""
    try:
        sides = [tuple(map(int, part.split("x"))) for part in text.split(",")]
    except ValueError:
        raise ConfigError(
            f"--resolutions {text}: expected numbers as in 61,141,211, or grids as in 221x51,111x26"
        ) from None
    return [side[0] if len(side) == 1 else side for side in sides]


def study_resolutions(
    run: Path,
    resolutions: Sequence[int | tuple[int, ...]],
    samples: int,
    device: str,
    data_path: Path | None = None,
) -> list[dict[str, Any]]:
    """Errors at every resolution, of the file's test samples or of some solved again."""
    from llt.evaluation.metrics import open_data
    from llt.evaluation.resolution import asked_grids, errors_by_resolution, holds
    from llt.runtime.device import find_device
    from llt.surrogate import load

    surrogate = load(run, find_device(device))
    data = open_data(run, surrogate, data_path)
    data = data.finer or data
    grids = asked_grids(data.problem, resolutions)
    if holds(data.problem.grid or (), grids):
        return errors_by_resolution(surrogate, data, grids)
    return errors_by_resolution(surrogate, _solve_again(data, grids, samples), grids)


def _solve_again(data: Dataset, grids: Sequence[tuple[int, ...]], samples: int) -> Dataset:
    from llt.cli.display import counting
    from llt.evaluation.resolution import resolution_job, solved
    from llt.solvers.generate import Job, solve_one

    settings, about = resolution_job(data, grids), data.provenance
    job = Job(about["solver"], about["seed"], settings, about["solver_version"])
    solutions = []
    indices = data.split("test")[:samples]
    with counting("solving test samples at full resolution", len(indices)) as advance:
        for index in indices:
            solutions.append(solve_one(job, int(index)))
            advance()
    return solved(data.problem, solutions)


def show(evaluation: Evaluation) -> None:
    from llt.evaluation.resolution import grid_name

    print(f"{evaluation.run}: {evaluation.split} split, {len(evaluation.per_sample)} samples")
    print(f"  relative L2 error  {evaluation.relative_l2:.5f}  (mean)")
    print(f"  median, worst      {evaluation.median:.5f}, {evaluation.worst:.5f}")
    if len(evaluation.fields) > 1:
        for name, errors in evaluation.fields.items():
            numbers = f"{errors['relative_l2']:.5f}  (worst {errors['worst']:.5f})"
            print(f"    {name}".ljust(20), numbers)
    if evaluation.symmetrized:
        found = evaluation.symmetrized
        cost = f"{found.symmetries} symmetries, {found.seconds_per_sample * 1e3:.1f} ms"
        print(f"  symmetrized        {found.relative_l2:.5f}  (mean; {cost})")
    ratio = evaluation.mean_field_error / evaluation.relative_l2
    print(f"  mean-field guess   {evaluation.mean_field_error:.5f}  ({ratio:.1f} times larger)")
    one, many = evaluation.seconds_per_sample, evaluation.seconds_per_sample_batched
    times = f"{one * 1e3:.1f} ms, {many * 1e3:.2f} ms in batches"
    print(f"  one prediction     {times} ({evaluation.device})")
    if evaluation.solve_seconds:
        solve, where = evaluation.solve_seconds, evaluation.solve_device
        print(f"  one solve          {solve * 1e3:.1f} ms ({where}, mean over the dataset)")
    if evaluation.resolutions:
        print(f"  {'grid':<14}{'error':>9}  {'resampled':>9}  {'interpolation':>13}  samples")
    for row in evaluation.resolutions:
        floors = f"{_number(row, 'resampled'):>9}  {_number(row, 'interpolation'):>13}"
        error = f"{row['relative_l2']:>9.5f}"
        print(f"  {grid_name(row):<14}{error}  {floors}  {row['samples']:>7}")


def _number(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)  # older evaluations have no floors
    return "-" if value is None else f"{value:.5f}"
