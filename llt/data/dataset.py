"""A dataset: solved samples of one problem with their splits and provenance.

Its arrays are in memory, or stay in a file and are read when they are asked for. `sample` is the
way to read one sample; what comes from a file is checked there.

Shapes: S samples, N points, d space dimensions, Ca input and Cu output channels, T times.
Samples that all have N points are stacked. Samples of different sizes are ragged: their points
stand one after the other, and sample i owns rows offsets[i] to offsets[i + 1] of P in all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from llt.data.checks import check_finite, check_sample, check_shapes
from llt.data.numbers import to_array, to_floats
from llt.data.sample import Bools, Floats, Sample, checksum
from llt.data.splits import NAMES, Splits
from llt.data.steps import Computed, View
from llt.data.stored import Stored, StoredFile
from llt.data.thinning import stride_between, thinned_rows
from llt.errors import DataError
from llt.problem import Problem
from llt.runtime.device import free_memory
from llt.runtime.limits import check_size
from llt.runtime.reading import reading

__all__ = ["Bools", "Dataset", "Floats", "Sample"]

VERSION = 2  # of the file, and of the hash
NOTHING: Mapping[str, Any] = MappingProxyType({})


def _no_numbers() -> Floats:
    return np.empty((0, 0), np.float32)


@dataclass(frozen=True, kw_only=True, repr=False)
class Dataset:
    """Checked on construction: shapes agree, splits are disjoint, numbers in memory are finite."""

    problem: Problem
    points: Floats | Stored  # (N, d) when all samples share them, (S, N, d), or ragged (P, d)
    # (S, N, Ca) or ragged (P, Ca); with times (S, T, N, Ca), (T, P, Ca)
    inputs: Floats | Stored | Computed
    outputs: Floats | Stored | Computed  # the same with Cu
    splits: Splits
    offsets: NDArray[np.int64] | None = None  # (S + 1,) on ragged data
    times: NDArray[np.float64] | None = None  # (T,) on timed problems
    masks: Mapping[str, Bools | Stored] = field(default_factory=dict)  # (N,), (S, N), ragged (P,)
    parameters: Floats = field(default_factory=_no_numbers)  # (S, case parameters)
    derived: Floats = field(default_factory=_no_numbers)  # (S, derived quantities)
    # "drag/pressure": what the pressure at a point adds to the drag for each of its units
    weights: Mapping[str, Floats | Stored] = field(default_factory=dict)  # as masks
    provenance: dict[str, Any] = field(default_factory=dict)
    records: dict[str, NDArray[Any]] = field(default_factory=dict)  # of the solver, (S, ...)
    file: StoredFile | None = None  # where arrays are stored that are not in memory
    version: int = VERSION  # of the file it came from: version 1 has a hash of its own
    finer: Dataset | None = None  # that this one is every k-th point of, see `data.thinning`
    view: View | None = None  # of another one's time series, see `data.steps`

    def __post_init__(self) -> None:
        for name in ("points", "inputs", "outputs", "parameters", "derived"):
            array = getattr(self, name)
            if not isinstance(array, Stored | Computed):
                array = to_floats(array, f"{self.problem.name}: {name}")
                object.__setattr__(self, name, array)
        if self.times is not None:
            times = to_array(self.times, f"{self.problem.name}: times")
            object.__setattr__(self, "times", times.astype(np.float64))
        for name in ("parameters", "derived"):
            if not getattr(self.problem, name):
                object.__setattr__(self, name, np.empty((len(self), 0), np.float32))
        check_shapes(self)
        for name in ("points", "inputs", "outputs", "parameters", "derived"):
            array = getattr(self, name)
            if not isinstance(array, Stored | Computed):
                check_finite(name, array, self.problem, rows=self.ragged)
        self.splits.check(len(self))

    @classmethod
    def from_arrays(
        cls,
        name: str,
        *,
        points: Any,
        outputs: Mapping[str, Any],
        inputs: Mapping[str, Any] = NOTHING,
        parameters: Mapping[str, Any] = NOTHING,
        splits: Splits | Mapping[str, Any] | None = None,
        seed: int = 0,
        units: Mapping[str, str] = NOTHING,
        masks: Mapping[str, Any] = NOTHING,
        times: Any = None,
    ) -> Dataset:
        """Arrays by name as a dataset: numpy, torch or lists, in any precision.

        Args:
            name: of the problem, for its files and pictures.
            points: coordinates. On a grid (*grid, d), the same for all samples, or (S, *grid, d);
                point sets (N, d) or (S, N, d); a list of (N_i, d) where samples differ in size.
            outputs: fields to be learned, (S, *grid) or (S, N), with times (S, T, ...); lists of
                arrays where points are one.
            inputs: fields that are given, the same; with or without times.
            parameters: numbers of a case that are given, (S,).
            splits: numbers of the samples to "train", "val" and "test"; by default 80, 10 and
                10 % of them, drawn by the seed.
            units: of any of the fields and parameters, as {"u": "mm"}.
            masks: where an output exists, by its name: booleans, for all samples or for each.
            times: (T,) output times of a timed problem.
        """
        from llt.data.from_arrays import from_arrays

        return from_arrays(
            name,
            points=points,
            inputs=inputs,
            outputs=outputs,
            parameters=parameters,
            splits=splits,
            seed=seed,
            units=units,
            masks=masks,
            times=times,
        )

    def save(self, path: str | Path) -> Path:
        """Write the dataset file; a file of this name is replaced when the new one is complete."""
        from llt.data import dataset_file

        dataset_file.write(Path(path), self)
        return Path(path)

    def __repr__(self) -> str:
        parts = ", ".join(f"{len(self.splits[name])} {name}" for name in NAMES)
        return f"<Dataset {self.problem.describe()}; {len(self)} samples: {parts}>"

    def __len__(self) -> int:
        return len(self.offsets) - 1 if self.offsets is not None else len(self.outputs)

    @property
    def ragged(self) -> bool:
        return self.offsets is not None

    @property
    def shared_points(self) -> bool:
        return not self.ragged and self.points.ndim == 2

    @property
    def mesh(self) -> Floats | None:
        """The points (N, d) where all samples share them."""
        return self.points[:] if self.shared_points else None

    @property
    def counts(self) -> NDArray[np.int64]:
        """Points of every sample: (S,)."""
        if self.offsets is not None:
            return np.diff(self.offsets)
        return np.full(len(self), self.outputs.shape[-2])

    @property
    def timed_inputs(self) -> bool:
        return self.inputs.ndim == (3 if self.ragged else 4)

    @property
    def num_bytes(self) -> int:
        """What the whole dataset takes in memory."""
        beside = (*self.masks.values(), *self.weights.values())
        arrays = (self.points, self.inputs, self.outputs, *beside)
        return sum(array.size * array.dtype.itemsize for array in arrays)

    def sample(self, index: int, moment: int | None = None) -> Sample:
        """One sample, or only what it is at one moment, which is the number of a time."""
        if self.view is not None:
            return self.view.sample(index, moment)
        if self.file is None:
            return self._take(index, moment)
        if self.finer is not None:
            return self.finer.sample(index, moment).thinned(self._rows)
        with reading(self.file.path, what=f"sample {index}"):
            if moment is not None and self._checked[index]:
                return self._take(index, moment)
            sample = self._take(index)
            check_sample(sample, self.problem, self.times, index)
            if self.file.checksums is not None:
                _compare(checksum(sample), self.file.checksums[index], index)
        self._checked[index] = True
        return sample if moment is None else sample.at(moment)

    def split(self, name: str) -> NDArray[np.int64]:
        """Indices of a split; an empty one is an error, since nothing can be done with it."""
        part = self.splits[name]
        if not part.size:
            raise DataError(f"{self.problem.name}: split {name!r} is empty")
        return part

    def load(self) -> Dataset:
        """The same dataset with everything in memory, checked; loaded once."""
        return self if self.file is None else self._loaded

    def load_if_small(self) -> Dataset:
        """In memory where that takes less than a quarter of what is free: passes cost less."""
        free = free_memory(torch.device("cpu"))
        return self.load() if self.num_bytes < free / 4 else self

    @cached_property
    def _loaded(self) -> Dataset:
        assert self.file is not None
        if self.view is not None:
            whole = self.view.data.load()
            view = replace(self.view, data=whole)
            return replace(self, points=whole.points, masks=whole.masks, view=view, file=None)
        if self.finer is not None:
            return self._load_thinned()
        with reading(self.file.path):
            check_size(self.file.path, self.num_bytes, "the whole dataset")
            loaded = replace(
                self,
                points=self.points[:],
                inputs=self.inputs[:],
                outputs=self.outputs[:],
                masks={name: mask[:] for name, mask in self.masks.items()},
                weights={name: array[:] for name, array in self.weights.items()},
                file=None,
            )
            if self.file.checksums is not None:
                for index, pair in enumerate(
                    zip(loaded.checksums, self.file.checksums, strict=True)
                ):
                    _compare(pair[0].decode(), pair[1], index)
        return loaded

    def _load_thinned(self) -> Dataset:
        """One sample after the other, so that the finer ones are never in memory together."""
        samples = [self.sample(index) for index in range(len(self))]
        masks: dict[str, Any] = {}
        for name, mask in self.masks.items():
            own = [sample.masks[name] for sample in samples]
            masks[name] = own[0] if mask.ndim == 1 else np.stack(own)
        return replace(
            self,
            points=self.points[:]
            if self.shared_points
            else np.stack([sample.points for sample in samples]),
            inputs=np.stack([sample.inputs for sample in samples]),
            outputs=np.stack([sample.outputs for sample in samples]),
            masks=masks,
            file=None,
        )

    @cached_property
    def _rows(self) -> NDArray[np.int64]:
        """Of the finer dataset's points, those that are here."""
        assert self.finer is not None
        fine, grid = self.finer.problem.grid or (), self.problem.grid or ()
        return thinned_rows(fine, stride_between(fine, grid) or ())

    @cached_property
    def checksums(self) -> NDArray[np.bytes_]:
        """One of every sample: those in the file, or computed."""
        if self.file is not None and self.finer is None and self.file.checksums is not None:
            return self.file.checksums
        return np.array([checksum(self.sample(i)) for i in range(len(self))], "S16")

    @property
    def hash(self) -> str:
        """Fingerprint of the numbers and the splits, independent of how they are stored.

        A thinned dataset has that of the finer one: they are the same samples. So has a view.
        """
        if self.view is not None:
            return self.view.data.hash
        if self.finer is not None:
            return self.finer.hash
        if self.version == 1:
            return _digest(
                self.splits, self.points, self.inputs, self.outputs, self.offsets, self.times
            )
        return dataset_hash(self.splits, self.times, self.checksums)

    @cached_property
    def _checked(self) -> Bools:
        return np.zeros(len(self), bool)

    def _take(self, index: int, moment: int | None = None) -> Sample:
        timed = self.times is not None
        return Sample(
            points=self.points[:] if self.shared_points else self._part(self.points, index),
            inputs=self._part(self.inputs, index, moment, timed=self.timed_inputs),
            outputs=self._part(self.outputs, index, moment, timed=timed),
            masks=self._beside(self.masks, index),
            parameters=self.parameters[index],
            derived=self.derived[index],
            weights=self._beside(self.weights, index),
        )

    def _beside(self, arrays: Mapping[str, Any], index: int) -> dict[str, Any]:
        """What a sample has of arrays that all may share."""
        return {
            name: array[:] if array.ndim == 1 and not self.ragged else self._part(array, index)
            for name, array in arrays.items()
        }

    def _part(
        self, array: Any, index: int, moment: int | None = None, *, timed: bool = False
    ) -> Any:
        when = slice(None) if moment is None else moment
        if self.offsets is None:
            return array[index, when] if timed else array[index]
        rows = slice(int(self.offsets[index]), int(self.offsets[index + 1]))
        return array[when, rows] if timed else array[rows]


def _compare(found: str, written: bytes, index: int) -> None:
    if found != written.decode():
        raise DataError(
            f"damaged: sample {index} has checksum {found}, written as {written.decode()}"
        )


def dataset_hash(
    splits: Splits, times: NDArray[np.float64] | None, checksums: NDArray[np.bytes_]
) -> str:
    return _digest(splits, times, checksums)


def _digest(splits: Splits, *arrays: Any) -> str:
    digest = hashlib.sha256(splits.hash.encode())
    for array in arrays:
        if array is not None:
            digest.update(str(array.shape).encode())
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]
