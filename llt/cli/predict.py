"""Predict the output fields of new inputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from llt.cli.options import DEVICE, JSON, REPLACE, RUN
from llt.errors import ConfigError

if TYPE_CHECKING:
    from llt.surrogate import Surrogate
    from llt.trust.distance import Distance


def run(
    run: Path = RUN,
    input: Path = typer.Argument(
        ..., help="An .npz or .h5 file; after llt prepare, any file or folder that it reads."
    ),
    out: Path = typer.Option(..., "-o", "--out", help="What to write: a file, or a folder."),
    params: Path | None = typer.Option(None, help="A CSV or TOML file with numbers of every case."),
    param: list[str] = typer.Option([], help="A case parameter, as speed=12.5; for all cases."),
    integrate: list[str] = typer.Option(
        [], help="mean:T, force:p:wall, flux:U:inlet: over the mesh, or a patch of it."
    ),
    skip_bad: bool = typer.Option(
        False, "--skip-bad", help="Of a folder, leave out damaged cases."
    ),
    time: str = typer.Option(
        "", help="On timed problems: a time, several as 0,0.5,1, or all: those trained on."
    ),
    steps: int | None = typer.Option(
        None, help="Of models trained with train.history: how many frames to predict."
    ),
    symmetrize: bool = typer.Option(
        False,
        "--symmetrize",
        help="Average over the problem's G symmetries: more accurate, G times the time "
        "(Darcy 8; Airfoil, Elasticity, Pipe 2).",
    ),
    device: str = DEVICE,
    force: bool = REPLACE,
    json_: bool = JSON,
) -> None:
    """Predict: input fields in, output fields out, in physical units on the same points."""
    from llt.cli.own_mesh import on_own_mesh
    from llt.own_mesh.numbers import read_said
    from llt.own_mesh.predict import Options, is_of_files
    from llt.predict import parse_times
    from llt.runtime.device import find_device
    from llt.runtime.files import check_place
    from llt.surrogate import load

    if out.exists() and not force:
        raise ConfigError(f"{out}: already exists; choose another -o, or --force to replace it")
    check_place(out)
    surrogate = load(run, find_device(device))
    asked: dict[str, Any] = {
        "time": parse_times(time, surrogate.times),
        "steps": steps,
        "symmetrize": symmetrize,
    }
    if is_of_files(surrogate, input):
        numbers = read_said(param)
        options = Options(
            parameters=numbers, table=params, integrate=integrate, force=force, **asked
        )
        _tell_trust(run, surrogate, [])
        on_own_mesh(surrogate, input, out, options, skip_bad=skip_bad, as_json=json_)
        return
    if params or param or integrate or skip_bad or json_:
        raise ConfigError(
            f"{input}: --params, --param, --integrate, --skip-bad and --json are for files that "
            "llt prepare reads; a file of arrays has its own numbers"
        )
    _on_arrays(run, surrogate, input, out, **asked)


def _on_arrays(
    run: Path, surrogate: Surrogate, new: Path, out: Path, *, time: Any, **asked: Any
) -> None:
    """Predict the cases of a file of arrays, and tell."""
    import warnings

    from llt.cli.display import say
    from llt.data.arrays import check_suffix, read_arrays, write_arrays
    from llt.errors import RangeWarning
    from llt.predict import case_distances, check_steps, predict_arrays, trust_arrays

    check_suffix(out)
    check_steps(surrogate, time, asked["steps"])
    # first frames, and where they exist, may have the names of inputs
    arrays = read_arrays(new, () if surrogate.frames is None else ("outputs", "masks"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RangeWarning)
        outputs = predict_arrays(surrogate, arrays, time=time, where=str(new), **asked)
    _tell([str(found.message) for found in caught if found.category is RangeWarning])
    distances = case_distances(surrogate, arrays)
    _tell_trust(run, surrogate, distances)
    outputs |= trust_arrays(surrogate, distances)
    write_arrays(out, outputs)
    shapes = ", ".join(f"{name} {value.shape}" for name, value in outputs.items())
    say(f"{out}: {shapes}")


def _tell_trust(run: Path, surrogate: Surrogate, distances: Sequence[Distance]) -> None:
    """How large errors are to be expected, and which cases are unfamiliar."""
    from llt.cli.display import say
    from llt.evaluation.trust_words import claims, far_out

    if surrogate.trust is None:
        if (run / "data.json").is_file():
            say(f"no error bars yet: llt evaluate {run} finds them on its validation split")
        return
    for line in (*claims(surrogate.trust, surrogate.problem), *far_out(distances)):
        say(line)


def _tell(outside: list[str]) -> None:
    """One line, also where many cases lie outside of what was trained on."""
    from llt.cli.display import say

    if outside:
        others = f" (the first of {len(outside)} such cases)" if len(outside) > 1 else ""
        say(f"warning: {outside[0]}{others}")
