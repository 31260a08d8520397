"""What pictures of a case show: a sample at one time, the quantities in it, where its points are.

A vector is shown as its length. Where outputs are called x and y, as in Plasticity, they are
where the points have moved to: not shown themselves, the others are drawn there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from llt.data.dataset import Dataset
from llt.data.sample import Floats, Sample
from llt.evaluation.panels import Panel, Scale, View, find_view
from llt.evaluation.rollouts import rolled_out
from llt.problem import Problem
from llt.surrogate import Surrogate


@dataclass(frozen=True)
class Moment:
    """A sample at one of its times, or as it is where there are none."""

    sample: Sample
    t: float | None
    u: Floats  # (N, Cu), predicted


@dataclass(frozen=True)
class Quantity:
    """An output field, or the length of a vector of them."""

    name: str
    channels: tuple[int, ...]
    unit: str = ""
    mask: str = ""  # where it exists, as in `Field`

    @property
    def signed(self) -> bool:
        return len(self.channels) == 1

    def exists(self, sample: Sample) -> NDArray[np.bool_]:
        return sample.masks[self.mask] if self.mask else np.full(len(sample.points), True)

    def of(self, sample: Sample, u: Floats) -> Floats:
        """Its values where it exists, if the outputs are u (N, Cu)."""
        parts = u[self.exists(sample)][:, self.channels]
        return parts[:, 0] if self.signed else np.linalg.norm(parts, axis=1)

    def error(self, moment: Moment) -> Floats:
        """Of a field with its sign; of a vector the length of the difference."""
        return self.of(moment.sample, moment.u - moment.sample.outputs)


def quantities(problem: Problem) -> list[Quantity]:
    """Vectors first, then fields that are neither in one nor coordinates."""
    found, taken = [], set(moved_to(problem))
    for name, channels in problem.vectors.items():
        fields = [problem.outputs[channel] for channel in channels]
        if len({(field.unit, field.mask) for field in fields}) == 1:
            found.append(Quantity(f"|{name}|", channels, fields[0].unit, fields[0].mask))
            taken |= {*channels}
    for channel, field in enumerate(problem.outputs):
        if channel not in taken:
            found.append(Quantity(field.name, (channel,), field.unit, field.mask))
    return found


def moved_to(problem: Problem) -> tuple[int, ...]:
    """The outputs that are coordinates."""
    names = problem.output_names
    wanted = ("x", "y", "z")[: problem.space_dim]
    return tuple(map(names.index, wanted)) if set(wanted) <= set(names) else ()


def places(problem: Problem, sample: Sample, u: Floats) -> Floats:
    """Where the points are, (N, d), if the outputs are u."""
    moved = moved_to(problem)
    return u[:, moved] if moved else sample.points


def panel_of(
    problem: Problem, quantity: Quantity, sample: Sample, u: Floats, values: Floats, scale: Scale
) -> Panel:
    """Values of the quantity where it exists, drawn where the outputs u have the points."""
    here = quantity.exists(sample)
    # a mesh of which some points are missing is no surface and no grid
    whole = bool(here.all())
    grid = problem.grid if whole and problem.space_dim == 2 else None
    points = places(problem, sample, u)[here]
    return Panel(points, values, scale, quantity.unit, grid, dots=not whole)


def view_of(surrogate: Surrogate, problem: Problem, moments: Sequence[Moment]) -> View:
    """What shows all points of these moments where they are, of reference and prediction."""
    if not moved_to(problem):
        return undeformed_view(surrogate, moments)
    outputs = [(m.sample, z) for m in moments for z in (m.sample.outputs, m.u)]
    return find_view([places(problem, sample, z) for sample, z in outputs])


def undeformed_view(surrogate: Surrogate, moments: Sequence[Moment]) -> View:
    return find_view([moment.sample.points for moment in moments], bulk_of(surrogate))


def bulk_of(surrogate: Surrogate) -> tuple[Floats, Floats]:
    """Corner and size of the box with most points."""
    box = surrogate.normalizer
    return box.x_low.cpu().numpy(), box.x_size.cpu().numpy()


def moments_of(
    surrogate: Surrogate, data: Dataset, index: int, numbers: Sequence[int]
) -> list[Moment]:
    """A sample of data as `open_data` gives them at some of its times, rolled out where needed."""
    sample = data.sample(index)
    if data.view is None or data.times is None:
        return predict_moments(surrogate, data, sample, numbers)
    ((_, u),) = rolled_out(surrogate, data, np.array([index]))
    return [Moment(sample.at(k), float(data.times[k]), u[k]) for k in numbers]


def predict_moments(
    surrogate: Surrogate, data: Dataset, sample: Sample, numbers: Sequence[int]
) -> list[Moment]:
    """A sample at some of its times, which are asked for in one call."""
    shape = data.problem.grid or (len(sample.points),)

    def ask(sample: Sample, t: float | list[float] | None) -> Floats:
        x, a = (z.reshape(*shape, z.shape[-1]) for z in (sample.points, sample.given))
        u: Floats = surrogate.predict(x, a, t, check=False)
        return u.reshape(-1, *sample.outputs.shape[-2:])

    if data.times is None:
        return [Moment(sample, None, ask(sample, None)[0])]
    times = [float(data.times[number]) for number in numbers]
    parts = [sample.at(number) for number in numbers]
    if sample.inputs.ndim == 3:  # what is given differs from time to time
        answers = [ask(part, t)[0] for part, t in zip(parts, times, strict=True)]
    else:
        answers = [*ask(parts[0], times)]
    return [Moment(*found) for found in zip(parts, times, answers, strict=True)]
