"""Parametric cars: a side profile with rounded corners between two sides, on four wheels.

The shape is given by its signed distance, negative inside, in closed form. It is exact but for
the slant of the sides and where wheels blend into the body. x is lateral, y up, z streamwise: the
front is at the smallest z. These are not the cars of ShapeNet.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from llt.errors import ConfigError
from llt.solvers.base import Array

GROUND = -0.72  # its height in the published data
GAP = 0.03  # below the wheels, so that air has a way and points a place
CORNER = 0.12  # radius of the profile's corners
TIRE = 0.04  # radius of a wheel's edges
BLEND = 0.06  # over which wheels and body become one
LONGEST = 5.4  # m: around longer ones cells are not fine
ORDERED = (
    ("screen_foot", "screen_top", "window_top", "window_foot"),
    ("clearance", "nose", "hood", "height"),
    ("clearance", "tail", "height"),
    ("clearance", "boot", "height"),
)
STEP = 1e-4  # of the differences that give the normal, m


@dataclass(frozen=True, kw_only=True)
class Car:
    """Lengths in m; heights are above the ground, stations are shares of the length."""

    length: float
    width: float
    height: float
    clearance: float
    nose: float  # height of the hood's front
    hood: float  # height at the windscreen's foot
    boot: float  # height behind the rear window
    tail: float  # height of the rear end
    screen_foot: float  # stations from 0 in front to 1 at the rear
    screen_top: float
    window_top: float
    window_foot: float
    tumblehome: float  # how much the sides lean in, per m above the belt
    taper: float  # share of the width lost at both ends
    edge: float  # radius between the profile and the sides
    wheel_radius: float
    wheel_width: float
    wheelbase: float

    def __post_init__(self) -> None:
        measures = asdict(self)
        for name, value in measures.items():
            if not 0 < value < LONGEST:
                raise ConfigError(f"car: {name}={value:g} must be between 0 and {LONGEST:g}")
        for names in ORDERED:
            if sorted(names, key=measures.__getitem__) != [*names]:
                values = ", ".join(f"{name} {measures[name]:g}" for name in names)
                raise ConfigError(f"car: measures must increase in the order {values}")
        if self.wheelbase / 2 + self.wheel_radius > self.length / 2:
            raise ConfigError(f"car: wheelbase={self.wheelbase:g} puts wheels outside of the car")

    @cached_property
    def profile(self) -> Array:
        """Corners (z, y) of the side view, counterclockwise from the front's lower one."""
        stations = np.array([0.02, 0.98, 1, *self._roof[0], 0]) - 0.5
        heights = [self.clearance, self.clearance, self.tail, *self._roof[1], self.nose]
        return np.stack([stations * self.length, np.array(heights)], -1)

    @property
    def _roof(self) -> tuple[list[float], list[float]]:
        stations = [self.window_foot, self.window_top, self.screen_top, self.screen_foot]
        return stations, [self.boot, self.height, self.height, self.hood]

    def top(self, z: Array) -> Array:
        """Height of the body above the ground, at its middle."""
        upper = self.profile[:1:-1]  # from the nose to the tail
        heights: Array = np.interp(z, upper[:, 0], upper[:, 1])
        return heights

    def half_width(self, y: Tensor, z: Tensor) -> tuple[Tensor, Tensor]:
        """Of the sides, and how much longer than lateral the way along their slant is."""
        station = (2 * z / self.length).clamp(-1, 1)
        above = (y - GROUND).clamp(max=self.height) - self.hood
        # bends within a hand's breadth of the belt
        bend = (above.square() + 0.01).sqrt()
        half = self.width / 2 * (1 - self.taper * station**4)
        half = half - self.tumblehome * (above + bend) / 2
        along = 4 * self.taper * self.width / self.length * station**3
        up = self.tumblehome * (1 + above / bend) / 2
        return half, (1 + along.square() + up.square()).sqrt()

    def distance(self, points: Tensor) -> Tensor:
        """(..., 3) -> (...)"""
        x, y, z = points.unbind(-1)
        half, slant = self.half_width(y, z)
        sides = (x.abs() - half) / slant
        side_view = _polygon(_inset(self.profile, CORNER), z, y - GROUND) - CORNER
        body = _rounded_corner(side_view, sides, self.edge)
        return _blend(body, self._wheels(x, y, z), BLEND)

    def _wheels(self, x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        up = y - (GROUND + GAP + self.wheel_radius)
        tread = torch.hypot(z.abs() - self.wheelbase / 2, up) - self.wheel_radius
        middle = self.width / 2 * (1 - self.taper) - self.wheel_width / 2
        flank = (x.abs() - middle).abs() - self.wheel_width / 2
        return _rounded_corner(tread, flank, TIRE)

    def normal(self, points: Tensor) -> Tensor:
        """The distance's unit gradient: outward on the surface, away from it elsewhere."""
        gradient = torch.empty_like(points)
        for axis in range(3):
            ahead = points.clone()
            ahead[..., axis] += STEP
            behind = points.clone()
            behind[..., axis] -= STEP
            gradient[..., axis] = self.distance(ahead) - self.distance(behind)
        return torch.nn.functional.normalize(gradient, dim=-1)

    def parameters(self) -> dict[str, float]:
        return asdict(self)


# ranges of the roof's stations and heights: screen foot and top, window top and foot, boot's share
# of the hood's height
KINDS = {
    "sedan": ((0.26, 0.32), (0.42, 0.48), (0.66, 0.74), (0.82, 0.88), (1.00, 1.15)),
    "hatchback": ((0.25, 0.31), (0.40, 0.46), (0.84, 0.92), (0.955, 0.975), (1.00, 1.15)),
    "suv": ((0.26, 0.32), (0.38, 0.43), (0.90, 0.94), (0.965, 0.98), (0.95, 1.10)),
    "pickup": ((0.26, 0.31), (0.38, 0.43), (0.52, 0.58), (0.61, 0.66), (0.92, 1.02)),
}
LENGTHS = {"sedan": (4.2, 5.0), "hatchback": (3.6, 4.4), "suv": (4.2, 5.0), "pickup": (4.5, 5.0)}
HEIGHTS = {
    "sedan": (1.25, 1.50),
    "hatchback": (1.35, 1.60),
    "suv": (1.55, 1.85),
    "pickup": (1.55, 1.85),
}


def random_car(rng: np.random.Generator) -> Car:
    """One of four kinds, each as likely, with uniform lengths and stations."""
    kind = [*KINDS][rng.integers(len(KINDS))]
    stations = [float(rng.uniform(*span)) for span in KINDS[kind][:4]]
    length, height = (float(rng.uniform(*spans[kind])) for spans in (LENGTHS, HEIGHTS))
    clearance = float(rng.uniform(0.15, 0.25))
    hood = clearance + float(rng.uniform(0.50, 0.58)) * (height - clearance)
    boot = hood * float(rng.uniform(*KINDS[kind][4]))
    return Car(
        length=length,
        width=float(rng.uniform(1.6, 2.0)),
        height=height,
        clearance=clearance,
        nose=hood * float(rng.uniform(0.78, 0.92)),
        hood=hood,
        boot=boot,
        tail=boot * float(rng.uniform(0.92, 1.0)),
        screen_foot=stations[0],
        screen_top=stations[1],
        window_top=stations[2],
        window_foot=stations[3],
        tumblehome=float(rng.uniform(0.15, 0.35)),
        taper=float(rng.uniform(0.03, 0.12)),
        edge=float(rng.uniform(0.06, 0.15)),
        wheel_radius=float(rng.uniform(0.29, 0.36)),
        wheel_width=float(rng.uniform(0.18, 0.25)),
        wheelbase=length * float(rng.uniform(0.56, 0.62)),
    )


def _polygon(corners: Array, z: Tensor, y: Tensor) -> Tensor:
    """Signed distance to a polygon in the plane."""
    square: Tensor | None = None
    inside = torch.zeros_like(z, dtype=torch.bool)
    for (z0, y0), (z1, y1) in zip(corners.tolist(), np.roll(corners, -1, 0).tolist(), strict=True):
        ez, ey = z1 - z0, y1 - y0
        share = (((z - z0) * ez + (y - y0) * ey) / (ez * ez + ey * ey)).clamp(0, 1)
        here = (z - z0 - share * ez).square() + (y - y0 - share * ey).square()
        square = here if square is None else torch.minimum(square, here)
        if ey:  # a ray toward larger z crosses this edge
            crosses = ((y0 > y) != (y1 > y)) & (z < z0 + (y - y0) * (ez / ey))
            inside = inside ^ crosses
    assert square is not None
    distance = square.sqrt()
    return torch.where(inside, -distance, distance)


def _inset(corners: Array, radius: float) -> Array:
    """The polygon whose edges lie so much further inside."""
    edges = np.roll(corners, -1, 0) - corners
    inward = np.stack([-edges[:, 1], edges[:, 0]], -1)
    inward /= np.linalg.norm(inward, axis=1, keepdims=True)
    before = np.roll(inward, 1, 0)
    # both edges at a corner move by the radius
    return corners + radius * (before + inward) / (1 + (before * inward).sum(1, keepdims=True))


def _rounded_corner(a: Tensor, b: Tensor, radius: float) -> Tensor:
    """Where both are inside, with a round edge between them."""
    a, b = a + radius, b + radius
    outside = torch.hypot(a.clamp(min=0), b.clamp(min=0))
    return outside + torch.maximum(a, b).clamp(max=0) - radius


def _blend(a: Tensor, b: Tensor, width: float) -> Tensor:
    """Where either is inside, with a fillet."""
    near = (width - (a - b).abs()).clamp(min=0)
    return torch.minimum(a, b) - near.square() / (4 * width)
