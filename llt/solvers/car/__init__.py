"""Car: air flows around a car; its mean velocity around it and pressure on its surface.

    ∂u/∂t + ∇·(u u) = -∇p/ρ + ν Δu,    ∇·u = 0,    averaged over time

parametric car -> projection method with the car as a penalized body -> values at points.
"""

from llt.solvers.car.sample import (
    BATCH_SIZE,
    VERSION,
    solve_cars,
    solve_sample,
    solve_samples,
)
from llt.solvers.car.settings import Settings
from llt.solvers.car.shape import Car, random_car

__all__ = [
    "BATCH_SIZE",
    "VERSION",
    "Car",
    "Settings",
    "random_car",
    "solve_cars",
    "solve_sample",
    "solve_samples",
]
