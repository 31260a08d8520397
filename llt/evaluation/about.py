# ruff: noqa: RUF001, equations have Greek letters
"""What a problem is about, in words and as an equation, for people who open a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llt.problem import PROBLEMS, Field, Problem


@dataclass(frozen=True)
class About:
    title: str
    text: str
    equation: str = ""


KNOWN = {
    "darcy": About(
        "Darcy flow",
        "Water seeps through a porous square, held at zero pressure on its boundary and fed evenly "
        "from within. Given the permeability a at each point, predict the pressure u.",
        "−∇·(a ∇u) = 1 in (0, 1)²,   u = 0 on the boundary",
    ),
    "elasticity": About(
        "Elasticity",
        "A square cell of rubber with a void of random shape is clamped at its bottom edge and "
        "pulled upwards at its top edge. Given the points of the mesh, which carry the shape of "
        "the void, predict the von Mises stress at each of them.",
        "∇·P(∇u) = 0,   u = 0 at the bottom,   P n = traction at the top",
    ),
    "plasticity": About(
        "Plasticity",
        "A die of random shape is pressed into a block of metal. Given the shape of the die and a "
        "time, predict where each point of the block is and how far it has moved.",
        "ρ ü = ∇·σ,   with an elastoplastic law for the stress σ",
    ),
    "airfoil": About(
        "Airfoil",
        "Steady transonic flow around a random airfoil, Mach 0.8, no angle of attack. Given the "
        "grid around it, predict the Mach number.",
        "∂F(U)/∂x + ∂G(U)/∂y = 0,   U = (ρ, ρu, ρv, ρE),   γ = 1.4",
    ),
    "pipe": About(
        "Pipe",
        "Steady laminar flow through a channel with a random bend. Given the shape, predict the "
        "streamwise velocity.",
        "−ν Δu + (u·∇)u + ∇p = 0,   ∇·u = 0,   ν = 0.005",
    ),
    "car": About(
        "Car",
        "Air flows around a car. Given its surface and points around it, predict the velocity of "
        "the air and the pressure on the surface.",
        "(u·∇)u + ∇p/ρ = ∇·((ν + ν_t) ∇u),   ∇·u = 0,   averaged over time",
    ),
}


def about(problem: Problem, *, steps: bool = False) -> About:
    """A known problem is told by its name and its fields; of others, the fields are told.

    Args:
        steps: its frames are predicted one after the other.
    """
    known = PROBLEMS.get(problem.name)
    if known is not None and known.signature == problem.signature:
        return KNOWN[problem.name]
    given = [named(problem.inputs)] if problem.inputs else []
    given += [f"the case's {named(problem.parameters)}"] if problem.parameters else []
    mesh = f"a grid of {' x '.join(map(str, problem.grid))} points" if problem.grid else "points"
    where = f"{mesh} in {problem.space_dim}-D"
    when = " at a given time" if problem.timed else ""
    when = ", each frame from those before it" if steps else when
    text = f"Given {' and '.join(given) or 'the geometry alone'} on {where}, predict "
    return About(problem.name, f"{text}{named(problem.outputs)}{when}.")


def named(fields: Sequence[Field]) -> str:
    """Names with their units: u (m/s), v (m/s) and p (Pa)."""
    names = [f"{field.name} ({field.unit})" if field.unit else field.name for field in fields]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
