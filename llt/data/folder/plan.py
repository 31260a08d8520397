"""What becomes of a folder's cases in a dataset: every channel with the array it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from llt.problem import BESIDE, Field, Problem


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A field of the files, and the channels that it becomes."""

    name: str  # in the files
    components: tuple[int, ...] = ()  # those that are taken; () where it has no axis of them
    size: int = 0  # number of components in the files
    channels: tuple[str, ...]  # names in the dataset
    unit: str = ""
    file_unit: str = ""  # as the files tell, if they do
    mask: str = ""  # the patch that it exists on
    patch: bool = False  # it is a patch itself: 1 on its points, else 0

    def fields(self) -> tuple[Field, ...]:
        return tuple(Field(name, self.unit, self.mask) for name in self.channels)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Stored in the dataset's provenance: predictions and added cases follow it."""

    name: str  # of the problem
    location: str  # points or cells
    axes: str  # of the files, in the order of the dataset's x, y (and z)
    grid: tuple[int, ...] | None
    times: tuple[float, ...]  # of all cases; () takes the last state
    last: bool  # cases have states before the last, which are not taken
    inputs: tuple[Source, ...]
    outputs: tuple[Source, ...]
    masks: tuple[str, ...]
    table: str  # of parameters; empty where there is none
    columns: tuple[Field, ...]  # of the table
    numbers: tuple[Field, ...]  # of the files
    files: tuple[str, ...] = ()  # patterns of their names
    steps: bool | None = None

    @property
    def problem(self) -> Problem:
        return Problem(
            name=self.name,
            space_dim=len(self.axes),
            inputs=tuple(field for source in self.inputs for field in source.fields()),
            outputs=tuple(field for source in self.outputs for field in source.fields()),
            parameters=self.columns + self.numbers,
            grid=self.grid,
            timed=bool(self.times),
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Plan:
        content = _tuples(value)
        for key in ("inputs", "outputs"):
            content[key] = tuple(Source(**_tuples(source)) for source in value[key])
        for key in ("columns", "numbers"):
            content[key] = tuple(Field.of(entry) for entry in value[key])
        return cls(**content)

    def lines(self) -> dict[str, str]:
        """What is chosen, in words."""
        dim = len(self.axes)
        mesh = (
            "grid " + " x ".join(map(str, self.grid)) if self.grid else f"{dim}-D {self.location}"
        )
        said = {"mesh": f"{mesh}, coordinates {', '.join(self.axes)}"}
        if self.axes not in ("xy", "xyz"):
            said["mesh"] += " (stored as x, y)"
        if self.times:
            said["time"] = f"{len(self.times)}, {self.times[0]:.4g} to {self.times[-1]:.4g}"
            if self.inputs:
                said["time"] += "; inputs are those of the first"
        if self.last:
            said["time"] = "the last state of each case"
        parameters = [field.name for field in self.columns + self.numbers]
        none = f"none: the geometry {'and the parameters' if parameters else 'alone'}"
        said["inputs"] = ", ".join(map(_words, self.inputs)) or none
        said["outputs"] = ", ".join(map(_words, self.outputs))
        if parameters:
            origin = f" from {self.table}" if self.table else " from the files"
            said["parameters"] = ", ".join(parameters) + origin
        if self.masks:
            said["masks"] = ", ".join(self.masks)
        return said


def stored_name(name: str) -> str:
    """A name that a dataset file can have."""
    word = name.replace("/", "_").strip() or "field"
    return f"{word}_" if word in (*BESIDE, ".", "..") else word


def _tuples(value: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has lists where the dataclasses have tuples."""
    return {key: tuple(part) if isinstance(part, list) else part for key, part in value.items()}


def _words(source: Source) -> str:
    unit = f" [{source.unit}]" if source.unit else ""
    on = f" on {source.mask}" if source.mask else ""
    if source.patch:
        return f"{source.name} (1 on the patch, else 0)"
    if source.channels == (source.name,):
        return f"{source.name}{unit}{on}"
    return f"{source.name}{unit}{on} ({', '.join(source.channels)})"
