"""A surrogate as one file that runs without llt: PyTorch's pt2, or ONNX.

Physical units in and out, any number of cases, points or grid points. Names are those of the paper:

x          (B, *grid, d) on grids, else (B, N, d)
a          input fields and behind them case parameters, shaped like x without its last axis; only
           where there are some
t          (B,), only on timed problems
neighbors  (B, N, K) int64, on point sets: the points within `radius` of each, itself first, -1
           where there are fewer
u          the answer, with an axis of the output fields
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from llt import kernels
from llt.errors import ConfigError
from llt.runtime.files import replacing
from llt.surrogate import Surrogate

FORMATS = ("pt2", "onnx")
ABOUT = "llt.json"
EXAMPLE = (11, 13, 9)  # points per axis that a model is traced with: unlike those of any problem
SIZES = ((12, 9, 10), (17, 14, 7), (25, 31, 8))  # that it is compared at
MOST = 2**15  # per axis

Inputs = tuple[Tensor, ...]
Call = Callable[[Inputs], Tensor]


@dataclass(frozen=True, slots=True)
class Exported:
    path: Path
    about: dict[str, Any]  # as the file has it
    differences: tuple[float, ...]  # from the surrogate, relative, at sizes it was not traced with


def export(surrogate: Surrogate, path: Path, format_: str | None = None) -> Exported:
    """Write the file, load it again, and compare what it says with the surrogate."""
    kind = format_ or path.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise ConfigError(f"{path}: unknown format {kind!r}; choose from: {', '.join(FORMATS)}")
    if surrogate.frames is not None:
        raise ConfigError("a model of steps from frame to frame cannot be exported")
    surrogate = surrogate.to("cpu")
    surrogate.model.eval()
    program = _traced(surrogate)
    about = describe(surrogate)
    with replacing(path) as beside:
        call = (_write_pt2 if kind == "pt2" else _write_onnx)(program, about, beside)
    differences = tuple(_difference(surrogate, call, size) for size in SIZES)
    return Exported(path, about, differences)


def describe(surrogate: Surrogate) -> dict[str, Any]:
    """What a caller must know."""
    problem, model = surrogate.problem, surrogate.model
    return {
        "problem": problem.name,
        "inputs": _names(surrogate),
        "fields": [*problem.input_names, *problem.parameter_names],
        "outputs": [*problem.output_names],
        "space_dim": problem.space_dim,
        "grid": None if problem.grid is None else [*problem.grid],
        "radius": surrogate.radius if model.max_neighbors else None,
        "max_neighbors": model.max_neighbors or None,
        "times": [*surrogate.times],
    }


class Whole(nn.Module):
    """The model with all that stands between it and physical units."""

    def __init__(self, surrogate: Surrogate) -> None:
        super().__init__()
        self.model = surrogate.model
        self.known = [surrogate]  # not a part of this module: its tensors become constants
        self.names = _names(surrogate)

    def forward(self, *given: Tensor) -> Tensor:
        (surrogate,), named = self.known, dict(zip(self.names, given, strict=True))
        x, encode = named["x"], surrogate.normalizer
        grid = tuple(x.shape[1:-1]) if surrogate.problem.grid is not None else None
        a = named.get("a")
        fields = x[..., :0] if a is None else a
        t = named.get("t")
        u = self.model(
            surrogate.encode_points(x.flatten(1, -2), grid),
            encode.encode_inputs(fields.flatten(1, -2)),
            t=None if t is None else encode.encode_time(t),
            grid=grid,
            neighbors=named.get("neighbors"),
        )
        u = surrogate.decode(u, grid)
        return u if grid is None else u.unflatten(1, grid)


def _names(surrogate: Surrogate) -> list[str]:
    problem = surrogate.problem
    there = {
        "x": True,
        "a": bool(problem.in_channels),
        "t": problem.timed,
        "neighbors": surrogate.model.max_neighbors > 0,
    }
    return [name for name, is_there in there.items() if is_there]


def _traced(surrogate: Surrogate) -> Any:
    """The program of the model, for any number of cases and points."""
    names, example = _names(surrogate), inputs(surrogate, EXAMPLE, cases=2)
    batch = torch.export.Dim("B", min=1, max=MOST)
    on_grid = surrogate.problem.grid is not None
    axes = surrogate.problem.space_dim if on_grid else 1
    lengths = [torch.export.Dim(f"N{k}", min=4, max=MOST) for k in range(axes)]
    points = {0: batch, **dict(enumerate(lengths, 1))}
    near = {**points, 2: torch.export.Dim("K", min=2, max=MOST)}
    shapes = [{"t": {0: batch}, "neighbors": near}.get(name, points) for name in names]
    try:
        with _plainly():
            return torch.export.export(
                Whole(surrogate), example, dynamic_shapes=(tuple(shapes),), strict=False
            )
    except Exception as error:  # whatever torch meets in a model that it cannot trace
        line = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise ConfigError(f"{surrogate.model.name} cannot be exported: {line}") from error


@contextmanager
def _plainly() -> Iterator[None]:
    log = logging.getLogger("torch.onnx")
    before = log.level
    log.setLevel(logging.ERROR)  # the exporters talk about their own insides
    try:
        with kernels.use("reference"), torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)


def _write_pt2(program: Any, about: dict[str, Any], path: Path) -> Call:
    with path.open("wb") as file:
        torch.export.save(program, file, extra_files={ABOUT: json.dumps(about)})
    with path.open("rb") as file:
        loaded = torch.export.load(file).module()
    return lambda given: loaded(*given)


def _write_onnx(program: Any, about: dict[str, Any], path: Path) -> Call:
    try:
        import onnxruntime
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            f"ONNX needs {error.name}: pip install 'llt[export]'; or use --format pt2"
        ) from None
    with _plainly():
        made = torch.onnx.export(
            program, dynamo=True, input_names=about["inputs"], output_names=["u"], verbose=False
        )
    assert made is not None
    made.model.metadata_props["llt"] = json.dumps(about)
    made.save(str(path))
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])

    def call(given: Inputs) -> Tensor:
        named = dict(zip(about["inputs"], (z.numpy() for z in given), strict=True))
        return torch.from_numpy(np.asarray(session.run(None, named)[0]))

    return call


def inputs(surrogate: Surrogate, size: tuple[int, ...], cases: int = 1) -> Inputs:
    """Random questions of so many points per axis, within what the training set had."""
    problem, encode = surrogate.problem, surrogate.normalizer
    d = problem.space_dim
    shape = size[:d] if problem.grid is not None else (prod(size[:2]),)
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(cases, *shape, d, generator=generator)
    if surrogate.mesh is not None and problem.grid is not None:
        x = surrogate.mesh_on(shape).reshape(1, *shape, d).repeat(cases, *[1] * (len(shape) + 1))
    else:
        x = encode.x_low + x * encode.x_size
    found = {"x": x}
    noise = torch.randn(cases, *shape, problem.in_channels, generator=generator)
    found["a"] = encode.a_mean + 0.5 * noise * encode.a_std
    found["t"] = torch.full((cases,), surrogate.times[-1] if surrogate.times else 0.5)
    if surrogate.model.max_neighbors:
        graphs = surrogate.graphs(x.numpy())
        assert graphs is not None
        found["neighbors"] = torch.from_numpy(graphs).long()
    return tuple(found[name] for name in _names(surrogate))


def _difference(surrogate: Surrogate, call: Call, size: tuple[int, ...]) -> float:
    given = inputs(surrogate, size)
    with torch.no_grad():
        expected, found = Whole(surrogate)(*given), call(given)
    return ((found - expected).abs().max() / expected.abs().max()).item()
