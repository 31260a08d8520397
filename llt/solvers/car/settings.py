"""What can be set about a car's flow: its grid, the air, and for how long it is followed."""

from __future__ import annotations

from dataclasses import dataclass

from llt.errors import ConfigError, unknown
from llt.solvers.car.average import BLOCK
from llt.solvers.car.grid import Grid, graded
from llt.solvers.car.shape import GROUND

PRESETS = {  # cells
    "smoke": (20, 16, 48),
    "cpu": (40, 30, 96),
    "medium": (64, 48, 160),
    "gpu": (104, 80, 256),
}
# the finer the cells, the faster the air at an edge: with 0.3, a third of the cars at `gpu` fail
COURANT = {"smoke": 0.3, "cpu": 0.3, "medium": 0.25, "gpu": 0.2}
# around cars; outside of it cells grow
CORE = ((-1.1, 1.1), (GROUND, GROUND + 1.9), (-2.8, 4.5))
BOX = ((-3.1, 3.1), (GROUND, 4.48), (-7.0, 10.0))  # of the air, in m


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Air at the published speed around parametric cars."""

    preset: str = "cpu"  # cells: smoke 48x20x16, cpu 96x40x30, medium 160x64x48, gpu 256x104x80
    speed: float = 20.0  # of the air far ahead and of the ground, m/s
    density: float = 1.2  # kg/m3
    viscosity: float = 2e-5  # kinematic, m2/s; on these grids that of the scheme is larger
    courant: float = 0.0  # share of the finest cell that the air passes in a step; 0: preset's
    travel: float = 60.0  # m that the air passes in all; the second half is averaged
    growth: float = 1.0  # of cells outside of the core, in their width there, per m

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise ConfigError(f"car: {unknown('preset', self.preset, PRESETS)}")
        _check("speed", self.speed, 0.1, 100)
        _check("density", self.density, 0.01, 2000)
        _check("viscosity", self.viscosity, 0, 0.01 * self.speed)
        if not self.courant:
            object.__setattr__(self, "courant", COURANT[self.preset])
        # unstable beyond
        _check("courant", self.courant, 0.01, 0.5)
        _check("travel", self.travel, 0.1, 10_000)
        _check("growth", self.growth, 0.01, 3)

    @property
    def grid(self) -> Grid:
        x, y, z = (
            graded(num, *box, core=core, growth=self.growth)
            for num, box, core in zip(PRESETS[self.preset], BOX, CORE, strict=True)
        )
        return Grid(x, y, z)

    @property
    def blocks(self) -> int:
        """Of steps."""
        return max(4, round(self.travel / (self.courant * self.grid.finest * BLOCK)))


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ConfigError(f"car: {name}={value:g} must be between {low:g} and {high:g}")
