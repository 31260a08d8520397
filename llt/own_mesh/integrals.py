"""Integrated quantities, as engineers ask for them: KIND:FIELD or KIND:FIELD:PATCH.

mean:T        average over the mesh; mean:T:wall over a patch
force:p:wall  what the pressure p does to a patch: the integral of p times the normal out of the
              mesh. On the surface of a body, force:p is the force on it
flux:U:inlet  the integral of U times the normal: what leaves through a patch
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from llt.data.folder.plan import Plan, Source
from llt.data.formats import Weights
from llt.errors import ConfigError, unknown

KINDS = ("mean", "force", "flux")
Array = NDArray[Any]
Value = float | dict[str, float]  # a number, or one for every component


@dataclass(frozen=True, slots=True)
class Integral:
    kind: str
    source: Source
    patch: str  # empty for the whole mesh, or all of its boundary
    axes: str  # of the files, in the order of x, y (and z)

    @property
    def where(self) -> str | None:
        """As `formats.weights` asks for it."""
        return None if self.kind == "mean" and not self.patch else self.patch

    def of(self, values: Array, weights: Weights) -> Value:
        """Of a field as it is in the file, (N,) or (N, C); NaN where it is not known."""
        used = weights.sizes > 0
        values, sizes, normals = values[used], weights.sizes[used], weights.normals[used]
        rows = ["xyz".index(axis) for axis in self.axes]
        if self.kind == "mean":
            mean = sizes @ values / sizes.sum()
            return float(mean) if values.ndim == 1 else _named(mean)
        if self.kind == "force":
            force = (-1 if weights.body else 1) * (values @ normals)
            return _named(force[rows], self.axes)
        size = values.shape[1]
        across = normals if size == 3 else normals[:, rows]
        return float((values * across).sum())

    def __str__(self) -> str:
        return ":".join(filter(None, (self.kind, self.source.name, self.patch)))


def read_integrals(words: Sequence[str], plan: Plan) -> list[Integral]:
    """Check them against what is predicted."""
    return [_read(word, plan) for word in words]


def _read(word: str, plan: Plan) -> Integral:
    kind, _, rest = word.partition(":")
    name, _, patch = rest.partition(":")
    if kind not in KINDS or not name:
        raise ConfigError(
            f"--integrate {word}: expected KIND:FIELD or KIND:FIELD:PATCH, with mean, force or flux"
        )
    outputs = {source.name: source for source in plan.outputs}
    if name not in outputs:
        raise ConfigError(f"--integrate {word}: {unknown('output', name, outputs)}")
    source = outputs[name]
    if kind == "force" and source.size > 1:
        raise ConfigError(f"--integrate {word}: a force is that of a pressure, {name} is a vector")
    if kind == "flux" and source.size not in (3, len(plan.axes)):
        raise ConfigError(f"--integrate {word}: a flux is that of a vector, {name} is none")
    return Integral(kind, source, patch, plan.axes)


def _named(values: Array, names: str = "xyz") -> dict[str, float]:
    keys = names if len(values) <= len(names) else range(len(values))
    return {str(key): float(value) for key, value in zip(keys, values, strict=False)}
