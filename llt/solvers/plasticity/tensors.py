"""A step of many blocks at once, as operations on tensors: the numbers of `dynamics.step`.

Every function has the name of the one that it repeats. Nothing here depends on values, so that
the step can be compiled, and captured in a CUDA graph. Samples have steps of their own length;
one that has arrived stands still.

Shapes: nodes (B, ny + 1, nx + 1), elements (B, ny, nx), numbers of a sample (B, 1, 1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from llt.solvers.plasticity.die import Contact
from llt.solvers.plasticity.dynamics import BLOCK
from llt.solvers.plasticity.element import Damping
from llt.solvers.plasticity.material import NEWTON_STEPS, TINY, Material


class State(NamedTuple):
    """What changes: nodes, elements (stress, then resistance), numbers of a sample."""

    x: Tensor
    y: Tensor
    vx: Tensor
    vy: Tensor
    fx: Tensor
    fy: Tensor
    xx: Tensor
    yy: Tensor
    xy: Tensor
    thickness: Tensor
    plastic: Tensor
    elastic_x: Tensor
    elastic_y: Tensor
    force_x: Tensor
    force_y: Tensor
    pressure: Tensor
    hourglass_work: Tensor
    viscous_work: Tensor
    time: Tensor
    before: Tensor
    steps: Tensor
    work: Tensor
    deepest: Tensor


class Scene(NamedTuple):
    """What does not: masses (ny + 1, nx + 1), the dice's cubics (B, 4, intervals), numbers."""

    mass: Tensor
    cubics: Tensor
    left: float
    interval: float
    speed: float
    material: Material
    damping: Damping
    contact: Contact
    pace: float


Pair = tuple[Tensor, Tensor]


def block(
    state: State, until: Tensor, most: int, scene: Scene, take_step: Callable[..., State]
) -> tuple[State, Tensor]:
    """As one turn of `dynamics.advance`: up to BLOCK steps toward a time.

    Args:
        take_step: `step`, as it is or compiled.

    Returns:
        The state, and which samples still have a way to go.
    """
    length = shortest(state.x, state.y)
    remaining = until - state.time
    going = (remaining > 0) & (length > 0) & (state.steps < most)
    n = torch.ceil(remaining / (scene.pace * length)).where(going, 0)
    # those that stand still take a step, too, which is not kept
    dt = remaining.where(going, 1) / n.clamp(min=1)
    for k in range(BLOCK):
        state = take_step(state, dt, n > k, scene)
    ahead = n > BLOCK
    return state._replace(time=until.where(going & ~ahead, state.time)), ahead


def shortest(x: Tensor, y: Tensor) -> Tensor:
    px, qx, ex = _corners(x)
    py, qy, ey = _corners(y)
    area, length = _extent(px, py, qx, qy, ex, ey)
    return length.where(area > 0, -1.0).amin((1, 2), keepdim=True)


def step(old: State, dt: Tensor, moving: Tensor, scene: Scene) -> State:
    """One step of the samples that move."""
    mean = 0.5 * (old.before + dt)
    tx, ty, depth = push(old, scene)
    vx = old.vx + mean * (old.fx + _top(tx, old.x)) / scene.mass
    vy = old.vy + mean * (old.fy + _top(ty, old.x)) / scene.mass
    vy = pad(vy[:, :-1], (0, 0, 0, 1))  # the bottom slides along its support
    work = tx * (old.before * old.vx[:, :1] + dt * vx[:, :1])
    work = work + ty * (old.before * old.vy[:, :1] + dt * vy[:, :1])

    x, y = old.x + dt * vx, old.y + dt * vy
    new = deform(old, old.x + 0.5 * dt * vx, old.y + 0.5 * dt * vy, vx, vy, dt, scene)
    fx, fy = forces(x, y, new)
    new = new._replace(
        x=x,
        y=y,
        vx=vx,
        vy=vy,
        fx=fx,
        fy=fy,
        time=old.time + dt,
        before=dt,
        steps=old.steps + 1,
        work=old.work + 0.5 * work.sum(-1, keepdim=True),
        deepest=torch.maximum(old.deepest, depth.amax(-1, keepdim=True)),
    )
    return State(*(a.where(moving, b) for a, b in zip(new, old, strict=True)))


def push(state: State, scene: Scene) -> tuple[Tensor, Tensor, Tensor]:
    """Forces of the dice on the top nodes, and how deep these have come through, (B, 1, nx + 1)."""
    x, y, vx, vy = (a[:, :1] for a in (state.x, state.y, state.vx, state.vy))
    k = ((x - scene.left) / scene.interval).long().clamp(0, scene.cubics.shape[2] - 1)
    s = x - scene.left - k.to(x.dtype) * scene.interval
    a, b, c, d = scene.cubics.gather(2, k.expand(-1, 4, -1)).split(1, dim=1)
    inside = s.clamp(0, scene.interval)
    slope = c + inside * (2 * b + 3 * a * inside)
    above = d + inside * (c + inside * (b + inside * a)) + (s - inside) * slope
    r = 1 / torch.sqrt(1 + slope * slope)
    depth = r * (y - above + scene.speed * state.time)
    rate = r * (vy + scene.speed - slope * vx)
    force = (scene.contact.stiffness * depth + scene.contact.damping * rate).clamp(min=0)
    force = force.where(depth > 0, 0)
    return force * slope * r, -force * r, depth.clamp(min=0)


