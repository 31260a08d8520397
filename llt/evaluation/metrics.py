"""How good a trained run is on held-out samples."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from llt.checkpoint import checkpoint_folder, read_weights
from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.sample import Floats, Sample
from llt.data.symmetries import fits
from llt.data.thinning import stride_between, thin
from llt.errors import CheckpointError, DataError
from llt.problem import Problem
from llt.runtime.device import find_device
from llt.runtime.environment import device_name
from llt.surrogate import Surrogate, load
from llt.training.validation import relative_errors, sample_errors


@dataclass(frozen=True, kw_only=True)
class Symmetrized:
    """The same errors of predictions averaged over the problem's symmetries."""

    symmetries: int  # G, the identity included
    relative_l2: float
    median: float
    worst: float
    fields: dict[str, dict[str, float]]
    seconds_per_sample: float


@dataclass
class Evaluation:
    """Relative L2 errors of a run on one split, and what they stand on."""

    run: str
    split: str
    relative_l2: float  # mean over the split
    median: float
    worst: float
    per_sample: list[float]  # in the split's order
    indices: list[int]  # sample numbers in the dataset
    mean_field_error: float  # of predicting the training set's mean field
    seconds_per_sample: float  # one prediction, arrays in, arrays out
    seconds_per_sample_batched: float  # in batches, data on the device
    solve_seconds: float | None  # one reference solve, mean over the dataset, where it says
    solve_device: str | None
    device: str
    data_hash: str
    split_hash: str
    selection: str  # how the weights were chosen
    checkpoint: dict[str, Any]  # epoch and validation error
    parameters: int
    # of every output field alone: its mean, median and worst error
    fields: dict[str, dict[str, float]] = field(default_factory=dict)
    resolutions: list[dict[str, Any]] = field(default_factory=list)
    symmetrized: Symmetrized | None = None  # averaged over the problem's symmetries

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Evaluation:
        """Files of older versions have no symmetrized errors."""
        found = value.get("symmetrized")
        return cls(**{**value, "symmetrized": Symmetrized(**found) if found else None})


def evaluate(
    run: Path,
    *,
    split: str = "test",
    device: str = "auto",
    data_path: Path | None = None,
    symmetrize: bool | None = None,
) -> Evaluation:
    """Evaluate a run on a split of its dataset, or of another dataset of the same problem.

    Args:
        symmetrize: also give the errors of predictions averaged over the problem's symmetries,
            at the cost of as many predictions; by default where it declares symmetries.
    """
    surrogate = load(run, find_device(device))
    data = open_data(run, surrogate, data_path)
    indices = data.split(split)
    split_errors(surrogate, data, indices[:1])  # warms up, so that the time below is fair
    start = time.perf_counter()
    total, fields = split_errors(surrogate, data, indices)
    batched = (time.perf_counter() - start) / len(indices)
    overall = _summary(total)
    if symmetrize is None:
        symmetrize = fits(surrogate.problem, data.problem.grid)
    folder = checkpoint_folder(run)
    _, metadata = read_weights(folder)
    return Evaluation(
        run=str(run),
        split=split,
        relative_l2=overall["relative_l2"],
        median=overall["median"],
        worst=overall["worst"],
        per_sample=total.tolist(),
        indices=indices.tolist(),
        mean_field_error=mean_field_error(data, indices),
        seconds_per_sample=seconds_per_sample(surrogate, data, indices),
        seconds_per_sample_batched=batched,
        solve_seconds=data.provenance.get("seconds_per_sample"),
        solve_device=data.provenance.get("environment", {}).get("device"),
        device=device_name(surrogate.device),
        data_hash=data.hash,
        split_hash=data.splits.hash,
        selection="smallest validation error" if folder.name == "best" else "as saved",
        checkpoint=metadata,
        parameters=sum(p.numel() for p in surrogate.model.parameters()),
        fields=_by_field(data, fields),
        symmetrized=_symmetrized(surrogate, data, indices) if symmetrize else None,
    )


def _symmetrized(surrogate: Surrogate, data: Dataset, indices: NDArray[np.int64]) -> Symmetrized:
    total, fields = split_errors(surrogate, data, indices, symmetrize=True)
    return Symmetrized(
        symmetries=1 + len(surrogate.problem.symmetries),
        **_summary(total),
        fields=_by_field(data, fields),
        seconds_per_sample=seconds_per_sample(surrogate, data, indices, symmetrize=True),
    )


