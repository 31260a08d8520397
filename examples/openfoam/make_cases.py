"""Simulation results as OpenFOAM leaves them: a folder for every case, in ASCII.

    python make_cases.py [--num 60] [--out ducts]

A viscous fluid is pressed through a flat duct that narrows. Thin as it is, the flow has a closed
form (lubrication theory), which stands in for the solver: U follows the walls with a parabola
across the duct, the kinematic pressure p falls to zero at the outlet. Every case has a blockMesh of
its own, one cell thick; `params.csv` has the flow rate per depth and the viscosity of every case,
`new/duct` is one more mesh, without any result.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DEPTH = 0.01  # m, of the one cell across the plane
LAST = "100"  # the time that the solver stopped at
HEAD = "FoamFile\n{{\n    version 2.0;\n    format ascii;\n    class {};\n    object {};\n}}\n"
CONTROL = """application icoFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 100;
deltaT 1; writeControl timeStep; writeInterval 100; writeFormat ascii;
"""
PATCHES = {"inlet": "patch", "outlet": "patch", "walls": "wall", "frontAndBack": "empty"}


@dataclass(frozen=True)
class Duct:
    """From x = 0 to its length, above y = 0; lengths in m."""

    length: float
    inlet: float  # height
    outlet: float
    nx: int  # cells
    ny: int

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Duct:
        inlet = rng.uniform(0.08, 0.12)
        outlet, (nx, ny) = inlet * rng.uniform(0.4, 0.8), rng.integers((24, 8), (41, 15))
        return cls(rng.uniform(0.9, 1.1), inlet, outlet, int(nx), int(ny))

    def place(self, i: np.ndarray, j: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x and y, counted in cells from the inlet and from the bottom."""
        x = self.length * i / self.nx
        return x, self.height(x) * j / self.ny

    def height(self, x: np.ndarray) -> np.ndarray:
        return self.inlet + (self.outlet - self.inlet) * x / self.length

    def flow(self, rate: float, viscosity: float) -> tuple[np.ndarray, np.ndarray]:
        """p (M,) and U (M, 3) at the cells' centers."""
        j, i = np.mgrid[: self.ny, : self.nx].reshape(2, -1) + 0.5
        x, y = self.place(i, j)
        h, slope = self.height(x), (self.outlet - self.inlet) / self.length
        along = 6 * rate / h * (y / h) * (1 - y / h)
        p = 12 * viscosity * rate * (h**-2 - self.outlet**-2) / (2 * slope)
        return p, np.stack([along, along * slope * y / h, 0 * x], axis=1)


def write_mesh(folder: Path, duct: Duct) -> None:
    nx, ny = duct.nx, duct.ny
    j, i = np.mgrid[: ny + 1, : nx + 1].reshape(2, -1)
    x, y = duct.place(i, j)
    points = [(a, b, z) for z in (0, DEPTH) for a, b in zip(x, y, strict=True)]
    cell = np.arange(nx * ny).reshape(ny, nx)
    node = np.arange(2 * len(x)).reshape(2, ny + 1, nx + 1)

    def across(column: slice, *, back: bool = False) -> np.ndarray:
        """Faces that look along x, or back; corners go around the direction."""
        low, high = node[:, :-1, column], node[:, 1:, column]
        around = [low[0], high[0], high[1], low[1]]
        return np.stack(around[::-1] if back else around, axis=-1)

    def above(row: slice, *, back: bool = False) -> np.ndarray:
        """Faces that look along y, or back."""
        low, high = node[:, row, :-1], node[:, row, 1:]
        around = [low[0], low[1], high[1], high[0]]
        return np.stack(around[::-1] if back else around, axis=-1)

    sides = [node[:, :-1, :-1], node[:, :-1, 1:], node[:, 1:, 1:], node[:, 1:, :-1]]
    front = np.stack([corner[1] for corner in sides], axis=-1)
    behind = np.stack([corner[0] for corner in reversed(sides)], axis=-1)
    inner = [(cell[:, :-1], cell[:, 1:], across(slice(1, -1)))]
    inner += [(cell[:-1], cell[1:], above(slice(1, -1)))]
    owners, others, faces = (np.concatenate(z) for z in zip(*map(_flat, inner), strict=True))
    order = np.lexsort((others, owners))  # as OpenFOAM wants its inner faces
    patches = {
        "inlet": [(cell[:, :1], across(slice(0, 1), back=True))],
        "outlet": [(cell[:, -1:], across(slice(-1, None)))],
        "walls": [(cell[:1], above(slice(0, 1), back=True)), (cell[-1:], above(slice(-1, None)))],
        "frontAndBack": [(cell, front), (cell, behind)],
    }
    owners, faces, entries = [owners[order]], [faces[order]], []
    for name, parts in patches.items():
        start, count = sum(map(len, owners)), sum(own.size for own, _ in parts)
        about = f"type {PATCHES[name]}; nFaces {count}; startFace {start};"
        entries.append(f"{name} {{ {about} }}")
        owners += [own.ravel() for own, _ in parts]
        faces += [corners.reshape(-1, 4) for _, corners in parts]
    _put(folder / "points", "vectorField", _vectors(points))
    _put(folder / "faces", "faceList", (f"4{row}" for row in _vectors(np.concatenate(faces))))
    _put(folder / "owner", "labelList", map(str, np.concatenate(owners)))
    _put(folder / "neighbour", "labelList", map(str, others[order]))
    _put(folder / "boundary", "polyBoundaryMesh", entries)


