"""From what a folder holds and what the user says to a plan; where several are possible, a word.

Proposed are: point data before cell data, the plane of flat meshes, the grid that all cases share,
all times where all cases have the same, patches of all cases as masks, the numbers in the files
that differ, and a table that has a row for every case. Which fields are outputs is proposed only
where there is one.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from llt.data.folder.choice import NONE, Choice
from llt.data.folder.look import CELLS, POINTS
from llt.data.folder.plan import Plan, Source, stored_name
from llt.data.folder.survey import FLAT, Quantity, Survey
from llt.data.folder.table import Table, read_table
from llt.errors import ConfigError, DataError, unknown
from llt.problem import Field

# what programs write for themselves; it may be chosen by name
INTERNAL = re.compile(
    r"vtk\w+|global\w*ids?|\w*original\w*ids|\w*ghost\w*|normals?|texturecoordinates", re.IGNORECASE
)
CLOCK = re.compile(r"time\w*|cycle|step|iteration", re.IGNORECASE)


def decide(survey: Survey, choice: Choice) -> Plan:
    """The plan for all cases of a folder."""
    outputs = _outputs(survey, choice)
    location = _location(survey, choice, [name for name, _ in outputs])
    axes = choice.axes or survey.axes
    if len(axes) > survey.box[0].shape[1]:
        raise ConfigError(f"{survey.folder}: axes {axes}, but the points are in the plane xy")
    table = find_table(survey, choice)
    columns = _columns(table, choice)
    masks = _masks(survey, choice, location, [mask for _, mask in outputs if mask])
    taken = {field.name for field in columns}
    times = _times(survey, choice)
    twice = {*(choice.inputs or ())} & {name for name, _ in outputs}
    if twice and not times:
        raise ConfigError(f"{survey.folder}: {min(twice)} is an input and an output")
    _check_units(survey, choice, table)
    return Plan(
        name=choice.name or stored_name(survey.folder.resolve().name),
        location=location,
        axes=axes,
        grid=_grid(survey, choice, location, len(axes)),
        times=times,
        inputs=tuple(_input(survey, choice, name, location, axes) for name in choice.inputs or ()),
        outputs=tuple(
            _source(_find(survey, name, location), axes, choice, mask) for name, mask in outputs
        ),
        masks=masks,
        table="" if table is None else str(table.path),
        columns=columns,
        numbers=tuple(_numbers(survey, choice, taken)),
        files=choice.files or (),
        steps=choice.steps,
    )


def propose(survey: Survey) -> tuple[Choice, dict[str, str]]:
    """A choice to begin with, all fields being outputs, and what there is to say of its entries."""
    location, fields = _candidates(survey)
    table = tables_of(survey)[:1]
    grid = _grid(survey, Choice(), location, len(survey.axes))
    patches = [name for name, num in survey.patches.items() if num == len(survey.looks)]
    proposal = Choice(
        name=stored_name(survey.folder.resolve().name),
        location=location,
        axes=survey.axes,
        grid=grid is not None,
        time="all" if len(survey.times) > 1 else "last",
        inputs=(),
        outputs=tuple(field.name for field in fields),
        masks=tuple(patches) if location == POINTS else (),
        table=table[0].path.name if table else NONE,
        parameters=(
            *(table[0].names if table else ()),
            *(name for name in _varying(survey) if not table or name not in table[0].names),
        ),
        units={field.name: field.unit for field in fields if field.unit},
    )
    return proposal, {
        "location": "or cells" if location == POINTS else "or points",
        "axes": "" if len(survey.axes) == 3 else "the plane that the points are in",
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


def tables_of(survey: Survey) -> list[Table]:
    """Those in the folder that have a row for any of its cases."""
    found = []
    for path in survey.found.tables:
        table = read_table(path, survey.names)
        if not {*table.rows}.isdisjoint(survey.names):
            found.append(table)
    return found


def _outputs(survey: Survey, choice: Choice) -> list[tuple[str, str]]:
    """Names with the patch each is on, or with nothing."""
    if choice.outputs is not None:
        if not choice.outputs:
            raise ConfigError(f"{survey.folder}: at least one output is needed")
        pairs = [name.partition("@") for name in choice.outputs]
        return [(name.strip(), mask.strip()) for name, _, mask in pairs]
    _, fields = _candidates(survey, choice.location)
    left = [field.name for field in fields if field.name not in (choice.inputs or ())]
    if len(left) == 1:
        return [(left[0], "")]
    if not left:
        raise DataError(f"{survey.folder}: no field that could be an output")
    names = ",".join(left)
    raise ConfigError(
        f"{survey.folder}: fields {', '.join(left)}: which are to be learned? pass --outputs "
        f"{names} or some of them, and --inputs; or edit what llt inspect {survey.folder} "
        "-o plan.toml writes, and pass --plan plan.toml"
    )


def _candidates(survey: Survey, location: str | None = None) -> tuple[str, list[Quantity]]:
    """Fields that all cases have, at points if there are any."""
    for place in (location,) if location else (POINTS, CELLS):
        found = [
            field
            for field in survey.quantities
            if field.location == place
            and field.num_cases == len(survey.looks)
            and not INTERNAL.fullmatch(field.name)
        ]
        if found:
            return place, found
    return location or POINTS, []


def _location(survey: Survey, choice: Choice, names: list[str]) -> str:
    if choice.location is not None:
        return choice.location
    places = {name: {q.location for q in survey.quantities if q.name == name} for name in names}
    for name, found in places.items():
        if not found:
            known = [quantity.name for quantity in survey.quantities]
            raise ConfigError(f"{survey.folder}: {unknown('field', name, known or ['(none)'])}")
    common = set.intersection(*places.values())
    if len(common) == 1:
        return common.pop()
    if common:
        raise ConfigError(
            f"{survey.folder}: {', '.join(names)} at points and at cells; pass --points or --cells"
        )
    sides = [f"{name} at {' and '.join(sorted(found))}" for name, found in places.items()]
    raise ConfigError(f"{survey.folder}: {', '.join(sides)}; outputs must be all at one of them")


def _find(survey: Survey, name: str, location: str) -> Quantity:
    here = {q.name: q for q in survey.quantities if q.location == location}
    if name in here:
        return here[name]
    there = [q.location for q in survey.quantities if q.name == name]
    if there:
        raise ConfigError(
            f"{survey.folder}: {name} is at {there[0]}, not at {location}; "
            f"pass --{there[0]}, or leave it out"
        )
    raise ConfigError(f"{survey.folder}: {unknown('field', name, here or ['(none)'])}")


def _input(survey: Survey, choice: Choice, name: str, location: str, axes: str) -> Source:
    fields = [q.name for q in survey.quantities if q.location == location]
    if name not in fields and name in survey.patches and location == POINTS:
        return Source(name=name, channels=(stored_name(name),), patch=True)
    return _source(_find(survey, name, location), axes, choice, "")


def _source(field: Quantity, axes: str, choice: Choice, mask: str) -> Source:
    """A field with the channels that it becomes; in a plane a vector has those of the plane."""
    stem, unit = stored_name(field.name), choice.units.get(field.name, field.unit)
    components = tuple(range(field.components))
    if field.components <= 1:
        channels: tuple[str, ...] = (stem,)
    elif field.components == 3 or field.components == len(axes):
        plane = tuple("xyz".index(axis) for axis in axes) if field.components == 3 else components
        beside = [i for i in components if i not in plane]
        size = max(np.abs(field.low).max(), np.abs(field.high).max())
        still = [i for i in beside if max(abs(field.low[i]), abs(field.high[i])) <= FLAT * size]
        components = (*plane, *(i for i in beside if i not in still))
        channels = tuple(f"{stem}_{'xyz'[i]}" for i in range(len(components)))
    else:
        channels = tuple(f"{stem}_{i}" for i in components)
    return Source(
        name=field.name,
        components=components,
        size=field.components,
        channels=channels,
        unit=unit,
        file_unit=field.unit,
        mask=mask,
    )


def _masks(survey: Survey, choice: Choice, location: str, needed: list[str]) -> tuple[str, ...]:
    patches, everywhere = survey.patches, len(survey.looks)
    if choice.masks is None and location == POINTS:
        wanted = [name for name, count in patches.items() if count == everywhere]
    else:
        wanted = [*(choice.masks or ())]
    wanted += [name for name in needed if name not in wanted]
    if wanted and location == CELLS:
        raise ConfigError(f"{survey.folder}: patches are sets of points; masks need --points")
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
    return survey.times if len(survey.times) > 1 else ()


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
