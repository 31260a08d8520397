"""Sums over processes and points of other processes, with their gradients.

Shapes: B batch, n own points, M those and the halo, C channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.autograd.function import once_differentiable

from llt.runtime.team import all_reduce, on_wire


def summed(z: Tensor, group: Any) -> Tensor:
    """The sum over processes that each go on in their own way: gradients are summed, too."""
    found: Tensor = _Sum.apply(z, group)
    return found


def summed_alike(z: Tensor, group: Any) -> Tensor:
    """The sum over processes that all go on in the same way: each has the whole gradient."""
    found: Tensor = _SumAlike.apply(z, group)
    return found


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, group: Any) -> Tensor:
        ctx.group = group
        return all_reduce(z.clone(), group)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return all_reduce(gradient.clone(), ctx.group), None


class _SumAlike(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, group: Any) -> Tensor:
        return all_reduce(z.clone(), group)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient, None


@dataclass(frozen=True, slots=True)
class Halo:
    """Which own points others read, and how many of theirs come from whom."""

    group: Any
    send: Tensor  # (B, s) or (1, s): own points, those for the first process first
    counts: Sequence[int]  # of these, for every process
    coming: Sequence[int]  # from every process
    before: int = 0  # of those that come, so many stand before the own points, the rest behind

    def begin(self, z: Tensor) -> Coming:
        """Let the own points of z (B, n, C) leave, and those of others come."""
        return self._travel(self._leaving(z.detach()), self.counts, self.coming)

    def join(self, z: Tensor, coming: Coming) -> Tensor:
        """z (B, n, C) with what has come, (B, M, C); gradients go back to whom they belong."""
        found: Tensor = _Join.apply(z, self, coming)
        return found

    def around(self, z: Tensor) -> Tensor:
        """z (B, n, C) with the halo, (B, M, C)."""
        return self.join(z, self.begin(z))

    def _leaving(self, z: Tensor) -> Tensor:
        rows = self.send.expand(len(z), -1).unsqueeze(-1).expand(-1, -1, z.shape[-1])
        return z.gather(1, rows).transpose(0, 1).contiguous()  # (s, B, C)

    def _travel(self, leaving: Tensor, counts: Sequence[int], coming: Sequence[int]) -> Coming:
        there = on_wire(leaving, self.group)
        room = there.new_empty((sum(coming), *leaving.shape[1:]))
        work = dist.all_to_all_single(
            room, there, [*coming], [*counts], group=self.group, async_op=True
        )
        return Coming(work, room, there)


@dataclass(frozen=True, slots=True)
class Coming:
    """Points under way."""

    work: Any
    room: Tensor
    leaving: Tensor  # kept until they have left

    def arrived(self, like: Tensor) -> Tensor:
        self.work.wait()
        return self.room.to(like.device)


class _Join(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, halo: Halo, coming: Coming) -> Tensor:
        ctx.halo = halo
        others = coming.arrived(z).transpose(0, 1)
        return torch.cat((others[:, : halo.before], z, others[:, halo.before :]), dim=1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        halo: Halo = ctx.halo
        own = gradient.shape[1] - sum(halo.coming)
        ahead, z, behind = gradient.split((halo.before, own, sum(halo.coming) - halo.before), 1)
        leaving = torch.cat((ahead, behind), dim=1).transpose(0, 1).contiguous()
        back = halo._travel(leaving, halo.coming, halo.counts).arrived(gradient)
        rows = halo.send.expand(len(z), -1).unsqueeze(-1).expand(-1, -1, z.shape[-1])
        return z.scatter_add(1, rows, back.transpose(0, 1)), None, None