def write_field(path: Path, kind: str, dimensions: str, values: str) -> None:
    sides = {name: "empty" if kind == "empty" else "zeroGradient" for name, kind in PATCHES.items()}
    boundary = " ".join(f"{name} {{ type {side}; }}" for name, side in sides.items())
    path.parent.mkdir(exist_ok=True)
    text = f"dimensions {dimensions};\ninternalField {values};\nboundaryField {{ {boundary} }}\n"
    path.write_text(HEAD.format(f"vol{kind}Field", path.name) + text)


def write_case(folder: Path, duct: Duct, flow: tuple[np.ndarray, np.ndarray] | None) -> None:
    (folder / "system").mkdir(parents=True)
    control = folder / "system" / "controlDict"
    control.write_text(HEAD.format("dictionary", control.name) + CONTROL)
    (folder / "constant" / "polyMesh").mkdir(parents=True)
    write_mesh(folder / "constant" / "polyMesh", duct)
    p, U = flow if flow is not None else (None, None)
    for name, kind, dimensions, zero, values in (
        ("p", "Scalar", "[0 2 -2 0 0 0 0]", "0", None if p is None else map(repr, p.tolist())),
        ("U", "Vector", "[0 1 -1 0 0 0 0]", "(0 0 0)", None if U is None else _vectors(U)),
    ):
        write_field(folder / "0" / name, kind, dimensions, f"uniform {zero}")
        if values is not None:
            listed = f"nonuniform List<{kind.lower()}> {_listed(values)}"
            write_field(folder / LAST / name, kind, dimensions, listed)


def _flat(part: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    owner, other, faces = part
    return owner.ravel(), other.ravel(), faces.reshape(-1, 4)


def _vectors(rows: Iterable[Iterable[float]]) -> Iterable[str]:
    return (f"({' '.join(f'{value:.9g}' for value in row)})" for row in rows)


def _listed(values: Iterable[str]) -> str:
    words = list(values)
    return f"{len(words)}\n(\n" + "\n".join(words) + "\n)\n"


def _put(path: Path, kind: str, values: Iterable[str]) -> None:
    path.write_text(HEAD.format(kind, path.name) + _listed(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path("ducts"))
    words = parser.parse_args()
    words.out.mkdir()
    with (words.out / "params.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["case", "rate [m^2/s]", "viscosity [m^2/s]"])
        for number in range(words.num):
            rng = np.random.default_rng([0, number])
            rate, viscosity = rng.uniform(0.5e-4, 2e-4), rng.uniform(1e-5, 4e-5)
            duct = Duct.draw(rng)
            write_case(words.out / f"duct_{number}", duct, duct.flow(rate, viscosity))
            table.writerow([f"duct_{number}", rate, viscosity])
    write_case(words.out.with_name("new") / "duct", Duct.draw(np.random.default_rng(1)), None)


if __name__ == "__main__":
    main()
