"""Noise on the frames that a step is given: in a rollout these are predictions, with errors.

The target is the change from the disturbed frame to the true next one, so that errors are mended
rather than carried on. The numbers follow from the seed and the step alone: a run that is resumed,
or captured in a graph, meets the same ones.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi, prod

import torch
from torch import Tensor

from llt.data.batch import Batch
from llt.surrogate import Surrogate

BITS = 24  # of a uniform number: as many as float32 has


class Noise:
    """Disturbs batches of steps, by a share of the usual change from frame to frame."""

    def __init__(
        self, surrogate: Surrogate, share: float, seed: int, items: tuple[int, int] = (0, 0)
    ) -> None:
        """`items` are the first one of a batch that is seen here, and how many the batch has."""
        assert surrogate.frames is not None
        self.items = items
        self.problem, self.frames = surrogate.problem, surrogate.frames
        self.start = start_of(seed)
        self.scale = share * surrogate.normalizer.u_std  # (Cu,)

    def __call__(self, batch: Batch, step: Tensor) -> Batch:
        """Step (1,) is the number of the step in the run."""
        B, N, Cu = batch.u.shape
        h, channels = self.frames.history, self.frames.last_channels
        scale = self.scale
        if any(field.mask for field in self.problem.outputs):  # no noise where there is no field
            ones = torch.ones_like(batch.u[..., 0])
            masks = [batch.masks[f.mask] if f.mask else ones for f in self.problem.outputs]
            scale = scale * torch.stack([mask.to(ones.dtype) for mask in masks], dim=-1)
            scale = scale.unsqueeze(2)
        (first, of), each = self.items, N * h * Cu
        z = normal((B, N, h, Cu), step, self.start, first * each, of * each) * scale
        before, frames, after = batch.a.tensor_split((channels.start, channels.stop), dim=-1)
        a = torch.cat((before, frames + z.flatten(2), after), dim=-1)
        return replace(batch, a=a, u=batch.u - z[:, :, -1])


def start_of(seed: int) -> int:
    """Where the numbers of a seed begin: far from those of others."""
    return int(_mixed(torch.tensor([seed])).item())


def normal(shape: tuple[int, ...], step: Tensor, start: int, first: int = 0, of: int = 0) -> Tensor:
    """Normally distributed numbers, float32, that the step (1,) and the start determine.

    Or some of a step's, from the `first` on `of` so many.
    """
    count = prod(shape)
    places = torch.arange(first, first + count, device=step.device)
    bits = _mixed(places + (of or count) * step + start)
    one, two = (_shifted(bits, by) & (2**BITS - 1) for by in (64 - BITS, 16))
    radius = (-2 * ((one + 0.5) / 2**BITS).log()).sqrt()  # as by Box and Muller
    return (radius * (2 * pi * two / 2**BITS).cos()).reshape(shape)


def _mixed(z: Tensor) -> Tensor:
    """SplitMix64 (Steele, Lea and Flood): integers to integers that look random."""
    z = z * _signed(0x9E3779B97F4A7C15)
    z = (z ^ _shifted(z, 30)) * _signed(0xBF58476D1CE4E5B9)
    z = (z ^ _shifted(z, 27)) * _signed(0x94D049BB133111EB)
    return z ^ _shifted(z, 31)


def _shifted(z: Tensor, by: int) -> Tensor:
    """To the right, with zeros from the left."""
    return (z >> by) & (2 ** (64 - by) - 1)


def _signed(value: int) -> int:
    """As int64 holds these bits."""
    return value - 2**64 if value >= 2**63 else value
