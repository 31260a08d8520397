"""Plasticity: a die of random shape is pressed into a block of metal; where its points go.

    ρ ü = ∇·σ,    σ elastic and perfectly plastic, plane stress, large deformation

die -> explicit dynamics with one-point elements -> positions and displacements at 20 frames.
"""

from llt.solvers.plasticity.sample import (
    VERSION,
    Forming,
    Settings,
    solve_die,
    solve_sample,
)

__all__ = ["VERSION", "Forming", "Settings", "solve_die", "solve_sample"]
