"""How good a trained run is on held-out samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from llt.checkpoint import checkpoint_folder, read_weights
from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.sample import Sample
from llt.data.steps import later_frames, steps_of
from llt.data.symmetries import fits
from llt.data.thinning import stride_between, thin
from llt.errors import CheckpointError, DataError
from llt.evaluation.derived import DerivedNumbers
from llt.evaluation.elsewhere import Elsewhere
from llt.evaluation.error_maps import ErrorMaps, PointErrors
from llt.evaluation.mean_field import AT_POINTS, guess_errors, mean_field
from llt.evaluation.rollouts import about_steps, case_errors, frames_of, seconds_per_frame
from llt.evaluation.timing import Question, seconds_alone, seconds_in_batches
from llt.evaluation.trust import PointScores, Trusted, check_trust, find_trust
from llt.runtime.device import find_device
from llt.runtime.environment import device_name
from llt.surrogate import Surrogate, load
from llt.training.folder import read_data_record
from llt.training.validation import Errors

TIMED = 10  # predictions that are timed one by one


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
    seconds_per_sample: float  # one prediction (of one time), arrays in, arrays out
    seconds_per_sample_batched: float  # the same in batches, data on the device, prediction only
    solve_seconds: float | None  # one reference solve, mean over the dataset, where it says
    solve_device: str | None
    device: str
    data_hash: str
    split_hash: str
    selection: str  # how the weights were chosen
    checkpoint: dict[str, Any]  # epoch and validation error
    parameters: int
    # of every output field alone: its mean, median and worst error, and that of the mean field
    fields: dict[str, dict[str, float]] = field(default_factory=dict)
    field_errors: dict[str, list[float]] = field(default_factory=dict)  # in the split's order
    # the same of vectors, as displacements u of u_x and u_y, without the fields beside them; and
    # of "velocity off surface" where other fields exist on the surface alone
    vectors: dict[str, dict[str, float]] = field(default_factory=dict)
    # on timed problems: t, relative_l2, mean_field_error, errors of all fields and vectors at it;
    # of rollouts also one_step and unchanged, see `steps`
    times: list[dict[str, Any]] = field(default_factory=list)
    # of models that have learned steps, whose errors are those of rollouts: history; errors beside
    # the frames of one_step, given the true frames before it, of no change in it (step_unchanged),
    # and of no change ever after the first frames (unchanged)
    steps: dict[str, Any] = field(default_factory=dict)
    # of derived numbers that predictions have, see `evaluation.derived`: relative_error, that of
    # the training set's mean number, rank_correlation, and the numbers in the split's order
    derived: dict[str, dict[str, Any]] = field(default_factory=dict)
    mean_field: str = ""  # which one it is, see `evaluation.mean_field`
    resolutions: list[dict[str, Any]] = field(default_factory=list)
    symmetrized: Symmetrized | None = None  # averaged over the problem's symmetries
    trust: Trusted | None = None  # error bars, distances from the training cases
    error_maps: ErrorMaps | None = None  # where points of different samples correspond

    @property
    def worst_first(self) -> list[int]:
        """Places in `per_sample` and `indices`, the worst case first."""
        return sorted(range(len(self.per_sample)), key=self.per_sample.__getitem__, reverse=True)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Evaluation:
        """Files of older versions lack what has a default above."""
        kinds = {"symmetrized": Symmetrized, "trust": Trusted, "error_maps": ErrorMaps}
        parts = {
            name: kind(**value[name]) if value.get(name) else None for name, kind in kinds.items()
        }
        return cls(**{**value, **parts})


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
    guess, kind = mean_field(data)
    numbers = DerivedNumbers(data, indices)
    elsewhere = Elsewhere(data, indices, _vectors(data), guess)
    trust, scores = find_trust(run, surrogate, data), PointScores(data, indices)
    at_points = PointErrors(data, indices) if kind == AT_POINTS else None
    watching = [each.see for each in (numbers, elsewhere, scores, at_points) if each is not None]

    def seen(items: Tensor, u: Tensor) -> None:
        for see in watching:
            see(items, u)

    errors = case_errors(surrogate, data, indices, seen=seen)
    overall = _summary(errors.total)
    guessed = guess_errors(data, indices, guess)
    if symmetrize is None:
        symmetrize = fits(surrogate.problem, data.problem.grid)
    steps: dict[str, Any] = {}
    in_time = _by_time(data, errors, guessed)
    if surrogate.frames is not None:
        steps, rows = about_steps(surrogate, data, indices, errors)
        in_time = [{**row, **more} for row, more in zip(in_time, rows, strict=True)]
    folder = checkpoint_folder(run)
    _, metadata = read_weights(folder)
    return Evaluation(
        run=str(run),
        split=split,
        relative_l2=overall["relative_l2"],
        median=overall["median"],
        worst=overall["worst"],
        per_sample=errors.total.tolist(),
        indices=indices.tolist(),
        mean_field_error=guessed.total.mean().item(),
        mean_field=kind,
        seconds_per_sample=_seconds(surrogate, data, indices[:TIMED]),
        seconds_per_sample_batched=_seconds_in_batches(surrogate, data, indices),
        solve_seconds=data.provenance.get("seconds_per_sample"),
        solve_device=data.provenance.get("environment", {}).get("device"),
        device=device_name(surrogate.device),
        data_hash=data.hash,
        split_hash=data.splits.hash,
        selection="smallest validation error" if folder.name == "best" else "as saved",
        checkpoint=metadata,
        parameters=sum(p.numel() for p in surrogate.model.parameters()),
        fields=_by_field(data, errors, guessed),
        field_errors=_columns(data, errors.fields.T),
        vectors=_by_vector(data, errors, guessed) | _by_place(elsewhere),
        derived=numbers.compare(),
        times=in_time,
        steps=steps,
        symmetrized=_symmetrized(surrogate, data, indices) if symmetrize else None,
        trust=None
        if trust is None
        else check_trust(trust, scores, errors, surrogate, seen=split == "val"),
        error_maps=None if at_points is None else at_points.mean(),
    )


def _seconds(
    surrogate: Surrogate, data: Dataset, indices: NDArray[np.int64], *, symmetrize: bool = False
) -> float:
    """Of one prediction, or one frame of a rollout."""
    if surrogate.frames is not None:
        return seconds_per_frame(surrogate, data, indices, symmetrize=symmetrize)
    questions = [question(data, data.sample(index)) for index in indices]
    return seconds_alone(surrogate, questions, symmetrize=symmetrize)


def _seconds_in_batches(surrogate: Surrogate, data: Dataset, indices: NDArray[np.int64]) -> float:
    if data.view is not None:
        data = steps_of(data.view.data, data.view.frames)
    return seconds_in_batches(surrogate, surrogate.source(data, indices))


def _symmetrized(surrogate: Surrogate, data: Dataset, indices: NDArray[np.int64]) -> Symmetrized:
    errors = case_errors(surrogate, data, indices, symmetrize=True)
    return Symmetrized(
        symmetries=1 + len(surrogate.problem.symmetries),
        **_summary(errors.total),
        fields=_by_field(data, errors),
        seconds_per_sample=_seconds(surrogate, data, indices[:TIMED], symmetrize=True),
    )


def _by_field(
    data: Dataset, errors: Errors, guessed: Errors | None = None
) -> dict[str, dict[str, float]]:
    names = data.problem.output_names
    found = dict(zip(names, map(_summary, errors.fields.T), strict=True))
    if guessed is not None:
        for name, error in _columns(data, guessed.fields.mean(0)).items():
            found[name]["mean_field_error"] = error
    return found


def _by_vector(data: Dataset, errors: Errors, guessed: Errors) -> dict[str, dict[str, float]]:
    return {
        name: {
            **_summary(errors.of(channels).total),
            "mean_field_error": guessed.of(channels).total.mean().item(),
        }
        for name, channels in _vectors(data).items()
    }


def _by_place(elsewhere: Elsewhere) -> dict[str, dict[str, float]]:
    return {
        name: {**_summary(errors), "mean_field_error": guessed.mean().item()}
        for name, (errors, guessed) in elsewhere.errors().items()
    }


def _vectors(data: Dataset) -> dict[str, tuple[int, ...]]:
    """Those that have other fields beside them: what is all there is has its errors already."""
    found = data.problem.vectors
    return {name: part for name, part in found.items() if len(part) < data.problem.out_channels}


def _by_time(data: Dataset, errors: Errors, guessed: Errors) -> list[dict[str, Any]]:
    """Means over the samples at every time; nothing where there are no times."""
    if data.times is None:
        return []
    means = [z.mean(0) for z in (errors.times, guessed.times, errors.field_times)]
    vectors = {
        name: errors.of(channels).times.mean(0).tolist()
        for name, channels in _vectors(data).items()
    }
    return [
        {
            "t": float(t),
            "relative_l2": total.item(),
            "mean_field_error": guess.item(),
            "fields": _columns(data, fields),
            "vectors": {name: column[k] for name, column in vectors.items()},
        }
        for k, (t, total, guess, fields) in enumerate(zip(data.times, *means, strict=True))
    ]


def _columns(data: Dataset, values: Tensor) -> dict[str, Any]:
    """Values of every field, (Cu, ...), by its name."""
    return dict(zip(data.problem.output_names, values.tolist(), strict=True))


def _summary(errors: Tensor) -> dict[str, float]:
    return {
        "relative_l2": errors.mean().item(),
        "median": float(np.median(errors.cpu().numpy())),
        "worst": errors.max().item(),
    }


def open_data(run: Path, surrogate: Surrogate, path: Path | None = None) -> Dataset:
    """The run's dataset, or another one that must then be of the same problem.

    The run's own may be finer than the grid its model is built for, and is thinned to it then;
    another one is taken on its own grid. Of a model that has learned steps it is the frames that
    rollouts predict.
    """
    record_path = run / "data.json"
    if path is None and not record_path.is_file():
        raise CheckpointError(f"{run}: data.json is missing; name the dataset with --data FILE")
    record = read_data_record(run) if record_path.is_file() else {}
    if path is None and not Path(record["path"]).exists():
        raise DataError(f"{record['path']}: no such file; if {run}'s data have moved: --data FILE")
    data = dataset_file.read(path or Path(record["path"])).load_if_small()
    mine, other = surrogate.cases, data.problem
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
    data = thin(data, stride) if stride and data.hash == record.get("hash") else data
    return data if surrogate.frames is None else later_frames(data, frames_of(surrogate, data))


def split_errors(
    surrogate: Surrogate, data: Dataset, indices: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Errors of every sample, (S,), and of its fields, (S, Cu)."""
    errors = case_errors(surrogate, data, indices)
    return errors.total.cpu().numpy(), errors.fields.cpu().numpy()


def question(data: Dataset, sample: Sample) -> Question:
    """What `predict` is asked about a sample, on its grid, at the last time if it has times."""
    t = None
    if data.times is not None:
        sample, t = sample.at(-1), float(data.times[-1])
    shape = data.problem.grid or (len(sample.points),)
    a = sample.given
    return sample.points.reshape(*shape, -1), a.reshape(*shape, a.shape[-1]), t
