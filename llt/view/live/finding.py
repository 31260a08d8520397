"""Which live problem a surrogate can answer: one that its training data are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llt.data.thinning import stride_between
from llt.errors import LltError
from llt.problem import AIRFOIL, DARCY, PIPE
from llt.solvers.generate import make_settings
from llt.surrogate import Surrogate
from llt.view.live.answering import LiveProblem
from llt.view.live.kind import Kind


def find_live(surrogate: Surrogate, provenance: Mapping[str, Any]) -> LiveProblem | None:
    """None where the data are not made by the reference solver, or on another grid than its own."""
    kind = _kind(surrogate, provenance)
    return None if kind is None else LiveProblem(surrogate, kind)


def _kind(surrogate: Surrogate, provenance: Mapping[str, Any]) -> Kind[Any] | None:
    problem, grid = surrogate.problem, surrogate.problem.grid
    signatures = {known.signature for known in (DARCY, AIRFOIL, PIPE)}
    made_here = provenance.get("solver") == problem.name and "settings" in provenance
    if problem.signature not in signatures or not made_here or grid is None:
        return None
    words = dict(provenance["settings"])
    try:
        if problem.name == DARCY.name:
            from llt.view.live.darcy import Darcy

            words["stored_resolution"] = grid[0]
            return Darcy(surrogate, make_settings(problem.name, words))
        settings = make_settings(problem.name, words)
    except LltError:  # made by another version of the solver
        return None
    if problem.name == AIRFOIL.name:
        from llt.view.live.airfoil import Airfoil

        around = 2 * (settings.wake + settings.panels) + 1
        stride = stride_between((around, settings.layers + 1), grid)
        return None if stride is None else Airfoil(settings, stride)
    from llt.view.live.pipe import Pipe

    stride = stride_between((2 * settings.elements + 1,) * 2, grid)
    return None if stride is None else Pipe(settings, stride)