def deform(
    old: State, x: Tensor, y: Tensor, u: Tensor, v: Tensor, dt: Tensor, scene: Scene
) -> State:
    """As `motion`, `update_stress` and `resist`, with x and y halfway."""
    px, qx, ex = _corners(x)
    py, qy, ey = _corners(y)
    pu, qu, eu = _corners(u)
    pv, qv, ev = _corners(v)
    area, length = _extent(px, py, qx, qy, ex, ey)
    r = 0.5 * dt / area
    ux, uy = r * (qy * pu - py * qu), r * (px * qu - qx * pu)
    vx, vy = r * (qy * pv - py * qv), r * (px * qv - qx * pv)
    gx, gy = 0.25 * (dt * eu - ex * ux - ey * uy), 0.25 * (dt * ev - ex * vx - ey * vy)
    slimness = 0.5 / area * (px * px + py * py + qx * qx + qy * qy)
    spin = 0.5 * (uy - vx)
    new, growth = update_stress(old, ux, vy, 0.5 * (uy + vx), spin, scene.material)

    viscosity = scene.damping.impedance * length / dt
    stiffness = scene.damping.stiffness * slimness
    elastic_x = old.elastic_x + spin * old.elastic_y + stiffness * gx
    elastic_y = old.elastic_y - spin * old.elastic_x + stiffness * gy
    force_x, force_y = elastic_x + viscosity * gx, elastic_y + viscosity * gy
    pressure, h = viscosity * growth, 0.5 * new.thickness
    hourglass = (old.force_x + force_x) * gx + (old.force_y + force_y) * gy
    viscous = (old.pressure + pressure) * (ux + vy) * area
    return new._replace(
        elastic_x=elastic_x,
        elastic_y=elastic_y,
        force_x=force_x,
        force_y=force_y,
        pressure=pressure,
        hourglass_work=old.hourglass_work + h * hourglass,
        viscous_work=old.viscous_work + h * viscous,
    )


def update_stress(
    old: State, ex: Tensor, ey: Tensor, exy: Tensor, w: Tensor, material: Material
) -> tuple[State, Tensor]:
    young, nu, strength, _ = material
    stiffness, beta = young / (1 - nu * nu), young / (1 + nu)
    alpha, limit = young / (3 * (1 - nu)), 2 / 3 * strength * strength
    total = old.xx + old.yy
    trial = total + stiffness * (1 + nu) * (ex + ey)
    turned = stiffness * (1 - nu) * (ey - ex) - 4 * w * old.xy
    difference = old.yy - old.xx + turned
    txy = old.xy + beta * exy + w * (old.yy - old.xx)

    mean, shear = trial * trial / 6, 0.5 * difference * difference + 2 * txy * txy
    lam, u, v = torch.zeros_like(mean), torch.ones_like(mean), torch.ones_like(mean)
    for _ in range(NEWTON_STEPS):
        m, s = mean * u * u, shear * v * v
        slope = alpha * m * u + beta * s * v + TINY
        lam = (lam + (torch.sqrt((m + s) / limit) - 1) * (m + s) / slope).clamp(min=0)
        u, v = 1 / (1 + alpha * lam), 1 / (1 + beta * lam)
    new, difference = trial * u, difference * v
    ez = -nu / young * (new - total) - lam / 3 * new
    stress = old._replace(
        xx=0.5 * (new - difference),
        yy=0.5 * (new + difference),
        xy=txy * v,
        thickness=old.thickness * (1 + ez * (1 + 0.5 * ez)),
        plastic=old.plastic + 2 / 3 * strength * lam,
    )
    return stress, ex + ey + ez


def forces(x: Tensor, y: Tensor, state: State) -> Pair:
    px, qx, ex = _corners(x)
    py, qy, ey = _corners(y)
    h = 0.5 * state.thickness
    gx, gy, p, sxy = state.force_x, state.force_y, state.pressure, state.xy
    r = 0.5 / (px * qy - qx * py)
    txx, txy = state.xx + p - r * gx * ex, sxy - r * gx * ey
    tyx, tyy = sxy - r * gy * ex, state.yy + p - r * gy * ey
    fx = _assemble(h * (txy * qx - txx * qy), h * (txx * py - txy * px), 0.5 * h * gx)
    fy = _assemble(h * (tyy * qx - tyx * qy), h * (tyx * py - tyy * px), 0.5 * h * gy)
    return fx, fy


def _assemble(first: Tensor, second: Tensor, twist: Tensor) -> Tensor:
    """Each element's forces on its four corners, summed at the nodes."""
    upper = pad(second - twist, (1, 0, 0, 1)) + pad(first + twist, (0, 1, 0, 1))
    lower = pad(first - twist, (1, 0, 1, 0)) + pad(second + twist, (0, 1, 1, 0))
    return lower - upper


def _top(force: Tensor, like: Tensor) -> Tensor:
    """The forces on the top row as one on all nodes."""
    return pad(force, (0, 0, 0, like.shape[1] - 1))


def _corners(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    x1, x2, x3, x4 = x[:, :-1, :-1], x[:, :-1, 1:], x[:, 1:, 1:], x[:, 1:, :-1]
    return x3 - x1, x4 - x2, x1 - x2 + x3 - x4


def _extent(px: Tensor, py: Tensor, qx: Tensor, qy: Tensor, ex: Tensor, ey: Tensor) -> Pair:
    area = 0.5 * (px * qy - qx * py)
    ax, ay, bx, by = px - qx, py - qy, px + qx, py + qy
    across = torch.maximum((ax - ex) ** 2 + (ay - ey) ** 2, (ax + ex) ** 2 + (ay + ey) ** 2)
    along = torch.maximum((bx - ex) ** 2 + (by - ey) ** 2, (bx + ex) ** 2 + (by + ey) ** 2)
    return area, 2 * area / torch.sqrt(torch.maximum(across, along))
