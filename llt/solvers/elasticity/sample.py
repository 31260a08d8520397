"""One sample of the Elasticity problem: a random void, pulled from above.

The unit cell is clamped at its bottom edge and pulled by a uniform traction at its top edge; its
sides and the void are free. The output is the von Mises stress at the Gauss points, 9 in each
element, in the order of the template: row by row within an element, element after element.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from llt.errors import ConfigError, SolverError
from llt.solvers.base import Array, Solution
from llt.solvers.elasticity import void
from llt.solvers.elasticity.equilibrium import Equilibrium, solve
from llt.solvers.elasticity.material import von_mises
from llt.solvers.elasticity.mesh import NUM_LEVELS, Mesh, morph, template

VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Defaults are the published problem: 108 elements with 9 Gauss points each."""

    traction: float = 100.0  # force per undeformed length; the cell stretches by about 3e-4
    refine: int = 0  # times that the elements are split in four: 972, 3888 or 15552 points
    theta_file: str = ""  # take sample i's void from row i of this file instead of at random

    def __post_init__(self) -> None:
        if not 0 < self.traction < np.inf:
            raise ConfigError(f"traction is {self.traction}, not a positive number")
        if self.refine not in range(NUM_LEVELS):
            raise ConfigError(f"refine is {self.refine}, not one of 0 to {NUM_LEVELS - 1}")


def solve_sample(
    rng: np.random.Generator, settings: Settings, *, index: int | None = None
) -> Solution:
    """Solve for a random void, or with `theta_file` for the void in its row `index`."""
    if not settings.theta_file:
        return solve_void(void.draw_theta(rng), settings)
    if index is None:
        raise ConfigError(f"theta_file is {settings.theta_file}, so samples need an index")
    return solve_void(void.read_theta(settings.theta_file, index), settings)


def solve_void(theta: Array, settings: Settings) -> Solution:
    """Solve for the void given by its ten numbers."""
    mesh = morph(template(settings.refine), partial(void.radius, theta))
    try:
        state = pull(mesh, settings.traction)
    except SolverError as error:
        shape = ", ".join(f"{number:.6g}" for number in theta)
        raise SolverError(f"{error}; traction {settings.traction:g}, theta {shape}") from error
    parameters = {f"theta_{i}": float(number) for i, number in enumerate(theta)}
    return Solution(
        points=state.points.reshape(-1, 2),
        inputs={},
        outputs={"stress": von_mises(state.stress).ravel()},
        info={
            "iterations": float(len(state.residuals) - 1),
            "residual": state.residuals[-1],
            **parameters,
        },
    )


def pull(mesh: Mesh, traction: float) -> Equilibrium:
    """The cell clamped at the bottom under a uniform traction at the top."""
    bottom = np.isclose(mesh.nodes[:, 1], 0, atol=1e-12)
    held = np.repeat(bottom[:, None], 2, axis=1)
    return solve(mesh, held=held, start=np.zeros_like(mesh.nodes), load=_top_load(mesh, traction))


def _top_load(mesh: Mesh, traction: float) -> Array:
    x, y = mesh.nodes.T
    top = np.flatnonzero(np.isclose(y, 1, atol=1e-12))
    top = top[np.argsort(x[top])]
    # from left to right, every second node is the middle of an element's edge
    edges = np.diff(x[top[::2]])
    share = np.zeros(len(top))
    share[:-1:2] += edges / 6
    share[1::2] += edges * 2 / 3
    share[2::2] += edges / 6
    load = np.zeros_like(mesh.nodes)
    load[top, 1] = traction * share
    return load
