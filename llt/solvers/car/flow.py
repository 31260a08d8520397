"""Incompressible flow around a body: a projection method on a staggered grid.

    ∂u/∂t + ∇·(u u) = -∇p + ν Δu - κ u,    ∇·u = 0

p is the pressure over the density. A body is where the friction κ is large: taken implicitly,
faces inside keep no velocity. Second-order Adams-Bashforth, then the velocity is made free of
divergence and the pressure corrected (incremental, so that a steady pressure drives no air
through the body). A step reads nothing back from the device.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from llt.solvers.car.advection import Metric, Velocity, metrics, tendency
from llt.solvers.car.grid import Grid
from llt.solvers.car.poisson import Poisson, diagonalize, solve

GUST, GUSTS = 0.05, 6  # their share of the inflow, and how many periods there are along z


class State(NamedTuple):
    """Of all samples at one time; (B, nx, ny, nz), velocities with one more along their axis."""

    velocity: Velocity
    pressure: Tensor
    before: Velocity  # its tendency one step ago


class Air(NamedTuple):
    """What stays the same."""

    metric: tuple[Metric, Metric, Metric]
    poisson: Poisson
    passes: Velocity  # share of the velocity that is kept on each face: 0 in bodies and walls
    inflow: float
    viscosity: float
    dt: float
    through: bool


def make_air(grid: Grid, solid: Velocity, *, inflow: float, viscosity: float, dt: float) -> Air:
    """Args: solid: how much of each face is inside the body, 0 to 1, (B, ...)."""
    friction = inflow * dt / grid.finest
    passes = []
    for component, share in enumerate(solid):
        keep = (1 - share) / (1 - share + friction * share)
        dim, last = component - 3, share.shape[component - 3] - 1
        keep.narrow(dim, 0, 1).zero_()
        if component != 2 or not grid.through:
            keep.narrow(dim, last, 1).zero_()
        passes.append(keep)
    return Air(
        metrics(grid, solid[0]),
        diagonalize(grid, solid[0]),
        (passes[0], passes[1], passes[2]),
        inflow if grid.through else 0.0,
        viscosity,
        dt,
        grid.through,
    )


def start(air: Air, velocity: Velocity) -> State:
    """From a velocity that is made free of divergence first."""
    velocity, pressure = project(velocity, air)
    change = tendency(velocity, air.metric, air.viscosity, air.through)
    return State(velocity, torch.zeros_like(pressure), change)


def sudden(air: Air) -> Velocity:
    """The inflow everywhere, with gusts from the side: without them a wake keeps symmetric."""
    u, v, w = (torch.zeros_like(part) for part in air.passes)
    along = torch.linspace(0, 1, u.shape[-1], dtype=u.dtype, device=u.device)
    gusts = GUST * air.inflow * torch.sin(GUSTS * 2 * torch.pi * along)
    return u + gusts, v, w + air.inflow


def step(state: State, air: Air) -> State:
    velocity, change = propose(state, air)
    velocity, pressure = project(velocity, air)
    return State(velocity, state.pressure + pressure, change)


def propose(state: State, air: Air) -> tuple[Velocity, Velocity]:
    """The velocity before its divergence is taken away, and its tendency."""
    change = tendency(state.velocity, air.metric, air.viscosity, air.through)
    free = driven(state, change, air)
    u, v, w = (keep * part for keep, part in zip(air.passes, free, strict=True))
    if air.through:
        w = torch.cat([torch.full_like(w[..., :1], air.inflow), w[..., 1:]], -1)
    return (u, v, w), change


def driven(state: State, change: Velocity, air: Air) -> Velocity:
    """As if there were no body."""
    slopes = gradient(state.pressure, air)
    u, v, w = (
        part + air.dt * (1.5 * now - 0.5 * before - slope)
        for part, now, before, slope in zip(
            state.velocity, change, state.before, slopes, strict=True
        )
    )
    return u, v, w


def project(velocity: Velocity, air: Air) -> tuple[Velocity, Tensor]:
    """The nearest velocity without divergence, and the pressure that makes it so."""
    pressure = solve(air.poisson, divergence(velocity, air.metric) / air.dt)
    slopes = gradient(pressure, air)
    u, v, w = (part - air.dt * slope for part, slope in zip(velocity, slopes, strict=True))
    return (u, v, w), pressure


def divergence(velocity: Velocity, metric: tuple[Metric, Metric, Metric]) -> Tensor:
    x, y, z = (part.diff(dim=axis - 3) / metric[axis].widths for axis, part in enumerate(velocity))
    return x + y + z


def gradient(pressure: Tensor, air: Air) -> Velocity:
    """On faces; none on walls and at the inlet, and p = 0 at an open outlet."""
    slopes = []
    for axis, metric in enumerate(air.metric):
        dim = axis - 3
        inner = metric.spacings.narrow(dim, 1, pressure.shape[dim] - 1)
        first = last = torch.zeros_like(pressure.narrow(dim, 0, 1))
        if air.through and axis == 2:
            last = -pressure[..., -1:] / (metric.widths[..., -1:] / 2)
        slopes.append(torch.cat([first, pressure.diff(dim=dim) / inner, last], dim))
    return slopes[0], slopes[1], slopes[2]
