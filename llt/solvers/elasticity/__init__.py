"""Elasticity: a square cell of rubber with a random void, pulled upwards; von Mises stress.

    div(F S) = 0,    F = I + ∇u,    S = 2 ∂W/∂C    (plane stress, incompressible Mooney-Rivlin)

void -> template mesh morphed to it -> Newton on nine-node quads -> stress at the Gauss points.
The published strains are about 3e-4, so the stress is that of a linear body with Poisson's ratio
1/2 to about 1e-3, and depends no more than that on the two material constants.
"""

from llt.solvers.elasticity.sample import VERSION, Settings, solve_sample, solve_void

__all__ = ["VERSION", "Settings", "solve_sample", "solve_void"]
