"""How a surrogate is used, and how it came to be: lines to copy from a report."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from llt.data.dataset import Dataset
from llt.problem import Problem
from llt.solvers import find_solver


def python_lines(run: Path, problem: Problem, history: int = 0) -> str:
    """A prediction by name from Python; a rollout where so many frames come before each.

    Args:
        problem: of the cases.
    """
    shape = problem.grid or ("N",)
    words = ["x", _by_name(problem.input_names)]
    if history:
        words += [_by_name(problem.output_names), "steps"]
    else:
        words += ["t=t"] if problem.timed else []
    words += [f"parameters={_by_name(problem.parameter_names)}"] if problem.parameters else []
    first = problem.outputs[0]
    unit = f", in {first.unit}" if first.unit else ""
    return "\n".join(
        [
            "import llt",
            "",
            f'surrogate = llt.load("{run}")',
            f"# points x {_shape((*shape, problem.space_dim))}, fields {_shape(shape)}"
            + (f", first frames {_shape((history, *shape))}" if history else ""),
            f"fields = surrogate.{'rollout' if history else 'predict'}({', '.join(words)})",
            f'fields["{first.name}"]  # {_shape(("steps", *shape) if history else shape)}{unit}',
        ]
    )


def _by_name(names: Sequence[str]) -> str:
    """A dictionary of variables with the names of what they hold."""
    variables = ("".join(c if c.isalnum() else "_" for c in name) for name in names)
    pairs = zip(names, variables, strict=True)
    return "{" + ", ".join(f'"{name}": {variable}' for name, variable in pairs) + "}"


def _shape(numbers: Sequence[int | str]) -> str:
    return f"({', '.join(map(str, numbers))}{',' if len(numbers) == 1 else ''})"


def command_lines(run: Path, problem: Problem, history: int = 0) -> str:
    """The same from a file of arrays."""
    names = ", ".join(("points", *problem.input_names, *problem.parameter_names))
    time = " --time T  # or several as 0,0.5,1, or all" if problem.timed else ""
    if history:
        names += f", {', '.join(problem.output_names)} with {history} first frames each"
        time = " --steps N"
    return (
        f"# new.npz: arrays {names}\nllt predict {shlex.quote(str(run))} new.npz -o out.npz{time}"
    )


def reproduce_lines(run: Path, data: Dataset, path: str) -> str:
    """From nothing, or from the data where they are not of our solvers, to these weights."""
    lines, file = [], shlex.quote(path)
    about = data.provenance
    if about.get("source") == "generated":
        counts = ",".join(str(len(data.splits[name])) for name in ("train", "val", "test"))
        words = [f"--num {counts}", f"--seed {about['seed']}", *_changed(about)]
        lines.append(f"llt generate {about['solver']} -o {file} {' '.join(words)}")
    again = shlex.quote(f"{run}-again")
    lines.append(f"llt train {file} --config {shlex.quote(f'{run}/config.toml')} --out {again}")
    return "\n".join(lines)


def _changed(about: Mapping[str, Any]) -> list[str]:
    """The solver's settings that are not its defaults, as options."""
    defaults = asdict(find_solver(about["solver"]).Settings())
    return [
        f"--set {name}={value}"
        for name, value in about.get("settings", {}).items()
        if defaults.get(name, value) != value
    ]
