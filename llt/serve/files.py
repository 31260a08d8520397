"""Files of simulation programs as requests: the user's own mesh comes back with predictions on it.

A file is read and written by the thread of its request, and only what the model computes is put
to the worker, so that a file that takes long to read keeps nobody else waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from llt.data import formats
from llt.errors import ConfigError
from llt.own_mesh.job import Asked, Computed, Job, Options
from llt.own_mesh.predict import job_of
from llt.serve.body import in_folder, write_body
from llt.serve.kinds import ARRAYS
from llt.serve.question import report
from llt.serve.served import Served


@dataclass(frozen=True, kw_only=True)
class FileQuestion:
    """A case that was read; it is asked alone."""

    job: Job
    asked: Asked
    kind: Hashable | None = None
    most: int = 1

    def ask(self) -> Computed:
        return self.job.compute(self.asked)

    def ask_with(self, others: Sequence[FileQuestion]) -> list[Computed]:
        return [one.ask() for one in (self, *others)]


def answer_file(
    served: Served,
    body: bytes,
    kind: str,
    wanted: str,
    options: Options,
    ask: Callable[[FileQuestion], Computed],
) -> tuple[bytes, str, dict[str, Any]]:
    """The answer, its kind, and its report."""
    with in_folder() as folder:
        file = folder / f"case{kind}"
        file.write_bytes(body)
        job, case = job_of(served.surrogate, file, options)
        asked = job.read(case)
        computed = ask(FileQuestion(job=job, asked=asked))
        answers = job.answers(asked, computed)
        if wanted == kind:
            wanted = formats.suffix_for(file)
        out = folder / f"answer{wanted}"
        said = job.done(asked, computed, answers, out)
        far = [] if said.distance is None else [said.distance]
        about = {"errors": dict(said.errors), "integrals": dict(said.integrals)}
        told = report(served, far, said.warnings, **about)
        if wanted in ARRAYS and wanted != formats.suffix_for(file):
            return write_body(_arrays(asked, answers), wanted, report=told), wanted, told
        if len(answers) > 1 and formats.series_suffix(file) != wanted:
            raise ConfigError(
                f"{len(answers)} times are as many files; ask for one, as ?time=0.5, or for arrays "
                "of all with Accept: application/json"
            )
        job.write(asked, answers, out)
        return Path(out).read_bytes(), wanted, told


def _arrays(asked: Asked, answers: Sequence[Any]) -> dict[str, Any]:
    """By name; with an axis for the times where there are several."""
    found = [one.arrays() for one in answers]
    points = {"points": asked.question.points}
    if len(found) == 1:
        return points | found[0]
    together = {name: np.stack([one[name] for one in found]) for name in found[0]}
    return points | {"times": np.array(asked.question.times), **together}
