"""New cases, each into a file: which there are, where they go, what they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from llt.data import formats
from llt.data.arrays import SUFFIXES
from llt.data.dataset_file import is_dataset
from llt.data.folder.cases import Case, find_cases
from llt.data.folder.plan import Plan
from llt.errors import ConfigError, DataError
from llt.own_mesh.integrals import read_integrals
from llt.own_mesh.job import Done, Job, Options
from llt.own_mesh.numbers import find_numbers
from llt.surrogate import Surrogate

__all__ = ["Done", "Options", "failures", "is_of_files", "job_of", "num_cases", "predict_files"]


def is_of_files(surrogate: Surrogate, new: Path) -> bool:
    """Whether new cases are files of simulation programs, rather than arrays of our own."""
    ours = new.is_file() and new.suffix.lower() in SUFFIXES
    if surrogate.files is not None:
        return not (ours and is_dataset(new))
    return new.is_dir() or (formats.is_readable(new) and not ours)


def predict_files(
    surrogate: Surrogate,
    new: Path,
    out: Path,
    options: Options | None = None,
    *,
    advance: Callable[[], None] = lambda: None,
    tell: Callable[[str], None] = lambda line: None,
) -> tuple[list[Done], dict[str, str]]:
    """Predict a case into a file, or a folder of cases into a folder.

    Args:
        tell: is told where parameters come from, if they come from a table that was found.
    Returns:
        what was done, and which cases could not be: why, by name.
    """
    options = options or Options()
    plan = _plan(surrogate, new, options)
    cases, table, single = _find(new, plan, options.table, out)
    if table is not None and options.table is None:
        tell(f"parameters from {table}")
    places = [_place(case, plan, out, single, options) for case in cases]
    job = _job(surrogate, plan, options, cases, table)
    done, bad = list[Done](), dict[str, str]()
    for case, place in zip(cases, places, strict=True):
        try:
            done.append(job.predict(case, place))
        except DataError as error:
            if single:
                raise
            bad[case.name] = str(error)
        advance()
    return done, bad


def job_of(surrogate: Surrogate, file: Path, options: Options) -> tuple[Job, Case]:
    """For one file, what is to be read, computed and written one after the other."""
    plan = _plan(surrogate, file, options)
    formats.format_of(file)
    case = Case(name=file.stem, files=(file,))
    return _job(surrogate, plan, options, [case], options.table), case


def failures(done: Sequence[Done], bad: Mapping[str, str]) -> str:
    """In one line, how many and the first few; nothing where there are none."""
    if not bad:
        return ""
    reasons = "; ".join([*bad.values()][:3])
    more = f"; and {len(bad) - 3} more" if len(bad) > 3 else ""
    return f"{len(bad)} of {len(bad) + len(done)} cases cannot be predicted: {reasons}{more}"


def num_cases(surrogate: Surrogate, new: Path, options: Options, out: Path) -> int:
    """How many cases there are to predict."""
    plan = surrogate.files
    return 1 if plan is None else len(_find(new, plan, options.table, out)[0])


def _plan(surrogate: Surrogate, new: Path, options: Options) -> Plan:
    """How files become cases; refused where the options do not fit the surrogate."""
    plan = surrogate.files
    if plan is None:
        raise ConfigError(
            f"{new}: the model was not trained on a file of llt prepare, so nothing says which "
            "arrays are its inputs; give them as .npz or .h5"
        )
    if options.time is not None and not plan.times:
        raise ConfigError(f"--time {options.time}: the model knows no times; leave it out")
    if options.steps is not None and surrogate.frames is None:
        raise ConfigError(f"--steps {options.steps}: the model has learned no steps; leave it out")
    if options.steps is not None and options.steps < 1:
        raise ConfigError(f"--steps {options.steps} must be at least 1")
    return plan


def _job(
    surrogate: Surrogate, plan: Plan, options: Options, cases: Sequence[Case], table: Path | None
) -> Job:
    numbers = find_numbers(plan, options.parameters, table, [case.name for case in cases])
    return Job(surrogate, plan, numbers, read_integrals(options.integrate, plan), options)


def _find(
    new: Path, plan: Plan, table: Path | None, out: Path
) -> tuple[list[Case], Path | None, bool]:
    """The cases, the table of their parameters, and whether there is one case in a file alone."""
    if not new.is_dir() or formats.is_readable(new):
        formats.format_of(new)
        return [Case(name=new.resolve().stem, files=(new,))], table, True
    found = find_cases(
        new,
        files=plan.files,
        steps=plan.steps,
        table=None if table is None else str(table),
        leave=out,
    )
    if table is None and plan.columns and len(found.tables) == 1:
        table = found.tables[0]
    return [*found.cases], table, False


def _place(case: Case, plan: Plan, out: Path, single: bool, options: Options) -> Path:
    """Where a case goes; refused before anything is computed."""
    source = case.files[-1 if case.moments else 0]
    series = bool(plan.times) and not isinstance(options.time, float)
    suffix = formats.series_suffix(source) if series else formats.suffix_for(source)
    place = out if single else out / f"{case.name}{suffix}"
    if place.suffix != suffix:
        raise ConfigError(
            f"{out}: what is written for {source.name} is a {suffix} file; "
            f"name it {out.with_suffix(suffix).name}"
        )
    if place.exists() and not options.force:
        raise ConfigError(f"{place}: already exists; choose another -o, or --force to replace it")
    if place.resolve() in [path.resolve() for path in case.files]:
        raise ConfigError(f"{place}: is the case itself; choose another -o")
    return place
