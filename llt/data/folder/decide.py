"""From what a folder holds and what the user says to a plan; where several are possible, a word.

Proposed are: the plane of flat meshes, the grid that all cases share,
patches of all cases as masks, the numbers in the files that differ, and a table that has a row for
the cases. Which fields are outputs is proposed only where there is one; whether all times are
taken is asked where all cases have the same.
"""

from __future__ import annotations

import re
from pathlib import Path

from llt.data.folder.choice import NONE, Choice
from llt.data.folder.fields import (
    candidates,
    choose_location,
    choose_outputs,
    find_field,
    input_source,
    source_of,
)
from llt.data.folder.look import CELLS, POINTS
from llt.data.folder.plan import Plan, stored_name
from llt.data.folder.survey import Survey
from llt.data.folder.table import Table, read_table
from llt.errors import ConfigError, unknown
from llt.problem import Field

CLOCK = re.compile(r"time\w*|cycle|step|iteration", re.IGNORECASE)


def decide(survey: Survey, choice: Choice) -> Plan:
    """The plan for all cases of a folder."""
    outputs = choose_outputs(survey, choice)
    location = choose_location(survey, choice, [name for name, _ in outputs])
    axes = choice.axes or survey.axes(location)
    if len(axes) > survey.box()[0].shape[1]:
        raise ConfigError(f"{survey.folder}: axes {axes}, but the points are in the plane xy")
    table = find_table(survey, choice)
    columns = _columns(table, choice)
    masks = _masks(survey, choice, [mask for _, mask in outputs if mask])
    taken = {field.name for field in columns}
    times = _times(survey, choice)
    twice = {*(choice.inputs or ())} & {name for name, _ in outputs}
    if twice and not times:
        raise ConfigError(f"{survey.folder}: {min(twice)} is an input and an output")
    _check_units(survey, choice, table)
    return Plan(
        name=choice.name or stored_name(survey.name),
        location=location,
        axes=axes,
        grid=_grid(survey, choice, location, len(axes)),
        times=times,
        last=not times and any(len(one.times) > 1 for one in survey.looks),
        inputs=tuple(
            input_source(survey, choice, name, location, axes) for name in choice.inputs or ()
        ),
        outputs=tuple(
            source_of(find_field(survey, name, location), axes, choice, mask)
            for name, mask in outputs
        ),
        masks=masks,
        table="" if table is None else _place(survey, table),
        columns=columns,
        numbers=tuple(_numbers(survey, choice, taken)),
        files=choice.files or (),
        steps=choice.steps,
    )


def propose(survey: Survey) -> tuple[Choice, dict[str, str]]:
    """A choice to begin with, all fields being outputs, and what there is to say of its entries."""
    location = POINTS if candidates(survey, POINTS) else CELLS
    fields = candidates(survey, location)
    table = tables_of(survey)[:1]
    axes = survey.axes(location)
    grid = _grid(survey, Choice(), location, len(axes))
    patches = [name for name, num in survey.patches.items() if num == len(survey.looks)]
    proposal = Choice(
        name=stored_name(survey.name),
        location=location,
        axes=axes,
        grid=grid is not None,
        time="all" if len(survey.times) > 1 else "last",
        inputs=(),
        outputs=tuple(field.name for field in fields),
        masks=tuple(patches),
        table=table[0].path.name if table else NONE,
        parameters=(
            *(table[0].names if table else ()),
            *(name for name in _varying(survey) if not table or name not in table[0].names),
        ),
        units={field.name: field.unit for field in fields if field.unit},
    )
    return proposal, {
        "location": "or cells" if location == POINTS else "or points",
        "axes": "" if len(axes) == 3 else f"the plane that the {location} are in",
        "time": "the last state; or all, where all cases have the same times",
        "inputs": "fields, or patches, that the model is given; they are no outputs then",
        "outputs": 'what it learns; "p@wall" for a field that exists on a patch only',
        "table": "of parameters: a CSV or TOML file, or none",
    }


