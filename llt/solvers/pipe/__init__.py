"""Pipe: steady laminar flow through a channel with a random bend; the streamwise velocity.

    -ν Δu + (u·∇)u + ∇p = 0,    ∇·u = 0

centerline -> grid moved up and down with it -> Newton on Taylor-Hood elements -> u_x at the
points. The stored grid is the solver's own: every point carries a velocity of the solution.
"""

from llt.solvers.pipe.centerline import Centerline
from llt.solvers.pipe.sample import VERSION, Fields, Settings, solve_fields, solve_sample

__all__ = ["VERSION", "Centerline", "Fields", "Settings", "solve_fields", "solve_sample"]
