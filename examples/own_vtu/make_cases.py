"""Simulation results as an engineer has them: a folder of VTU files and a table of parameters.

    python make_cases.py [--num 60] [--out cases]

A square plate with a hole of random shape is clamped at its left edge and pulled at its right one
(plane stress, quadratic triangles, scikit-fem). Every case has a mesh of its own, of 300 to 1400
points; its file holds the displacement u and the von Mises stress. `params.csv` has the pull and
Poisson's ratio of every case; `new/plate.vtu` is one more mesh, without any result.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
import pyvista
from skfem import (
    Basis,
    ElementTriP1,
    ElementTriP2,
    ElementVector,
    FacetBasis,
    LinearForm,
    MeshTri,
    asm,
    condense,
    solve,
)
from skfem.helpers import sym_grad
from skfem.models.elasticity import lame_parameters, linear_elasticity, linear_stress

STIFFNESS = 70.0  # GPa


def plate(rng: np.random.Generator) -> MeshTri:
    """Rings of points from a hole's edge out to the square's; lengths in m."""
    around, rings = 4 * int(rng.integers(9, 17)), int(rng.integers(8, 21))
    angle = np.linspace(0, 2 * np.pi, around, endpoint=False) + np.pi / 4
    waves = np.arange(2, 5)[:, None]
    size, phase = rng.uniform(0, 0.12, (3, 1)) / waves, rng.uniform(0, 2 * np.pi, (3, 1))
    radius = rng.uniform(0.15, 0.28) * (1 + (size * np.cos(waves * angle + phase)).sum(axis=0))
    circle = np.stack([np.cos(angle), np.sin(angle)])
    hole, square = radius * circle, 0.5 * circle / np.abs(circle).max(axis=0)
    share = np.linspace(0, 1, rings) ** 1.4  # finer at the hole
    points = hole[..., None] * (1 - share) + square[..., None] * share  # (2, around, rings)
    first = np.arange(around * rings).reshape(around, rings)
    a, b = first[:, :-1].ravel(), first[:, 1:].ravel()
    c, d = np.roll(first, -1, axis=0)[:, 1:].ravel(), np.roll(first, -1, axis=0)[:, :-1].ravel()
    triangles = np.concatenate([np.stack([a, b, c]), np.stack([a, c, d])], axis=1)
    return MeshTri(points.reshape(2, -1) + 0.5, triangles)


def pull(mesh: MeshTri, load: float, poisson: float) -> tuple[np.ndarray, np.ndarray]:
    """Displacement (N, 2) in mm, and von Mises stress (N,) in MPa, for a load in MPa."""
    shear, mu = lame_parameters(STIFFNESS, poisson)
    shear = 2 * shear * mu / (shear + 2 * mu)  # plane stress
    element = ElementVector(ElementTriP2())
    basis = Basis(mesh, element)
    right = FacetBasis(mesh, element, facets=mesh.facets_satisfying(lambda x: x[0] > 1 - 1e-9))

    @LinearForm
    def traction(v, w):
        return load * v[0]

    clamped = basis.get_dofs(lambda x: x[0] < 1e-9)
    u = solve(*condense(asm(linear_elasticity(shear, mu), basis), asm(traction, right), D=clamped))
    (xx, xy), (_, yy) = linear_stress(shear, mu)(sym_grad(basis.interpolate(u)))
    mises = np.sqrt(xx**2 + yy**2 - xx * yy + 3 * xy**2)
    nodes = basis.with_element(ElementTriP1())
    # means over the neighborhoods of the points
    return u[basis.nodal_dofs].T, asm(weighted, nodes, s=mises) / asm(weighted, nodes, s=1 + 0 * xx)


@LinearForm
def weighted(v, w):
    return w.s * v


def as_vtk(mesh: MeshTri) -> pyvista.UnstructuredGrid:
    points = np.insert(mesh.p.T, 2, 0.0, axis=1)  # VTK has three coordinates
    return pyvista.UnstructuredGrid({pyvista.CellType.TRIANGLE: mesh.t.T}, points)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path("cases"))
    words = parser.parse_args()
    words.out.mkdir()
    with (words.out / "params.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["case", "load [MPa]", "poisson"])
        for number in range(words.num):
            rng = np.random.default_rng([0, number])
            load, poisson = rng.uniform(50, 150), rng.uniform(0.2, 0.4)
            mesh = plate(rng)
            result = as_vtk(mesh)
            displacement, result.point_data["mises"] = pull(mesh, load, poisson)
            result.point_data["u"] = np.insert(displacement, 2, 0.0, axis=1)
            result.save(words.out / f"plate_{number}.vtu")
            table.writerow([f"plate_{number}", load, poisson])
    new = words.out.with_name("new")
    new.mkdir(exist_ok=True)
    as_vtk(plate(np.random.default_rng(1))).save(new / "plate.vtu")


if __name__ == "__main__":
    main()
