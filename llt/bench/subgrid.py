"""What a thinned input cannot tell: an exact solve of Darcy's equation, told what a model is told.

A dataset stores every k-th point of the permeability, so where an interface runs between two of
them nobody knows who reads the file. Here it is put where cubic splines through the stored points
change sign, the equation is solved on the fine grid with that, and the pressure compared with the
sample's own. A model can do better by averaging over all interfaces that fit; not by much.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import RectBivariateSpline

from llt.data.dataset import Dataset
from llt.errors import DataError
from llt.solvers.darcy import Settings, linear_maps, solve_permeability

Array = NDArray[np.float64]


def subgrid_errors(data: Dataset, indices: NDArray[np.int64]) -> Array:
    """Relative L2 of solves with guessed interfaces, for samples of a generated Darcy file."""
    settings = _settings(data)
    shape = (settings.stored_resolution,) * 2
    errors = []
    for index in indices:
        sample = data.sample(int(index))
        stored = sample.inputs[:, 0].reshape(shape).astype(float)
        guess = guessed_permeability(stored, settings)
        u = sample.outputs[:, 0].reshape(shape)
        found = solve_permeability(guess, settings).outputs["pressure"]
        errors.append(np.linalg.norm(found - u) / np.linalg.norm(u))
    return np.array(errors)


def guessed_permeability(stored: Array, settings: Settings) -> Array:
    """On the grid of the solve, from every k-th of its points."""
    x = linear_maps(settings).x
    fine = linear_maps(_unthinned(settings)).x
    middle = (settings.low + settings.high) / 2
    above = RectBivariateSpline(x, x, np.where(stored > middle, 1.0, -1.0))(fine, fine)
    return np.where(above >= 0, settings.high, settings.low)


def _unthinned(settings: Settings) -> Settings:
    return replace(settings, stored_resolution=settings.resolution)


def _settings(data: Dataset) -> Settings:
    about: dict[str, Any] = data.provenance
    if about.get("solver") != "darcy":
        raise DataError(f"{data.problem.name}: expected a file of llt generate darcy")
    return Settings(**about["settings"])
