"""What is being learned: the shapes and field names every dataset, model and solver agree on.

A `Problem` is a map from input fields to output fields on a set of points. On structured
meshes grid axis 0 varies slowest; `points[..., 0]` is x, `points[..., 1]` is y.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from math import prod
from typing import Any

from llt.errors import ConfigError, unknown


@dataclass(frozen=True, kw_only=True, slots=True)
class Symmetry:
    """A map of the domain onto itself that takes solutions to solutions.

    Fields move with the grid (axes reordered, then some run backward), coordinates go to
    `matrix @ x + offset`, and a field may change its sign.
    """

    name: str
    matrix: tuple[tuple[float, ...], ...]
    offset: tuple[float, ...]
    axes: tuple[int, ...] = ()  # the grid's axes in their new order; () keeps them
    flip: tuple[int, ...] = ()  # grid axes that run backward after reordering
    input_signs: tuple[float, ...] = ()  # () leaves all signs as they are
    output_signs: tuple[float, ...] = ()

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Symmetry:
        return cls(**{key: _tuples(part) for key, part in value.items()})


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A map from input fields to output fields on a set of points."""

    name: str
    space_dim: int
    inputs: tuple[str, ...]  # field names; empty when the geometry alone is the input
    outputs: tuple[str, ...]
    grid: tuple[int, ...] | None = None  # points per axis on structured meshes, else None
    timed: bool = False  # the model is asked for one output time per call
    symmetries: tuple[Symmetry, ...] = ()  # without the identity

    def __post_init__(self) -> None:
        if self.space_dim not in (2, 3):
            raise ConfigError(f"{self.name}: space_dim must be 2 or 3, got {self.space_dim}")
        if self.grid is not None and len(self.grid) != self.space_dim:
            raise ConfigError(f"{self.name}: grid {self.grid} needs {self.space_dim} axes")
        if not self.outputs:
            raise ConfigError(f"{self.name}: at least one output field is needed")
        names = (*self.inputs, *self.outputs)
        if len(set(names)) != len(names):
            raise ConfigError(f"{self.name}: field names must differ, got {', '.join(names)}")

    @property
    def in_channels(self) -> int:
        return len(self.inputs)

    @property
    def out_channels(self) -> int:
        return len(self.outputs)

    @property
    def num_points(self) -> int | None:
        """Points per sample, or None where samples may differ in size."""
        return prod(self.grid) if self.grid else None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Problem:
        fields = {key: _tuples(part) for key, part in value.items() if key != "symmetries"}
        symmetries = tuple(Symmetry.from_dict(part) for part in value.get("symmetries", ()))
        return cls(**fields, symmetries=symmetries)

    def describe(self) -> str:
        mesh = "x".join(map(str, self.grid)) if self.grid else "point set"
        inputs = ", ".join(self.inputs) or "geometry"
        return f"{self.name}: {inputs} -> {', '.join(self.outputs)} on a {self.space_dim}-D {mesh}"


def _tuples(value: Any) -> Any:
    """JSON has lists where the dataclasses have tuples."""
    return tuple(_tuples(part) for part in value) if isinstance(value, list | tuple) else value


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
    outputs=("stress",),
    symmetries=(_mirror("left-right", ((-1.0, 0.0), (0.0, 1.0)), offset=(1.0, 0.0)),),
)
PLASTICITY = Problem(
    name="plasticity",
    space_dim=2,
    inputs=("die",),
    outputs=("x", "y", "u_x", "u_y"),
    grid=(101, 31),
    timed=True,
)
AIRFOIL = Problem(
    name="airfoil",
    space_dim=2,
    inputs=(),
    outputs=("mach",),
    grid=(221, 51),
    symmetries=(_mirror("up-down", ((1.0, 0.0), (0.0, -1.0)), flip=(0,)),),
)
PIPE = Problem(
    name="pipe",
    space_dim=2,
    inputs=(),
    outputs=("velocity",),
    grid=(129, 129),
    symmetries=(_mirror("up-down", ((1.0, 0.0), (0.0, -1.0)), flip=(1,)),),
)
DARCY = Problem(
    name="darcy",
    space_dim=2,
    inputs=("permeability",),
    outputs=("pressure",),
    grid=(85, 85),
    symmetries=_square_symmetries(),
)
CAR = Problem(
    name="car",
    space_dim=3,
    inputs=("distance", "normal_x", "normal_y", "normal_z"),
    outputs=("velocity_x", "velocity_y", "velocity_z", "pressure"),
)

PROBLEMS: dict[str, Problem] = {
    problem.name: problem for problem in (ELASTICITY, PLASTICITY, AIRFOIL, PIPE, DARCY, CAR)
}


def find_problem(name: str) -> Problem:
    if name not in PROBLEMS:
        raise ConfigError(unknown("problem", name, PROBLEMS))
    return PROBLEMS[name]
