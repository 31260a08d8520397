"""Samples that are too many for the memory: read one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from llt.data.collate import collate
from llt.data.dataset import Dataset
from llt.data.dataset_writer import DatasetWriter
from llt.data.sample import Sample
from llt.data.splits import Splits
from llt.problem import Problem


@dataclass(frozen=True, kw_only=True)
class Stream:
    """What a dataset will hold. Its samples can be read once."""

    problem: Problem
    samples: Iterator[Sample]
    splits: Splits
    records: dict[str, NDArray[Any]]  # names among them
    provenance: dict[str, Any]  # complete when all samples have been read

    def __len__(self) -> int:
        return len(self.records["name"])

    def write(self, path: Path, advance: Callable[[], None]) -> None:
        """Into a dataset file; `advance` is called after every sample."""
        with DatasetWriter(path, self.problem) as writer:
            for sample in self.samples:
                writer.add(sample)
                advance()
            writer.finish(self.splits, provenance=self.provenance, records=self.records)

    def load(self) -> Dataset:
        samples = [*self.samples]
        return collate(
            self.problem,
            samples,
            self.splits,
            provenance=self.provenance,
            records=self.records,
        )
