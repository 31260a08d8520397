"""Evaluate a run on held-out samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.cli.options import DEVICE, JSON, RUN
from llt.errors import ConfigError

if TYPE_CHECKING:
    from rich.text import Text

    from llt.data.dataset import Dataset
    from llt.evaluation.metrics import Evaluation

WORST = 5  # samples that are named


def run(
    run: Path = RUN,
    split: str = typer.Option("test", help="train, val or test."),
    data: Path | None = typer.Option(None, help="Another dataset file of the same problem."),
    resolutions: str = typer.Option("", help="Also ask at these, as 61,141,211 or 221x51."),
    samples: int = typer.Option(
        50, min=1, help="Samples solved again for --resolutions that the file does not hold."
    ),
    symmetrize: bool | None = typer.Option(
        None,
        help="Also the error averaged over the problem's G symmetries, at G times the cost; "
        "by default where it declares them.",
        show_default=False,
    ),
    device: str = DEVICE,
    json_: bool = JSON,
) -> None:
    """Evaluate a run: errors by field, sample and time, timing, other resolutions."""
    import json

    from llt.evaluation.metrics import evaluate

    evaluation = evaluate(run, split=split, device=device, data_path=data, symmetrize=symmetrize)
    if resolutions:
        numbers = parse_resolutions(resolutions)
        evaluation.resolutions = study_resolutions(run, numbers, samples, device, data)
    if json_:
        print(json.dumps(evaluation.to_dict()))
    else:
        show(evaluation)
    if split == "test" and data is None and (run / "config.toml").is_file():
        _keep(run, evaluation)


def _keep(run: Path, evaluation: Evaluation) -> None:
    """For `report` and `pack`; a run that cannot be written was evaluated all the same."""
    import warnings

    from llt.evaluation.kept import keep_evaluation

    try:
        keep_evaluation(run, evaluation)
    except OSError as error:
        warnings.warn(
            f"{error.filename}: {error.strerror}; the numbers above are not kept", stacklevel=2
        )


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
    if surrogate.frames is not None:
        raise ConfigError(
            "--resolutions: a model of steps from frame to frame has its own grid; leave it out"
        )
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
    """A verdict first, then the numbers behind it; what is worse than the mean field in red."""
    from rich.text import Text

    from llt.cli import display
    from llt.evaluation.verdict import MEANING, TOGETHER, by_field, verdict

    found = verdict(evaluation)
    lines = [
        f"{evaluation.run}: {evaluation.split} split, {len(evaluation.per_sample)} samples",
        Text(found.text, style="bold red" if found.bad else "bold"),
        MEANING + (f" {TOGETHER}" if by_field(evaluation) else ""),
        "",
        *_errors(evaluation),
        *_steps(evaluation),
        *_derived(evaluation),
        *_times(evaluation),
        *_worst(evaluation),
        *_trust(evaluation),
        *_seconds(evaluation),
        *_resolutions(evaluation),
    ]
    display.show(*lines)


def _errors(evaluation: Evaluation) -> Iterator[Text]:
    """A table: relative L2 errors of each field, in their mean, and of all fields together."""
    from rich.text import Text

    from llt.evaluation.verdict import by_field, is_worse, mean_over_fields, with_vectors

    keys = ("relative_l2", "median", "worst", "mean_field_error")
    whole = {name: getattr(evaluation, name) for name in keys}
    rows: dict[str, Mapping[str, Any]] = {**with_vectors(evaluation.fields, evaluation.vectors)}
    if means := mean_over_fields(by_field(evaluation)):
        rows["mean over fields"] = dict(zip((keys[0], keys[-1]), means, strict=True))
    rows["all fields"] = whole
    if len(evaluation.fields) < 2:
        rows = {next(iter(evaluation.fields), "all fields"): whole}
    if evaluation.symmetrized:
        rows["symmetrized"] = {**whole, **vars(evaluation.symmetrized)}
    cells = [[name, *(_number(row, key) for key in keys)] for name, row in rows.items()]
    head, *lines = _aligned([["relative L2", "mean", "median", "worst", "mean field"], *cells])
    yield Text(head)
    for line, row in zip(lines, rows.values(), strict=True):
        bad = is_worse(row["relative_l2"], row.get("mean_field_error"))
        yield Text(line + "  worse than that" * bad, style="red" if bad else "")


def _steps(evaluation: Evaluation) -> Iterator[str]:
    """What the errors above are of, and what one step is off by."""
    from llt.evaluation.verdict import about_steps

    if evaluation.steps:
        yield from ("", f"  {about_steps(evaluation)}")


def _derived(evaluation: Evaluation) -> Iterator[str]:
    """How far the numbers of a case are off, and whether they rank the cases."""
    if not evaluation.derived:
        return
    keys = ("relative_error", "mean_number_error", "rank_correlation")
    rows = [["derived number", "error", "mean of train", "rank correlation"]]
    rows += [[name, *(_number(row, k) for k in keys)] for name, row in evaluation.derived.items()]
    yield from ("", *_aligned(rows))


def _times(evaluation: Evaluation) -> Iterator[str]:
    """Errors at every time, of every field and vector."""
    from llt.evaluation.verdict import STEPS, at_time

    if not evaluation.times:
        return
    names = [*at_time(evaluation.times[0])]
    names = names if len(names) > 1 else []
    steps = [*STEPS] if evaluation.steps else []
    rows = [["at time", "all fields" if names else "error", *names, *steps, "mean field"]]
    for row in evaluation.times:
        found = at_time(row)
        fields = [found[name] for name in names] + [row[STEPS[name]] for name in steps]
        numbers = (row["relative_l2"], *fields, row["mean_field_error"])
        rows.append([f"{row['t']:.6g}", *(f"{number:.5f}" for number in numbers)])
    yield from ("", *_aligned(rows))


def _worst(evaluation: Evaluation) -> Iterator[str]:
    """The samples one would look at first, with the errors of their fields."""
    fields = evaluation.field_errors if len(evaluation.field_errors) > 1 else {}
    rows = [["worst samples", "all fields" if fields else "error", *fields]]
    for place in evaluation.worst_first[:WORST]:
        errors = (evaluation.per_sample[place], *(column[place] for column in fields.values()))
        rows.append([str(evaluation.indices[place]), *(f"{error:.5f}" for error in errors)])
    yield from ("", *_aligned(rows), "")


def _trust(evaluation: Evaluation) -> Iterator[str]:
    """Error bars and whether they hold, unfamiliar cases, where errors are largest."""
    from llt.evaluation.trust_words import claims, outcome

    trusted = evaluation.trust
    if trusted is not None:
        lines = [*claims(trusted), *outcome(trusted, evaluation.split, evaluation.indices)]
        yield from (*(f"  {line}" for line in lines), "")


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table: names to the left, numbers to the right."""
    first = max(16, *(len(row[0]) for row in rows))
    widths = [max(9, *map(len, column)) for column in list(zip(*rows, strict=True))[1:]]
    return [
        f"  {row[0]:<{first}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths, strict=True))
        for row in rows
    ]


