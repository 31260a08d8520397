"""Which fields become inputs and outputs, and the channels that each becomes."""

from __future__ import annotations

import re

import numpy as np

from llt.data.folder.choice import Choice
from llt.data.folder.look import CELLS, POINTS
from llt.data.folder.plan import Source, stored_name
from llt.data.folder.survey import FLAT, Quantity, Survey
from llt.errors import ConfigError, DataError, unknown

# what programs write for themselves; it may be chosen by name
INTERNAL = re.compile(
    r"vtk\w+|global\w*ids?|\w*original\w*ids|\w*ghost\w*|normals?|texturecoordinates", re.IGNORECASE
)


def choose_outputs(survey: Survey, choice: Choice) -> list[tuple[str, str]]:
    """Names with the patch each is on, or with nothing."""
    if choice.outputs is not None:
        if not choice.outputs:
            raise ConfigError(f"{survey.folder}: at least one output is needed")
        pairs = [name.partition("@") for name in choice.outputs]
        return [(name.strip(), mask.strip()) for name, _, mask in pairs]
    places = (choice.location,) if choice.location else (POINTS, CELLS)
    found = {place: [field.name for field in candidates(survey, place)] for place in places}
    given = choice.inputs or ()
    left = {place: [n for n in names if n not in given] for place, names in found.items()}
    left = {place: names for place, names in left.items() if names}
    if not left:
        raise DataError(f"{survey.folder}: no field that could be an output")
    first = next(iter(left.values()))
    if len(left) == len(first) == 1:
        return [(first[0], "")]
    sides = "; ".join(f"{', '.join(names)} at {place}" for place, names in left.items())
    raise ConfigError(
        f"{survey.folder}: fields {sides}: which are to be learned? pass --outputs "
        f"{','.join(first)} or some of them, and --inputs; or edit what llt inspect "
        f"{survey.folder} -o plan.toml writes, and pass --plan plan.toml"
    )


def candidates(survey: Survey, location: str) -> list[Quantity]:
    """Fields that all cases have, without those that programs write for themselves."""
    return [
        field
        for field in survey.quantities
        if field.location == location
        and field.num_cases == len(survey.looks)
        and not INTERNAL.fullmatch(field.name)
    ]


def choose_location(survey: Survey, choice: Choice, names: list[str]) -> str:
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


def input_source(survey: Survey, choice: Choice, name: str, location: str, axes: str) -> Source:
    fields = [q.name for q in survey.quantities if q.location == location]
    if name not in fields and name in survey.patches:
        return Source(name=name, channels=(stored_name(name),), patch=True)
    return source_of(find_field(survey, name, location), axes, choice, "")


def source_of(field: Quantity, axes: str, choice: Choice, mask: str) -> Source:
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


def find_field(survey: Survey, name: str, location: str) -> Quantity:
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
