"""Results without any mesh format: a NumPy file for every case, and a table of parameters.

    python make_cases.py [--num 60] [--out beams]

A beam is clamped at its right end and loaded at its left one, in plane stress; Timoshenko's closed
form stands in for the solver. Every case has a length, a height and points of its own; its file
holds the displacement u in mm and the stress along the beam in MPa. `cases.csv` has the load, the
stiffness and, as a word that is no number, the material of every case. `new/` has three more beams,
points alone, and their own `cases.csv`.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

POISSON = 0.3
MATERIALS = {"aluminum": 70.0, "titanium": 115.0, "steel": 210.0}  # GPa


def beam(rng: np.random.Generator) -> np.ndarray:
    """Points (N, 2) in mm, from the load at x = 0 to the clamp, with the axis at y = 0."""
    length, height = rng.uniform(180, 220), rng.uniform(30, 50)
    nx, ny = rng.integers((24, 7), (37, 12))
    x, y = np.meshgrid(np.linspace(0, length, nx), np.linspace(-height / 2, height / 2, ny))
    return np.stack([x.ravel(), y.ravel()], axis=1)


def bend(points: np.ndarray, load: float, stiffness: float) -> tuple[np.ndarray, np.ndarray]:
    """Displacement (N, 2) in mm and stress (N,) in MPa, for a load in N per mm of width."""
    x, y = points.T
    length, c = x.max(), y.max()
    E, inertia = 1000 * stiffness, 2 * c**3 / 3
    G, nu, P = E / (2 + 2 * POISSON), POISSON, load
    slope = P * length**2 / (2 * E * inertia)  # so that the axis is level at the clamp
    across = P * c**2 / (2 * inertia * G)
    u = -P * x**2 * y / (2 * E * inertia) - nu * P * y**3 / (6 * E * inertia)
    u += P * y**3 / (6 * inertia * G) + (slope - across) * y
    v = nu * P * x * y**2 / (2 * E * inertia) + P * x**3 / (6 * E * inertia) - slope * x
    return np.stack([u, v + slope * length * 2 / 3], axis=1), -P * x * y / inertia


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path("beams"))
    words = parser.parse_args()
    new = words.out.with_name("new")
    for seed, (folder, num) in enumerate(((words.out, words.num), (new, 3))):
        folder.mkdir()
        with (folder / "cases.csv").open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["case", "load [N/mm]", "stiffness [GPa]", "material"])
            for number in range(num):
                rng = np.random.default_rng([seed, number])
                load, material = rng.uniform(20, 60), rng.choice([*MATERIALS])
                stiffness, points = MATERIALS[material] * rng.uniform(0.95, 1.05), beam(rng)
                u, stress = bend(points, load, stiffness)
                fields = {} if seed else {"u": u, "stress": stress}
                name = f"{'new' if seed else 'beam'}_{number}"
                np.savez(folder / f"{name}.npz", points=points, **fields)
                table.writerow([name, load, stiffness, material])


if __name__ == "__main__":
    main()
