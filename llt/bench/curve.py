"""The learning curve: what more data would bring.

The same model is trained for the same number of steps on a quarter, a half and all of the training
cases, the fewer among the more, and tested on the same test cases. A power law through the three
errors says what twice the cases would give.

record.json  the errors, the law and what it promises
curve.png    both as a figure
*/           the run folders, named by their numbers of cases
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.bench.contender import Contender, check_same, outcome, read, train_contender
from llt.bench.curve_report import curve_figure
from llt.bench.figures import png
from llt.bench.record import Record, new_record, write_record
from llt.data import dataset_file
from llt.errors import DataError
from llt.runtime.device import find_device
from llt.runtime.files import write_bytes
from llt.training.loop import Listener

PARTS = (4, 2, 1)  # of the training cases: a quarter, a half, all
FEWEST = 8  # training cases, so that a quarter of them is something
DRAWS = 1000  # of the test cases, for how sure the promise is
Progress = Callable[[int, int], AbstractContextManager[Listener]]  # cases, and steps on them


@dataclass(frozen=True, slots=True)
class Law:
    """error = scale * cases^-rate through some points, and what it promises for twice the cases."""

    scale: float
    rate: float
    misses: float  # the largest ratio of an error to the law's, or its inverse
    cases: int  # twice as many as there are
    error: float  # with so many
    low: float  # nine of ten draws of the test cases promise between these
    high: float

    def __call__(self, cases: float) -> float:
        return float(self.scale * cases**-self.rate)


def fit_law(cases: Sequence[int], errors: NDArray[np.float64]) -> Law:
    """From numbers of cases and the errors (points, test cases) of the trainings on so many."""
    n, twice = np.log(cases), 2 * max(cases)
    rate, scale = _line(n, errors.mean(axis=1))
    promised = []
    rng = np.random.default_rng(0)
    for _ in range(DRAWS):
        drawn = rng.integers(errors.shape[1], size=errors.shape[1])
        slope, factor = _line(n, errors[:, drawn].mean(axis=1))
        promised.append(factor * twice**-slope)
    low, high = np.quantile(promised, (0.05, 0.95))
    law = Law(scale, rate, 1.0, twice, float(scale * twice**-rate), float(low), float(high))
    ratios = [error / law(k) for k, error in zip(cases, errors.mean(axis=1), strict=True)]
    return replace(law, misses=float(max(max(ratios), 1 / min(ratios))))


def _line(n: NDArray[np.float64], errors: NDArray[np.float64]) -> tuple[float, float]:
    """Rate and scale of the law that is nearest to the errors, in logarithms."""
    slope, start = np.polyfit(n, np.log(errors), 1)
    return float(-slope), float(np.exp(start))


def learning_curve(
    path: Path, entry: Contender, out: Path, *, device: str = "auto", progress: Progress
) -> Record:
    """Train, test and fit; what an earlier attempt has finished is kept."""
    data = dataset_file.read(path)
    whole, times = len(data.split("train")), 1
    if data.times is not None:
        times = max(1, len(data.times) - entry.train.history)
    if whole < FEWEST:
        raise DataError(f"{path}: {whole} cases to train on; a learning curve needs {FEWEST}")
    data.split("test")  # an empty one is refused now
    steps = entry.train.with_budget(whole * times).epochs * (
        whole * times // min(entry.train.batch_size, whole * times)
    )
    points = []
    for number in (whole // part for part in PARTS):
        samples = 0 if number == whole else number
        changes = {"samples": samples, "steps": steps}
        run, fewer = out / str(number), entry.changed({"model": {}, "train": changes})
        fewer = replace(fewer, train=fewer.train.with_budget(number * times))
        check_same(fewer, data.hash, run)
        with progress(number, steps) as listener:
            train_contender(fewer, path, run, device=device, listener=listener)
        points.append({"cases": number, **_point(run)})
    results = {"points": points, "steps": steps, "law": asdict(_law(points))}
    settings = {"model": entry.model, "recipe": entry.recipe, "train": entry.train.to_dict()}
    record = new_record(
        "data", f"Learning curve of {path.stem}", find_device(device), results, settings
    )
    record = replace(record, data={path.stem: {"hash": data.hash}})
    write_record(out / "record.json", record)
    write_bytes(out / "curve.png", png(curve_figure(record.results)))
    return record


def _point(run: Path) -> dict[str, Any]:
    found, evaluation = outcome(run), read(run, "evaluation.json")
    kept = ("best_val_error", "best_epoch", "mean_field_error", "training_seconds")
    errors = np.array(evaluation["per_sample"])
    if found["settings"]["train"]["balance"]:  # fields that count the same
        errors = np.mean([*evaluation["field_errors"].values()], axis=0)
    return {
        "test_error": float(errors.mean()),
        **{name: found[name] for name in kept},
        "per_sample": errors.tolist(),
    }


def _law(points: Sequence[Mapping[str, Any]]) -> Law:
    errors = np.array([point["per_sample"] for point in points])
    return fit_law([point["cases"] for point in points], errors)
