"""What a surrogate is asked in tensors, from which gradients flow back.

Arrays say whether the question fits and how its answer is to be shaped, as for `predict`; the
tensors themselves are only reshaped. Shapes: B cases, N points, d space dimensions, Ca channels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from llt.prediction.question import Question, read_question
from llt.problem import Problem


def read_tensors(
    problem: Problem,
    x: Any,
    a: Any,
    parameters: Mapping[str, Any] | None,
    mesh: Tensor | None,
    like: Tensor,
) -> tuple[Question, Tensor, Tensor]:
    """The question, its points (B, N, d) and its inputs (B, N, Ca).

    Args:
        mesh: (N, d) that all training samples had, for points that are left out.
        like: a tensor with the device and the precision to be computed in.
    """
    question = read_question(problem, x, a, parameters, mesh)
    B, N, d = question.x.shape

    def wide(value: Any, *shape: int) -> Tensor:
        given = torch.as_tensor(value).to(like)
        return given.reshape(-1, *shape).expand(B, N, -1)

    points = wide(question.x.copy() if x is None else x, N, d)
    named = a if isinstance(a, Mapping) else {}
    numbers = {**(parameters or {}), **named}
    channels = [wide(named[name], N, 1) for name in problem.input_names if name in named]
    if a is not None and not isinstance(a, Mapping):
        channels = [wide(a, N, torch.as_tensor(a).shape[-1])]
    channels += [wide(numbers[name], 1, 1) for name in problem.parameter_names if name in numbers]
    inputs = torch.cat(channels, dim=-1) if channels else points.new_empty(B, N, 0)
    return question, points, inputs
