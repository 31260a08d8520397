"""What `llt inspect` says of a folder of simulation results, and the draft of a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from llt.errors import ConfigError

if TYPE_CHECKING:
    from llt.data.folder.survey import Quantity, Survey

SHOWN = 5  # names in a list that may be long


def is_results(path: Path) -> bool:
    """Whether a folder holds results rather than a run or a checkpoint; or a file stacked ones."""
    if path.suffix.lower() in (".npz", ".mat"):
        return True
    names = ("config.toml", "config.json", "best", "last")
    return path.is_dir() and not any((path / name).exists() for name in names)


def about_folder(folder: Path, draft: Path | None = None) -> dict[str, Any]:
    """Cases, fields, meshes, tables; with a draft, a plan to be edited is written there."""
    from llt.cli.display import counting
    from llt.data.folder.cases import find_cases
    from llt.data.folder.choice import Choice, to_toml
    from llt.data.folder.decide import decide, propose
    from llt.data.folder.survey import MOST, survey
    from llt.runtime.files import write_text

    if draft is not None and draft.exists():
        raise ConfigError(f"{draft}: already exists; choose another -o")
    found = find_cases(folder)
    with counting("looking at cases", min(MOST, len(found.cases))) as advance:
        seen = survey(found, advance=advance)
    about = {**_cases(seen), **_mesh(seen), **_fields(seen), **_parameters(seen)}
    proposal, comments = propose(seen)
    try:
        about["proposal"] = decide(seen, Choice()).lines()
    except ConfigError as question:
        about["question"] = str(question)
    if draft is not None:
        write_text(draft, to_toml(proposal, comments))
        about["draft"] = f"{draft}; edit it, then llt prepare {folder} -o FILE --plan {draft}"
    return about


def _cases(seen: Survey) -> dict[str, Any]:
    about: dict[str, Any] = {"folder": str(seen.folder)}
    about["cases"] = f"{len(seen.names)}: {_some(seen.names)}; {len(seen.looks)} looked at"
    if seen.found.others:
        about["not read"] = _some(seen.found.others)
    for name, reason in seen.bad.items():
        about[f"bad {name}"] = reason
    for number, line in enumerate(seen.warnings, start=1):
        about[f"warning {number}"] = line
    return about


def _mesh(seen: Survey) -> dict[str, Any]:
    from llt.data.folder.look import CELLS, POINTS

    points = sorted(one.num_points for one in seen.looks)
    cells = sorted(one.num_cells for one in seen.looks)
    about: dict[str, Any] = {"points": _range(points) + (", shared" if seen.shared else "")}
    if cells[-1]:
        about["cells"] = _range(cells)
    if seen.grid:
        about["grid"] = " x ".join(map(str, seen.grid))
    lows, highs = seen.box()
    low, high = lows.min(axis=0), highs.max(axis=0)
    names = "xyz"[: len(low)]
    about["box"] = ", ".join(
        f"{axis} {a:.4g} to {b:.4g}" for axis, a, b in zip(names, low, high, strict=True)
    )
    axes, layer = seen.axes(POINTS), seen.axes(CELLS)
    if len(axes) < len(names):
        about["plane"] = f"{axes}; the other coordinate is the same everywhere and dropped"
    elif len(layer) < len(names):
        about["plane"] = f"{layer} for cell data, which is one layer of cells"
    times = {one.times for one in seen.looks}
    if seen.times:
        about["times"] = f"{len(seen.times)}, {seen.times[0]:.4g} to {seen.times[-1]:.4g}"
    elif any(times):
        about["times"] = "not the same in all cases"
    for name, count in seen.patches.items():
        about[f"patch {name}"] = f"in {count} of {len(seen.looks)}"
    return about


def _fields(seen: Survey) -> dict[str, str]:
    about = {}
    for field in seen.quantities:
        title = f"{field.location.removesuffix('s')} field {field.name}"
        about[title] = f"{_span(field)}, in {field.num_cases} of {len(seen.looks)}"
    for name, reason in seen.looks[0].left_out.items():
        about[f"left out {name}"] = reason
    return about


def _parameters(seen: Survey) -> dict[str, str]:
    from llt.data.folder.decide import tables_of

    about = {f"number {name}": f"{a:.4g} to {b:.4g}" for name, (a, b) in seen.numbers.items()}
    for table in tables_of(seen):
        words = f"; no numbers: {', '.join(table.words)}" if table.words else ""
        about[f"table {table.path.name}"] = ", ".join(table.names) + words
    return about


def _span(field: Quantity) -> str:
    low, high = field.low.min(), field.high.max()
    unit = f" {field.unit}" if field.unit else ""
    kind = f", {field.components} components" if field.components > 1 else ""
    return f"{low:.4g} to {high:.4g}{unit}{kind}"


def _range(values: list[int]) -> str:
    first, last = values[0], values[-1]
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"


def _some(names: Any) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
