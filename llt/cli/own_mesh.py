"""What `llt predict` says of new cases in files of simulation programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llt.errors import DataError

if TYPE_CHECKING:
    from llt.own_mesh.job import Done, Options
    from llt.surrogate import Surrogate


def on_own_mesh(
    surrogate: Surrogate,
    new: Path,
    out: Path,
    options: Options,
    *,
    skip_bad: bool,
    as_json: bool,
) -> None:
    """Predict and tell; cases that cannot be are named at the end, when all others are written."""
    from llt.cli.display import counting, say
    from llt.own_mesh.predict import failures, num_cases, predict_files

    with counting("predicting cases", num_cases(surrogate, new, options, out)) as advance:
        done, bad = predict_files(surrogate, new, out, options, advance=advance, tell=say)
    if as_json:
        bars = {} if surrogate.trust is None else surrogate.trust.bars
        print(json.dumps({"cases": [one.to_dict() for one in done], "bars": bars, "bad": bad}))
    for one in done:
        for line in _lines(one) if not as_json else one.warnings:
            say(line)
    if line := failures(done, bad):
        if not (skip_bad and done):
            raise DataError(f"{line}; the others are in {out}")
        say(f"warning: {line}")


def _lines(one: Done) -> Iterator[str]:
    for line in one.warnings:
        yield f"warning: {line}"
    errors = ", ".join(f"{name} {error:.4f}" for name, error in one.errors.items())
    yield f"{one.out}: {one.count:,} {one.location}" + (
        f"; relative errors {errors}" if errors else ""
    )
    if one.distance is not None:
        beyond = "; unfamiliar: further out than every training case" * (one.distance.value > 1)
        yield f"  distance {one.distance.value:.2f} ({one.distance.group}){beyond}"
    for asked, values in one.integrals.items():
        known = f" (in the file {_value(values['known'])})" if "known" in values else ""
        yield f"  {asked} {_value(values['predicted'])}{known}"
    yield "  " + ", ".join(f"{part} {seconds:.2f} s" for part, seconds in one.seconds.items())


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{name} {part:.6g}" for name, part in value.items()) + ")"
    return f"{value:.6g}"
