"""Predictions that can be differentiated with respect to points, inputs and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from torch.func import functional_call

from llt.errors import DataError
from llt.prediction.cases import tensor
from llt.prediction.question import read_times
from llt.prediction.tensors import read_tensors

if TYPE_CHECKING:
    from llt.surrogate.core import Surrogate


def differentiable(
    surrogate: Surrogate, x: Any, a: Any, t: Any, parameters: Mapping[str, Any] | None
) -> Any:
    """See `Surrogate.torch`."""
    problem, encode, model = surrogate.problem, surrogate.normalizer, surrogate.model
    times, several = read_times(problem, t)
    if several:
        raise DataError(f"{problem.name}: t={t}, gradients are of one time in a call")
    mesh, like = surrogate.mesh if surrogate.shared_mesh else None, encode.x_low
    question, points, inputs = read_tensors(problem, x, a, parameters, mesh, like)
    grid, graphs = question.grid, surrogate.graphs(question.x)
    time = None if times[0] is None else like.new_full((len(points),), times[0])
    model.eval()
    u = functional_call(
        model,
        {name: weights.detach() for name, weights in model.named_parameters()},
        (surrogate.encode_points(points, grid), encode.encode_inputs(inputs)),
        {
            "t": None if time is None else encode.encode_time(time),
            "grid": grid,
            "neighbors": None if graphs is None else tensor(graphs).to(like.device),
        },
    )
    u = surrogate.decode(u, grid).reshape(*question.batch, *question.case, -1)
    if not question.named:
        return u
    return dict(zip(problem.output_names, u.unbind(-1), strict=True))
