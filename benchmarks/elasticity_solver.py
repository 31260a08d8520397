"""Elasticity: seconds per sample on one thread beside scikit-fem, and statistics of the samples.

    python benchmarks/elasticity_solver.py [--samples 100] [--json FILE]

scikit-fem gets the same meshes, material, linear solver and tolerance, so the times compare the
assembly and the displacements check each other. The mesh error is that of the stress at the 972
points against the mesh with elements of a quarter of the size.
"""

from __future__ import annotations

import os

# before numpy starts its threads: all of these are times on one core
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import skfem
from record import write_record
from scipy.sparse.linalg import splu
from skfem.helpers import ddot

from llt.solvers.base import Array, sample_rng
from llt.solvers.elasticity import Settings, material, solve_sample, void
from llt.solvers.elasticity.equilibrium import TOLERANCE
from llt.solvers.elasticity.mesh import Mesh, morph, template
from llt.solvers.elasticity.probe import stress_at
from llt.solvers.elasticity.sample import pull

SETTINGS = Settings()
COMPARED = 10
PUBLISHED = {"mean stress": "150 / 185 / 258", "max stress": "450 / - / 1440"}  # read off plots


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100, help="samples for the statistics")
    parser.add_argument("--json", type=Path, help="where to write the numbers")
    args = parser.parse_args()
    solve_sample(sample_rng(0, 0), SETTINGS)  # the template is read once
    report = generate(args.samples) | compare_with_skfem() | measure_mesh_error()
    for name, value in report.items():
        shown = " / ".join(f"{x:.3g}" for x in value) if isinstance(value, list) else f"{value:.3g}"
        known = f"   published {PUBLISHED[name]}" if name in PUBLISHED else ""
        print(f"{name:44s}{shown}{known}")
    if args.json:
        write_record(args.json, report)


def generate(num_samples: int) -> dict[str, float | list[float]]:
    """Minimum, median and maximum over the samples."""
    start = perf_counter()
    samples = [solve_sample(sample_rng(0, index), SETTINGS) for index in range(num_samples)]
    seconds = (perf_counter() - start) / num_samples
    stress = np.array([sample.outputs["stress"] for sample in samples])
    return {
        "seconds per sample": seconds,
        "samples": num_samples,
        "mean stress": spread(stress.mean(axis=1)),
        "max stress": spread(stress.max(axis=1)),
        "Newton iterations": spread([sample.info["iterations"] for sample in samples]),
        "residual": spread([sample.info["residual"] for sample in samples]),
    }


def measure_mesh_error() -> dict[str, float | list[float]]:
    errors = []
    for index in range(COMPARED):
        theta = void.draw_theta(sample_rng(0, index))
        coarse, fine = (morph(template(level), partial(void.radius, theta)) for level in (0, 2))
        state, fine_state = pull(coarse, SETTINGS.traction), pull(fine, SETTINGS.traction)
        exact = stress_at(fine, fine_state.displacement, state.points.reshape(-1, 2))
        errors.append(deviation(material.von_mises(state.stress), material.von_mises(exact)))
    return {f"mesh error of the stress ({COMPARED} samples)": spread(errors)}


def compare_with_skfem() -> dict[str, float | list[float]]:
    times: dict[str, list[float]] = {"ours": [], "scikit-fem": []}
    deviations = []
    for index in range(COMPARED):
        radius = partial(void.radius, void.draw_theta(sample_rng(0, index)))
        mesh, results = morph(template(), radius), []
        for name, solver in (("ours", solve_ours), ("scikit-fem", solve_skfem)):
            start = perf_counter()
            results.append(solver(mesh))
            times[name].append(perf_counter() - start)
        deviations.append(deviation(*results))
    return {
        "ours on the morphed mesh (s)": float(np.median(times["ours"])),
        "scikit-fem on the morphed mesh (s)": float(np.median(times["scikit-fem"])),
        "largest deviation of the displacement": max(deviations),
    }


def solve_ours(mesh: Mesh) -> Array:
    return pull(mesh, SETTINGS.traction).displacement


def solve_skfem(mesh: Mesh) -> Array:
    basis, nodal = skfem_basis(mesh)
    load = skfem.asm(top_pull, basis.boundary(lambda x: x[1] > 1 - 1e-9))
    free = np.setdiff1d(np.arange(basis.N), basis.get_dofs(lambda x: x[1] < 1e-9).all())
    u = np.zeros(basis.N)
    while True:
        h = basis.interpolate(u).grad  # (2, 2, E, 9)
        unbalanced = (load - skfem.asm(internal, basis, p=piola_stress(h)))[free]
        if np.linalg.norm(unbalanced) < TOLERANCE * np.linalg.norm(load):
            return u[nodal]
        matrix = skfem.asm(stiffness, basis, slope=piola_slope(h)).tocsc()[free][:, free]
        u[free] += splu(matrix, permc_spec="MMD_AT_PLUS_A").solve(unbalanced)


def skfem_basis(mesh: Mesh) -> tuple[skfem.Basis, np.ndarray]:
    """The same nine-node quads, and the place of each of our displacements in its vector."""
    # its nodes of an element: corners, then edges, then the center; ours go row by row
    order = [0, 2, 8, 6, 1, 5, 7, 3, 4]
    corners, numbers = np.unique(mesh.elements[:, order[:4]], return_inverse=True)
    straight = skfem.MeshQuad(mesh.nodes[corners].T, numbers.reshape(-1, 4).T)
    its = skfem.MeshQuad2.from_mesh(straight)
    numbering = skfem.Basis(its, skfem.ElementQuad2()).element_dofs  # (9, E)
    its.doflocs[:, numbering] = mesh.nodes[mesh.elements[:, order]].T
    basis = skfem.Basis(its, skfem.ElementVector(skfem.ElementQuad2()), intorder=5)
    nodal = np.zeros((len(mesh.nodes), 2), dtype=int)
    places = basis.element_dofs.reshape(9, 2, -1)
    nodal[mesh.elements[:, order].T] = places.transpose(0, 2, 1)
    return basis, nodal


@skfem.LinearForm
def top_pull(v, w):
    return SETTINGS.traction * v[1]


@skfem.LinearForm
def internal(v, w):
    return ddot(w["p"], v.grad)


@skfem.BilinearForm
def stiffness(u, v, w):
    return ddot(np.einsum("ijkl...,kl...->ij...", w["slope"], u.grad), v.grad)


def piola_stress(h: Array) -> Array:
    f, strain = kinematics(h)
    return np.einsum("imeg,egmj->ijeg", f, material.stress(strain))


def piola_slope(h: Array) -> Array:
    f, strain = kinematics(h)
    push = np.einsum("imeg,egmjnl,kneg->ijkleg", f, material.tangent(strain), f, optimize=True)
    return push + np.einsum("ik,egjl->ijkleg", np.eye(2), material.stress(strain))


def kinematics(h: Array) -> tuple[Array, Array]:
    """F, and the Green strain as (E, 9, 2, 2)."""
    f = np.eye(2)[:, :, None, None] + h
    return f, (np.einsum("mieg,mjeg->egij", f, f) - np.eye(2)) / 2


def spread(values: Array | list[float]) -> list[float]:
    return [float(np.min(values)), float(np.median(values)), float(np.max(values))]


def deviation(a: Array, b: Array) -> float:
    return float(np.linalg.norm(a.ravel() - b.ravel()) / np.linalg.norm(b))


if __name__ == "__main__":
    main()
