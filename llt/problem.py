"""What is being learned: the shapes and field names every dataset, model and solver agree on.

A `Problem` is a map from input fields to output fields on a set of points. A field may exist on
some of the points only, those of a named mask; a sample may also carry numbers of its own: case
parameters, which go in, and derived quantities such as a drag, which come out. On structured
meshes grid axis 0 varies slowest; `points[..., 0]` is x, `points[..., 1]` is y.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from math import prod
from typing import Any

from llt.errors import ConfigError, unknown

BESIDE = ("points", "offsets", "times")  # what stands beside the fields in files


@dataclass(frozen=True, slots=True)
class Field:
    """A named quantity: of every point, or of a sample as a whole."""

    name: str
    unit: str = ""  # as in "m/s"; empty where there is none
    mask: str = ""  # name of the set of points on which it exists; empty: on all
    weight: float = 1.0  # in the loss, of its squared error

    def __post_init__(self) -> None:
        texts = self.name, self.unit, self.mask
        if not all(isinstance(text, str) for text in texts):
            raise ConfigError(f"a field has name, unit and mask in words, got {texts}")
        if not self.name:
            raise ConfigError("a field needs a name")
        if not isinstance(self.weight, float | int) or not 0 < self.weight < float("inf"):
            raise ConfigError(f"field {self.name}: weight {self.weight} must be positive")

    def __str__(self) -> str:
        return self.name

    @classmethod
    def of(cls, value: Field | str | Mapping[str, Any]) -> Field:
        """From a name alone, or from the dictionary that `asdict` gives."""
        if isinstance(value, Field):
            return value
        if isinstance(value, str):
            return cls(value)
        if not isinstance(value, Mapping):
            raise ConfigError(f"a field is a name or an object, got {value!r}")
        return cls(**value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Symmetry:
    """A map of the domain onto itself that takes solutions to solutions.

    Fields move with the grid (axes reordered, then some run backward), coordinates go to
    `matrix @ x + offset`, and a field may change its sign; an output that is a coordinate is
    shifted, too.
    """

    name: str
    matrix: tuple[tuple[float, ...], ...]
    offset: tuple[float, ...]
    axes: tuple[int, ...] = ()  # the grid's axes in their new order; () keeps them
    flip: tuple[int, ...] = ()  # grid axes that run backward after reordering
    input_signs: tuple[float, ...] = ()  # () leaves all signs as they are
    output_signs: tuple[float, ...] = ()
    output_shifts: tuple[float, ...] = ()  # added after the sign; () shifts none

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Symmetry:
        return cls(**{key: _tuples(part) for key, part in value.items()})

    def check(self, dim: int) -> None:
        """Raise where it is no map of so many dimensions onto themselves."""
        fits = (
            isinstance(self.name, str)
            and _numbers(self.matrix, dim * dim)
            and _numbers(self.offset, dim)
            and sorted(_flat(self.axes)) in ([], [*range(dim)])
            and set(_flat(self.flip)) <= {*range(dim)}
            and _numbers(self.input_signs)
            and _numbers(self.output_signs)
            and _numbers(self.output_shifts)
        )
        if not fits:
            raise ConfigError(f"symmetry {self.name!r} is not one of {dim} dimensions")


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A map from input fields to output fields on a set of points."""

    name: str
    space_dim: int
    inputs: tuple[Field, ...]  # names will do; empty when the geometry alone is the input
    outputs: tuple[Field, ...]
    parameters: tuple[Field, ...] = ()  # numbers of a sample that the model is given
    derived: tuple[Field, ...] = ()  # numbers of a sample that follow from its solution
    grid: tuple[int, ...] | None = None  # points per axis on structured meshes, else None
    timed: bool = False  # the model is asked for one output time per call
    symmetries: tuple[Symmetry, ...] = ()  # without the identity

    def __post_init__(self) -> None:
        _check_kinds(self)
        for name in ("inputs", "outputs", "parameters", "derived"):
            fields = tuple(Field.of(value) for value in getattr(self, name))
            object.__setattr__(self, name, fields)
        if self.space_dim not in (2, 3):
            raise ConfigError(f"{self.name}: space_dim must be 2 or 3, got {self.space_dim}")
        if self.grid is not None and len(self.grid) != self.space_dim:
            raise ConfigError(f"{self.name}: grid {self.grid} needs {self.space_dim} axes")
        for symmetry in self.symmetries:
            symmetry.check(self.space_dim)
        if not self.outputs:
            raise ConfigError(f"{self.name}: at least one output field is needed")
        for side in (self.input_names + self.parameter_names, self.output_names):
            if len(set(side)) != len(side):
                raise ConfigError(f"{self.name}: field names must differ, got {', '.join(side)}")

    def check_names(self) -> None:
        """Of new data only: older files have such names and can still be read."""
        for name in self.input_names + self.parameter_names + self.output_names:
            if name in BESIDE:
                raise ConfigError(
                    f"{self.name}: a field cannot be called {name!r}; choose another name"
                )

    @property
    def input_names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.outputs)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.parameters)

    @property
    def derived_names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.derived)

    @property
    def mask_names(self) -> tuple[str, ...]:
        """Sets of points that some output exists on, in the order of their first use."""
        return tuple(dict.fromkeys(field.mask for field in self.outputs if field.mask))

    @property
    def vectors(self) -> dict[str, tuple[int, ...]]:
        """Outputs that are components of one vector: u of u_x and u_y, with their channels."""
        ends, names = "xyz"[: self.space_dim], self.output_names
        stems = dict.fromkeys(name[:-2] for name in names if name[:-2] and name[-2] == "_")
        found = {stem: [f"{stem}_{end}" for end in ends] for stem in stems}
        return {
            stem: tuple(map(names.index, parts))
            for stem, parts in found.items()
            if set(parts) <= set(names)
        }

    @property
    def in_channels(self) -> int:
        """Of what a model is given at every point: fields, then parameters as constant channels."""
        return len(self.inputs) + len(self.parameters)

    @property
    def out_channels(self) -> int:
        return len(self.outputs)

    @property
    def num_points(self) -> int | None:
        """Points per sample, or None where samples may differ in size."""
        return prod(self.grid) if self.grid else None

    @property
    def signature(self) -> tuple[Any, ...]:
        """What two datasets must share for a model of one to be asked about the other."""
        return self.name, self.input_names, self.parameter_names, self.output_names

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Problem:
        try:
            fields = {key: _tuples(part) for key, part in value.items() if key != "symmetries"}
            symmetries = tuple(Symmetry.from_dict(part) for part in value.get("symmetries", ()))
            return cls(**fields, symmetries=symmetries)
        except (TypeError, AttributeError) as error:  # a part that is missing, or not an object
            raise ConfigError(f"not a problem: {error}") from error

    def describe(self) -> str:
        mesh = "x".join(map(str, self.grid)) if self.grid else "point set"
        inputs = ", ".join(self.input_names + self.parameter_names) or "geometry"
        outputs = ", ".join(self.output_names)
        return f"{self.name}: {inputs} -> {outputs} on a {self.space_dim}-D {mesh}"


