"""The one interface shared by LLT and every baseline."""

from __future__ import annotations

from abc import abstractmethod
from math import prod
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from llt.errors import DataError
from llt.kernels.verdict import Verdict
from llt.problem import Problem

# kinds of problems a model may support
STRUCTURED, UNSTRUCTURED, PLANE, SPACE, TIME = "structured", "unstructured", "2d", "3d", "time"
ALL = frozenset({STRUCTURED, UNSTRUCTURED, PLANE, SPACE, TIME})
GRIDS = ALL - {UNSTRUCTURED}

# linear layers that hold several maps of one input, by name: how many lie row under row
STACKED = {"qkv": 3, "kv": 2, "key_value": 2, "query_key": 2, "gate_up": 2, "film": 2}


def needs(problem: Problem) -> frozenset[str]:
    """What a model must support to be built for the problem."""
    mesh = UNSTRUCTURED if problem.grid is None else STRUCTURED
    space = {2: PLANE, 3: SPACE}[problem.space_dim]
    return frozenset({mesh, space, *([TIME] if problem.timed else [])})


class Operator(nn.Module):
    """A learned map from fields on points to fields on the same points.

    A model's configuration is its constructor: keyword-only arguments with defaults, after the
    problem it is built for. Checkpoints store exactly those arguments. Coordinates come scaled
    to the unit box and fields standardized; see `llt.data.normalizer`.
    """

    paper: ClassVar[str] = ""  # authors, title, year
    summary: ClassVar[str] = ""  # one line on what the model does
    supports: ClassVar[frozenset[str]] = ALL  # what kinds of problems it can be built for
    body: ClassVar[str] = "blocks"  # the part of the model that `matrices` looks into
    precision: ClassVar[str] = "tf32"  # that it is trained in on CUDA, if nothing else is asked for

    problem: Problem
    name: str  # filled in by `build_model`, with the arguments the model was built with
    arguments: dict[str, Any]
    max_neighbors: int = 0  # K of the radius graph the model asks for; 0 asks for none
    radius: float = 2.0  # of that graph, in median distances of nearest neighbors

    @abstractmethod
    def forward(
        self,
        x: Tensor,  # (B, N, d) point coordinates
        a: Tensor,  # (B, N, Ca) input fields; Ca may be 0
        *,
        t: Tensor | None = None,  # (B,) output time in [0, 1], for timed problems
        grid: tuple[int, ...] | None = None,  # overrides the problem's grid shape
        neighbors: Tensor | None = None,  # (B, N, K) indices, -1 where there are fewer
        mask: Tensor | None = None,  # (B, N) true at real points, false at padding
    ) -> Tensor:  # (B, N, Cu)
        raise NotImplementedError

    def matrices(self) -> list[tuple[nn.Parameter, int]]:
        """The weights of linear layers inside the body, and how many maps each of them stacks.

        An optimizer for matrices takes these, each map on its own; embeddings, convolutions,
        norms, biases and the head are not among them.
        """
        layers = [
            (name.rpartition(".")[2], layer.weight)
            for name, layer in self.named_modules()
            if name.startswith(f"{self.body}.") and isinstance(layer, nn.Linear)
        ]
        # a weight that is normalized is no parameter but computed from others
        return [
            (weight, STACKED.get(name, 1))
            for name, weight in layers
            if isinstance(weight, nn.Parameter) and weight.requires_grad
        ]

    def fused_refusal(self, device: torch.device) -> str | None:
        """Why there are no fused kernels for this model on a device; None where there are."""
        return f"{type(self).__name__} has no fused ones"

    def first_use(self, device: torch.device, precision: str) -> Verdict | None:
        """Whether the fused kernels are right on a GPU where they were never measured."""
        return None

    def grid_of(self, x: Tensor, grid: tuple[int, ...] | None) -> tuple[int, ...]:
        """The grid the points of a structured mesh lie on, checked against their number."""
        shape = grid or self.problem.grid
        if shape is None or prod(shape) != x.shape[1]:
            raise DataError(
                f"{self.problem.name}: {x.shape[1]} points do not fill the grid {shape}; "
                "pass grid=(...) for another resolution"
            )
        return shape
