"""Every declared symmetry takes solutions to solutions: the solver itself is asked.

A sample is moved by the symmetry as training moves it, and the moved geometry or input is solved
again; both fields must agree.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.data.augmentation import Augmentation
from llt.data.collate import collate
from llt.data.dataset import Sample
from llt.data.sources import DeviceSource
from llt.data.splits import Splits
from llt.problem import AIRFOIL, DARCY, ELASTICITY, PIPE, PLASTICITY, PROBLEMS
from llt.solvers import SOLVERS, airfoil, darcy, elasticity, pipe, plasticity, sample_rng
from llt.solvers.elasticity.material import von_mises
from llt.solvers.elasticity.mesh import morph, template
from llt.solvers.elasticity.probe import stress_at
from llt.solvers.elasticity.sample import pull
from llt.solvers.elasticity.void import radius
from llt.solvers.pipe import Centerline


def move(problem, points, inputs, outputs, number):
    """Points, inputs and outputs of one sample under symmetry `number`, flat."""
    count = points.size // points.shape[-1]
    rows = [z.reshape(count, z.shape[-1]) for z in (points, inputs, outputs)]
    # a second, different sample keeps the points from counting as shared
    other = Sample(rows[0] + 1, rows[1], rows[2])
    data = collate(problem, [Sample(*rows), other], Splits.consecutive(2, 0, 0))
    part = DeviceSource(data, np.arange(2), torch.device("cpu"))
    batch = Augmentation(part)(part.batch(torch.tensor([0])), torch.tensor([number]))
    return (z[0].double().numpy() for z in (batch.x, batch.a, batch.u))


def test_every_problem_with_symmetries_and_a_solver_is_checked_here():
    declared = {name for name in SOLVERS if PROBLEMS[name].symmetries}
    assert declared == {"airfoil", "darcy", "elasticity", "pipe", "plasticity"}


@pytest.mark.parametrize("number", range(1, 8))
def test_darcy(number):
    settings = darcy.Settings(resolution=41, stored_resolution=41)
    sample = darcy.solve_sample(sample_rng(0, 0), settings)
    a, u = sample.inputs["permeability"][..., None], sample.outputs["pressure"][..., None]
    problem = replace(DARCY, grid=(41, 41))
    x, a, u = move(problem, sample.points, a, u, number)
    again = darcy.solve_permeability(a.reshape(41, 41), settings)
    np.testing.assert_allclose(x, again.points.reshape(-1, 2), atol=1e-6)
    np.testing.assert_allclose(u[:, 0], again.outputs["pressure"].ravel(), atol=1e-8)
    assert not np.allclose(u[:, 0], sample.outputs["pressure"].ravel(), rtol=0.01)


def test_pipe():
    settings = pipe.Settings(elements=8)
    line = Centerline(np.array([0, 0.7, -0.4, 0.2, 0.5]), np.array([0.3, -1, 0.5, 1, -0.7]))
    fields = pipe.solve_fields(line, settings)
    again = pipe.solve_fields(Centerline(-line.heights, -line.slopes), settings)
    problem = replace(PIPE, grid=(17, 17))
    x, _, u = move(problem, fields.points, np.empty((17, 17, 0)), fields.velocity[..., :1], 1)
    np.testing.assert_allclose(x, again.points.reshape(-1, 2), atol=1e-6)
    np.testing.assert_allclose(u[:, 0], again.velocity[..., 0].ravel(), atol=1e-6)


def test_airfoil():
    settings = airfoil.Settings(panels=16, wake=8, layers=12)
    bent = np.array([[0, 0.02, -0.03, 0.01], [0.01, 0.03, 0.02, -0.01]])
    flow = airfoil.solve_flow(bent, settings)
    again = airfoil.solve_flow(-bent[::-1], settings)
    grid = flow.points.shape[:2]
    problem = replace(AIRFOIL, grid=grid)
    x, _, u = move(problem, flow.points, np.empty((*grid, 0)), flow.fields[4][..., None], 1)
    np.testing.assert_allclose(x, again.points.reshape(-1, 2), atol=1e-4)
    np.testing.assert_allclose(u[:, 0], again.fields[4].ravel(), atol=1e-5)


def test_elasticity():
    """The template mesh is not symmetric, so the fields agree up to the error of the mesh."""
    theta = np.random.default_rng(3).normal(0, 16, 10)
    sample = elasticity.solve_void(theta, elasticity.Settings(refine=1))
    count = len(sample.points)
    x, _, u = move(
        ELASTICITY, sample.points, np.empty((count, 0)), sample.outputs["stress"][:, None], 1
    )
    # φ -> π - φ turns cos kφ into (-1)^k cos kφ and sin kφ into -(-1)^k sin kφ
    signs = np.array([[(-1) ** k, -((-1) ** k)] for k in range(1, 6)]).ravel()
    mesh = morph(template(1), lambda phi: radius(signs * theta, phi))
    there = von_mises(stress_at(mesh, pull(mesh, 100.0).displacement, x))
    error = np.linalg.norm(u[:, 0] - there) / np.linalg.norm(there)
    assert error < 0.025


def test_plasticity():
    settings = plasticity.Settings(nx=20, ny=6, frames=3, drop=1.0)
    knots = np.array([8.0, 1.0, 5.0, 2.0, 6.5, 3.0, 0.5, 8.0])
    formed, again = (plasticity.solve_die(k, settings) for k in (knots, knots[::-1]))
    fields, mirrored = (_last_frame(each) for each in (formed, again))
    problem = replace(PLASTICITY, grid=(21, 7), timed=False)
    x, a, u = move(problem, formed.points, _die(formed), fields, 1)
    np.testing.assert_allclose(x, again.points.reshape(-1, 2), atol=1e-5)
    np.testing.assert_allclose(a, _die(again).reshape(-1, 1), atol=1e-5)
    np.testing.assert_allclose(u, mirrored.reshape(-1, 4), atol=1e-5)
    assert not np.allclose(u, fields.reshape(-1, 4), atol=0.1)


def _die(formed):
    """Above every node."""
    return np.repeat(formed.die[:, None], 7, axis=1)[..., None]


def _last_frame(formed):
    return np.concatenate([formed.positions[-1], formed.positions[-1] - formed.points], axis=-1)