def _check_kinds(problem: Problem) -> None:
    """Raise where a value is not even of the right kind, as in a file that somebody has edited."""
    grid = problem.grid if problem.grid is not None else (1,)
    right = {
        "name": isinstance(problem.name, str),
        "space_dim": type(problem.space_dim) is int,
        "timed": isinstance(problem.timed, bool),
        "grid": isinstance(grid, tuple) and all(type(n) is int and n > 0 for n in grid),
    }
    for name in ("inputs", "outputs", "parameters", "derived", "symmetries"):
        right[name] = isinstance(getattr(problem, name), tuple | list)
    for name, fits in right.items():
        if not fits:
            raise ConfigError(f"problem: {name} cannot be {getattr(problem, name)!r}")


def _numbers(value: Any, count: int | None = None) -> bool:
    """Whether these are finite numbers, and so many of them."""
    flat = _flat(value)
    numbers = all(isinstance(x, float | int) and abs(x) < float("inf") for x in flat)
    return numbers and count in (None, len(flat))


def _flat(value: Any) -> list[Any]:
    return [x for part in value for x in _flat(part)] if isinstance(value, tuple) else [value]


def _tuples(value: Any) -> Any:
    """JSON has lists where the dataclasses have tuples."""
    return tuple(_tuples(part) for part in value) if isinstance(value, list | tuple) else value