def _seconds(evaluation: Evaluation) -> Iterator[str]:
    one, many = evaluation.seconds_per_sample, evaluation.seconds_per_sample_batched
    times = f"{one * 1e3:.1f} ms, {many * 1e3:.2f} ms in batches"
    what = "one prediction" if not evaluation.times else "one time predicted"
    yield f"  {what:<18} {times} ({evaluation.device})"
    if evaluation.symmetrized:
        found = evaluation.symmetrized
        cost = f"{found.seconds_per_sample * 1e3:.1f} ms, mean over {found.symmetries} symmetries"
        yield f"  symmetrized        {cost}"
    if evaluation.solve_seconds:
        solve, where = evaluation.solve_seconds, evaluation.solve_device
        yield f"  one solve          {solve * 1e3:.1f} ms ({where}, mean over the dataset)"


def _resolutions(evaluation: Evaluation) -> Iterator[str]:
    from llt.evaluation.resolution import grid_name

    if evaluation.resolutions:
        yield f"\n  {'grid':<14}{'error':>9}  {'resampled':>9}  {'interpolation':>13}  samples"
    for row in evaluation.resolutions:
        floors = f"{_number(row, 'resampled'):>9}  {_number(row, 'interpolation'):>13}"
        error = f"{row['relative_l2']:>9.5f}"
        yield f"  {grid_name(row):<14}{error}  {floors}  {row['samples']:>7}"


def _number(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)  # older evaluations lack some
    return "-" if value is None else f"{value:.5f}"
