"""One batch through a surrogate's model, from physical units to physical units."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from torch import Tensor

from llt.data.symmetries import Group
from llt.prediction.batching import cases_per_batch
from llt.prediction.captured import CapturedForward
from llt.prediction.cases import Cases, Shape
from llt.prediction.symmetrized import symmetrized
from llt.runtime.device import autocast, matmul_precision, resolve_precision

if TYPE_CHECKING:
    from llt.surrogate.core import Surrogate


def forward(surrogate: Surrogate, cases: Cases, group: Group | None = None) -> Tensor:
    if group is not None:
        K = 0 if cases.neighbors is None else cases.neighbors.shape[-1]
        room = cases_per_batch(cases.x.shape[1], K) // len(cases.x)
        one = partial(forward, surrogate)
        return symmetrized(one, group, cases, together=max(1, room))
    encode = surrogate.normalizer
    with computing(surrogate):
        u = surrogate.model(
            surrogate.encode_points(cases.x, cases.grid),
            encode.encode_inputs(cases.a),
            t=None if cases.t is None else encode.encode_time(cases.t),
            grid=cases.grid,
            neighbors=cases.neighbors,
            mask=cases.mask,
        )
    return surrogate.decode(u, cases.grid)


def captured(surrogate: Surrogate, shape: Shape, group: Group | None) -> CapturedForward | None:
    """The same for batches of one shape as a captured graph, where there is one."""
    encode, means = surrogate.normalizer, (surrogate.mesh, surrogate.mean_field)
    addresses = (None if z is None else z.data_ptr() for z in means)
    # with the group among the settings, its tables live as long as graphs that read them
    settings = precision_of(surrogate), encode.gain, *addresses, group
    run = partial(forward, surrogate, group=group)
    modules = surrogate.model, encode
    return surrogate._captures.find(shape, settings, run, surrogate.device, modules)


@contextmanager
def computing(surrogate: Surrogate) -> Iterator[None]:
    """Matrix products are in the surrogate's precision."""
    precision = precision_of(surrogate)
    # 16-bit copies of weights that are made inside a captured graph must not be used outside
    with autocast(surrogate.device, precision, cache=False), matmul_precision(precision):
        yield


def precision_of(surrogate: Surrogate) -> str:
    return resolve_precision(surrogate.precision, surrogate.model.precision, surrogate.device)
