"""Which samples are for training, for validation and for testing. Frozen, disjoint, hashed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from llt.errors import DataError, unknown

NAMES = ("train", "val", "test")
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Splits:
    """Sample indices of the three parts. Samples in none of them are allowed."""

    train: Indices
    val: Indices
    test: Indices

    @classmethod
    def of(cls, train: ArrayLike, val: ArrayLike, test: ArrayLike) -> Splits:
        parts = (train, val, test)
        return cls(*(_indices(part, name) for part, name in zip(parts, NAMES, strict=True)))

    @classmethod
    def consecutive(cls, train: int, val: int, test: int) -> Splits:
        """The first samples train, the next validate, the last test."""
        order = np.arange(train + val + test)
        return cls.of(order[:train], order[train : train + val], order[train + val :])

    @classmethod
    def random(cls, num: int, seed: int = 0) -> Splits:
        """Of num samples 80 % train, 10 % validate and 10 % test, drawn by the seed."""
        if num < 3:
            raise DataError(f"{num} samples: at least 3 are needed to train, validate and test")
        held_out = max(1, round(num / 10))
        order = np.random.default_rng(seed).permutation(num)
        ends = num - 2 * held_out, num - held_out
        return cls.of(*map(np.sort, np.split(order, ends)))

    def fewer(self, num: int, seed: int = 0) -> Splits:
        """With so many of the training samples, drawn by the seed: more of them hold fewer."""
        if num > len(self.train):
            raise DataError(f"train.samples={num}: the training split has {len(self.train)}")
        drawn = np.random.default_rng(seed).permutation(self.train)[:num]
        return Splits(np.sort(drawn), self.val, self.test)

    def __getitem__(self, name: str) -> Indices:
        if name not in NAMES:
            raise DataError(unknown("split", name, NAMES))
        part: Indices = getattr(self, name)
        return part

    def check(self, num_samples: int) -> None:
        """Raise where a split points outside the data, repeats a sample, or meets another."""
        for name in NAMES:
            part = self[name]
            if part.size and not 0 <= part.min() <= part.max() < num_samples:
                raise DataError(
                    f"split {name}: index {part.min()} or {part.max()} outside 0..{num_samples - 1}"
                )
        joined = np.concatenate([self[name] for name in NAMES])
        values, counts = np.unique(joined, return_counts=True)
        if (counts > 1).any():
            raise DataError(f"splits overlap: sample {values[counts > 1][0]} is used twice")

    @property
    def hash(self) -> str:
        digest = hashlib.sha256()
        for name in NAMES:
            digest.update(name.encode() + self[name].tobytes())
        return digest.hexdigest()[:16]


def _indices(part: ArrayLike, name: str) -> Indices:
    values = np.asarray(part).reshape(-1)
    if values.size and values.dtype.kind not in "iu":
        raise DataError(f"split {name}: values of type {values.dtype}, expected numbers of samples")
    return values.astype(np.int64)