def _by_field(data: Dataset, errors: NDArray[np.float64]) -> dict[str, dict[str, float]]:
    return dict(zip(data.problem.output_names, map(_summary, errors.T), strict=True))


def _summary(errors: NDArray[np.float64]) -> dict[str, float]:
    return {
        "relative_l2": float(errors.mean()),
        "median": float(np.median(errors)),
        "worst": float(errors.max()),
    }


def open_data(run: Path, surrogate: Surrogate, path: Path | None = None) -> Dataset:
    """The run's dataset, or another one that must then be of the same problem.

    The run's own may be finer than the grid its model is built for, and is thinned to it then;
    another one is taken on its own grid.
    """
    record_path = run / "data.json"
    if path is None and not record_path.is_file():
        raise CheckpointError(f"{run}: data.json is missing; name the dataset with --data FILE")
    record = json.loads(record_path.read_text()) if record_path.is_file() else {}
    if path is None and not Path(record["path"]).exists():
        raise DataError(f"{record['path']}: no such file; if {run}'s data have moved: --data FILE")
    data = dataset_file.read(path or Path(record["path"])).load_if_small()
    mine, other = surrogate.problem, data.problem
    same = mine.signature == other.signature
    if not same:
        raise CheckpointError(
            f"{run} was trained on {mine.describe()}; the data are {other.describe()}"
        )
    if path is None and data.hash != record["hash"]:
        raise CheckpointError(
            f"{run} was trained on data {record['hash']}, {record['path']} now holds {data.hash}"
        )
    stride = stride_between(other.grid or (), mine.grid or ())
    return thin(data, stride) if stride and data.hash == record.get("hash") else data


def split_errors(
    surrogate: Surrogate, data: Dataset, indices: NDArray[np.int64], *, symmetrize: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Errors of every sample, (S,), and of its fields, (S, Cu)."""
    part = surrogate.source(data, indices)
    errors = sample_errors(surrogate, part, data.problem.grid, symmetrize=symmetrize)
    return errors.total.cpu().numpy(), errors.fields.cpu().numpy()


def mean_field_error(data: Dataset, indices: NDArray[np.int64]) -> float:
    """Error of the best constant guess: the training set's mean, at every point if they match."""
    total, count = np.zeros(1), np.zeros(1)
    for sample in map(data.sample, data.split("train")):
        exists = _weights(sample, data.problem) > 0
        u, here = sample.outputs * exists, np.broadcast_to(exists, sample.outputs.shape)
        if data.ragged:
            u, here = (z.sum(axis=-2, keepdims=True, dtype=np.float64) for z in (u, here))
        total, count = total + u, count + here
    mean = total / np.maximum(count, 1)
    squares = []
    for sample in map(data.sample, indices):
        pair = np.stack([sample.outputs - mean, sample.outputs]) ** 2
        squares.append((pair * _weights(sample, data.problem)).reshape(2, -1).sum(axis=1))
    return float(relative_errors(*torch.from_numpy(np.stack(squares, axis=1))).mean())


def _weights(sample: Sample, problem: Problem) -> NDArray[np.float64]:
    """How much each field counts at every point, as in the loss: (N, Cu)."""
    everywhere = np.ones(len(sample.points))
    columns = [
        (sample.masks[field.mask] if field.mask else everywhere) * field.weight
        for field in problem.outputs
    ]
    return np.stack(columns, axis=-1)


def seconds_per_sample(
    surrogate: Surrogate,
    data: Dataset,
    indices: NDArray[np.int64],
    most: int = 10,
    *,
    symmetrize: bool = False,
) -> float:
    """Median time of one `predict` call, from arrays to arrays, neighbor search included."""
    seconds = []
    for index in [indices[0], *indices[:most]]:  # the first call warms up
        x, a, t = question(data, data.sample(index))
        start = time.perf_counter()
        surrogate.predict(x, a, t, symmetrize=symmetrize, check=False)
        if surrogate.device.type == "cuda":
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds[1:]))


def question(data: Dataset, sample: Sample) -> tuple[Floats, Floats, float | None]:
    """What `predict` is asked about a sample, on its grid, at the last time if it has times."""
    t = None
    if data.times is not None:
        sample, t = sample.at(-1), float(data.times[-1])
    shape = data.problem.grid or (len(sample.points),)
    constant = np.broadcast_to(sample.parameters, (len(sample.points), len(sample.parameters)))
    a = np.concatenate([sample.inputs, constant], axis=-1)
    return sample.points.reshape(*shape, -1), a.reshape(*shape, a.shape[-1]), t
