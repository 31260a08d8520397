"""The shape of a void that makes a pulled plate strongest, found by gradients of a surrogate.

The void of the Elasticity problem has ten numbers θ. Its area is kept, and θ follows the gradient
of the highest stress, through the points of the mesh and the pretrained network. The reference
solver, which has no part in the search, then says what was won.

    python optimize.py [--steps 60] [--seed 0]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

import llt
from llt.solvers.elasticity import Settings, element, solve_void
from llt.solvers.elasticity.mesh import CENTER, TEMPLATE_RADIUS, template
from llt.solvers.elasticity.void import NUM_THETA, THETA_STD, draw_theta

PEAK = 12  # of the norm that stands for the highest stress: smooth, and above it
RATE = 0.08  # of a step, in standard deviations of θ
ANGLES = torch.linspace(0, 2 * torch.pi, 257)[:-1]


def radius(theta: Tensor, phi: Tensor) -> Tensor:
    """Of the void at the angles phi, as in `llt.solvers.elasticity.void`."""
    k = torch.arange(1, NUM_THETA // 2 + 1)
    waves = phi[..., None] * k
    terms = theta[::2] * waves.cos() + theta[1::2] * waves.sin()
    return 0.2 + 0.2 * torch.sigmoid(-(terms / (torch.pi**0.5 * (k**2 + 9))).sum(-1))


def mesh_points(theta: Tensor) -> Tensor:
    """The points of the mesh around the void, (972, 2), as the solver morphs it."""
    mesh = template()
    nodes = torch.tensor(mesh.nodes, dtype=torch.float32)
    offset = nodes - torch.tensor(CENTER, dtype=torch.float32)
    r = offset.norm(dim=1, keepdim=True)
    ray = offset / r
    edge = 0.5 / ray.abs().max(dim=1, keepdim=True).values
    s = (r - TEMPLATE_RADIUS) / (edge - TEMPLATE_RADIUS)
    phi = torch.atan2(ray[:, 1:], ray[:, :1])
    moved = nodes + ray * (radius(theta, phi) - TEMPLATE_RADIUS) * (1 - s)
    shapes = torch.tensor(element.shapes(element.GAUSS_POINTS), dtype=torch.float32)
    return (shapes @ moved[torch.tensor(mesh.elements)]).reshape(-1, 2)


def area(theta: Tensor) -> Tensor:
    return torch.pi * radius(theta, ANGLES).square().mean()


@dataclass(frozen=True)
class Design:
    """A void, and its highest stress as the surrogate and as the solver see it."""

    theta: np.ndarray
    area: float
    predicted: float
    solved: float
    distance: float | None  # from the training cases, above 1 further than all of them


def describe(surrogate: llt.Surrogate, theta: Tensor) -> Design:
    points = mesh_points(theta).numpy()
    far = surrogate.distances(points)
    solution = solve_void(theta.numpy().astype(float), Settings())
    np.testing.assert_allclose(solution.points, points, atol=1e-5)  # the same mesh
    return Design(
        theta=theta.numpy(),
        area=area(theta).item(),
        predicted=float(surrogate.predict(points).max()),
        solved=float(solution.outputs["stress"].max()),
        distance=far[0].value if far else None,
    )


def optimize(surrogate: llt.Surrogate, steps: int, seed: int) -> tuple[Design, Design]:
    """A random void, and the one that gradients lead to from there."""
    start = torch.tensor(draw_theta(np.random.default_rng(seed)), dtype=torch.float32)
    wanted = area(start)
    z = (start / THETA_STD).clone().requires_grad_()
    adam = torch.optim.Adam([z], lr=RATE)
    for step in range(steps):
        theta = THETA_STD * z
        stress = surrogate.torch(mesh_points(theta))[..., 0]
        peak = stress.norm(PEAK)
        off = (area(theta) / wanted - 1).square()
        adam.zero_grad()
        (peak.log() + 100 * off).backward()
        adam.step()
        if step % 10 == 0:
            print(f"step {step}: highest stress {stress.max().item():.1f}", flush=True)
    return describe(surrogate, start), describe(surrogate, THETA_STD * z.detach())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    start, end = optimize(llt.load("pretrained:elasticity"), asked.steps, asked.seed)
    for name, design in (("start", start), ("end", end)):
        far = "" if design.distance is None else f", distance {design.distance:.2f}"
        print(
            f"{name}: highest stress {design.predicted:.1f} predicted, {design.solved:.1f} solved; "
            f"area {design.area:.4f}{far}"
        )
    print(f"the solver confirms {100 * (1 - end.solved / start.solved):.0f} % less stress")


if __name__ == "__main__":
    main()