def _fields(*names: str, unit: str = "") -> tuple[Field, ...]:
    return tuple(Field(name, unit) for name in names)


def _mirror(name: str, matrix: tuple[tuple[float, ...], ...], **kwargs: Any) -> Symmetry:
    kwargs.setdefault("offset", (0.0, 0.0))
    return Symmetry(name=name, matrix=matrix, **kwargs)


def _square_symmetries() -> tuple[Symmetry, ...]:
    """The seven symmetries of the unit square besides the identity."""
    found = []
    for swap, flip_y, flip_x in product((False, True), repeat=3):
        if not (swap or flip_y or flip_x):
            continue
        row_x = (0.0, 1.0) if swap else (1.0, 0.0)
        row_y = (1.0, 0.0) if swap else (0.0, 1.0)
        sx, sy = (-1.0 if flip_x else 1.0), (-1.0 if flip_y else 1.0)
        found.append(
            Symmetry(
                name="-".join(
                    label
                    for label, used in (("swap", swap), ("up-down", flip_y), ("left-right", flip_x))
                    if used
                ),
                matrix=((sx * row_x[0], sx * row_x[1]), (sy * row_y[0], sy * row_y[1])),
                offset=(1.0 if flip_x else 0.0, 1.0 if flip_y else 0.0),
                axes=(1, 0) if swap else (),
                flip=(*([0] if flip_y else []), *([1] if flip_x else [])),
            )
        )
    return tuple(found)


ELASTICITY = Problem(
    name="elasticity",
    space_dim=2,
    inputs=(),
    outputs=_fields("stress"),
    symmetries=(_mirror("left-right", ((-1.0, 0.0), (0.0, 1.0)), offset=(1.0, 0.0)),),
)
PLASTICITY = Problem(
    name="plasticity",
    space_dim=2,
    inputs=_fields("die", unit="mm"),
    outputs=_fields("x", "y", "u_x", "u_y", unit="mm"),
    grid=(101, 31),
    timed=True,
    symmetries=(
        _mirror(
            "left-right",
            ((-1.0, 0.0), (0.0, 1.0)),
            offset=(-49.3, 0.0),  # twice the middle of the block, in mm
            flip=(0,),
            output_signs=(-1.0, 1.0, -1.0, 1.0),
            output_shifts=(-49.3, 0.0, 0.0, 0.0),
        ),
    ),
)
AIRFOIL = Problem(
    name="airfoil",
    space_dim=2,
    inputs=(),
    outputs=_fields("mach"),
    grid=(221, 51),
    symmetries=(_mirror("up-down", ((1.0, 0.0), (0.0, -1.0)), flip=(0,)),),
)
PIPE = Problem(
    name="pipe",
    space_dim=2,
    inputs=(),
    outputs=_fields("velocity"),
    grid=(129, 129),
    symmetries=(_mirror("up-down", ((1.0, 0.0), (0.0, -1.0)), flip=(1,)),),
)
DARCY = Problem(
    name="darcy",
    space_dim=2,
    inputs=_fields("permeability"),
    outputs=_fields("pressure"),
    grid=(85, 85),
    symmetries=_square_symmetries(),
)
CAR = Problem(
    name="car",
    space_dim=3,
    inputs=_fields("distance", "normal_x", "normal_y", "normal_z"),
    outputs=(
        *(Field(f"velocity_{axis}", "m/s") for axis in "xyz"),
        Field("pressure", "Pa", mask="surface"),
    ),
    derived=(Field("drag"),),  # its coefficient
)

PROBLEMS: dict[str, Problem] = {
    problem.name: problem for problem in (ELASTICITY, PLASTICITY, AIRFOIL, PIPE, DARCY, CAR)
}


def find_problem(name: str) -> Problem:
    if name not in PROBLEMS:
        raise ConfigError(unknown("problem", name, PROBLEMS))
    return PROBLEMS[name]