def find_table(survey: Survey, choice: Choice) -> Table | None:
    """The table that is asked for, or the only one that fits."""
    if choice.table == NONE:
        return None
    if choice.table is not None:
        path = Path(choice.table)
        inside = survey.folder / choice.table
        return read_table(inside if inside.is_file() else path, survey.names)
    found = tables_of(survey)
    if len(found) > 1:
        names = " or ".join(f"--params {table.path}" for table in found)
        raise ConfigError(f"{survey.folder}: several tables of parameters; pass {names}")
    return found[0] if found else None


def _check_units(survey: Survey, choice: Choice, table: Table | None) -> None:
    known = [quantity.name for quantity in survey.quantities]
    known += [*survey.numbers, *(table.names if table else ())]
    for name in choice.units:
        if name not in known:
            raise ConfigError(f"{survey.folder}: units: {unknown('field', name, known)}")


def _place(survey: Survey, table: Table) -> str:
    """A name in the folder, which may move; else the path."""
    inside = table.path.parent.resolve() == survey.folder.resolve()
    return table.path.name if inside else str(table.path)


def tables_of(survey: Survey) -> list[Table]:
    """Those in the folder that have a row for any of its cases."""
    found = []
    for path in survey.found.tables:
        table = read_table(path, survey.names)
        if not {*table.rows}.isdisjoint(survey.names):
            found.append(table)
    return found


def _masks(survey: Survey, choice: Choice, needed: list[str]) -> tuple[str, ...]:
    patches, everywhere = survey.patches, len(survey.looks)
    shared = [name for name, count in patches.items() if count == everywhere]
    wanted = shared if choice.masks is None else [*choice.masks]
    wanted += [name for name in needed if name not in wanted]
    for name in wanted:
        if name not in patches:
            raise ConfigError(f"{survey.folder}: {unknown('patch', name, patches or ['(none)'])}")
    return tuple(wanted)


def _grid(survey: Survey, choice: Choice, location: str, dim: int) -> tuple[int, ...] | None:
    if choice.grid is False:
        return None
    less = 1 if location == CELLS else 0
    grid = tuple(n - less for n in survey.grid or () if n > 1)
    if len(grid) == dim:
        return grid
    if choice.grid:
        raise ConfigError(f"{survey.folder}: its cases have no common grid of {dim} axes")
    return None


def _times(survey: Survey, choice: Choice) -> tuple[float, ...]:
    if choice.time == "last":
        return ()
    if choice.time == "all" and not survey.times:
        raise ConfigError(f"{survey.folder}: its cases have no times, or not all the same")
    times = survey.times if len(survey.times) > 1 else ()
    if times and choice.time is None:  # they may count the iterations of a steady solver
        raise ConfigError(
            f"{survey.folder}: its cases have {len(times)} times, {times[0]:.4g} to "
            f"{times[-1]:.4g}; pass --time all, or --time last for the last state of each"
        )
    return times


def _columns(table: Table | None, choice: Choice) -> tuple[Field, ...]:
    if table is None:
        return ()
    names = table.names
    if choice.parameters is not None:
        names = tuple(name for name in choice.parameters if name in (*table.names, *table.words))
        table.check_names(names)
    return tuple(
        Field(stored_name(name), choice.units.get(name, table.units.get(name, "")))
        for name in names
    )


def _numbers(survey: Survey, choice: Choice, taken: set[str]) -> list[Field]:
    """Numbers of the files: those that are asked for, else those that differ."""
    if choice.parameters is None:
        names = [name for name in _varying(survey) if name not in taken]
    else:
        names = [name for name in choice.parameters if stored_name(name) not in taken]
        for name in names:
            if name not in survey.numbers:
                known = [*taken, *survey.numbers] or ["(none)"]
                raise ConfigError(f"{survey.folder}: {unknown('parameter', name, known)}")
    return [Field(name, choice.units.get(name, "")) for name in names]


def _varying(survey: Survey) -> list[str]:
    return [
        name
        for name, (low, high) in survey.numbers.items()
        if low < high and not CLOCK.fullmatch(name)
    ]
