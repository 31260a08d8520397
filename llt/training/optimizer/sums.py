"""Gradients summed over processes while the backward pass still runs.

The first backward pass shows in which order gradients come. Then the parameters are cut into a few
pieces in that order, and the sum of a piece begins as soon as all its gradients are there. All
processes begin them in the same order, whatever is ready first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from llt.runtime.team import Team, Underway

Arrival = Callable[[Tensor], None]

PIECES = 4  # more of them hide more of the way to others, and there are more ways to go


class Sums:
    """Watches the gradients of `parameters` from now on."""

    def __init__(self, parameters: Sequence[nn.Parameter], team: Team) -> None:
        self.parameters, self.team = parameters, team
        self._order: list[int] | None = []  # in which gradients come; None: it is known
        self._place([[*range(len(parameters))]])
        self.begin()
        for number, parameter in enumerate(parameters):
            parameter.register_post_accumulate_grad_hook(self._arrival_of(number))

    def begin(self) -> None:
        """Before a backward pass."""
        self._missing = [len(piece) for piece in self.pieces]
        self._underway: list[Underway] = []

    def finish(self) -> list[Tensor]:
        """After it: the sums as vectors, in the order of the parameters.

        Parameters without a gradient count as zero.
        """
        while len(self._underway) < len(self.pieces):
            self._begin_next()
        sums = [torch.empty(0)] * len(self.parameters)
        for piece, underway in zip(self.pieces, self._underway, strict=True):
            parts = underway.wait().split([self.parameters[number].numel() for number in piece])
            for number, part in zip(piece, parts, strict=True):
                sums[number] = part
        if self._order is not None:
            self._settle(self._order)
        return sums

    def _arrival_of(self, number: int) -> Arrival:
        def arrived(_: Tensor) -> None:
            if self._order is not None:
                self._order.append(number)
            self._missing[self._piece_of[number]] -= 1
            while self._next_is_there():
                self._begin_next()

        return arrived

    def _next_is_there(self) -> bool:
        begun = len(self._underway)
        return begun < len(self.pieces) and not self._missing[begun]

    def _begin_next(self) -> None:
        piece = self.pieces[len(self._underway)]
        gradient = torch.cat([flat_gradient(self.parameters[number]) for number in piece])
        self._underway.append(self.team.begin_total(gradient))

    def _settle(self, order: Sequence[int]) -> None:
        """Pieces in the order of the first process."""
        said = self.team.first_says(" ".join(map(str, order)))
        order, self._order = [int(word) for word in said.split()], None
        without = set(range(len(self.parameters))) - set(order)
        self._place(cut([*order, *sorted(without)], [p.numel() for p in self.parameters]))

    def _place(self, pieces: list[list[int]]) -> None:
        self.pieces = pieces
        self._piece_of = {number: place for place, piece in enumerate(pieces) for number in piece}


def cut(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """An order in pieces of about equal size."""
    pieces: list[list[int]] = [[] for _ in range(PIECES)]
    total, before = sum(sizes), 0
    for number in order:
        pieces[PIECES * (before + sizes[number] // 2) // total].append(number)
        before += sizes[number]
    return [piece for piece in pieces if piece]


def flat_gradient(parameter: nn.Parameter) -> Tensor:
    """Of a parameter, as a vector."""
    found = parameter.grad
    return (torch.zeros_like(parameter) if found is None else found).reshape(-1)
