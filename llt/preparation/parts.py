"""Cases that are read, in parallel, each into a part of its own beside the dataset file."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from llt.data.folder.plan import Plan
from llt.data.folder.sample import num_duplicates, read_sample
from llt.data.sample import Sample
from llt.errors import DataError
from llt.preparation.tasks import FEWEST, Task
from llt.runtime.workers import in_parallel
from llt.solvers.base import Solution
from llt.solvers.parts import Parts

if TYPE_CHECKING:  # what it brings along is heavy, and workers do not need it
    from llt.generation import Progress


def read_all(
    plan: Plan, tasks: list[Task], parts: Parts, workers: int, progress: Progress
) -> dict[str, str]:
    """Read what is not read yet; cases that cannot be used, and why."""
    by_key = {task.key: task for task in tasks}
    missing = [by_key[key] for key in parts.claim(by_key)]
    bad: dict[str, str] = {}
    with progress("reading cases", len(tasks)) as advance:
        for _ in range(len(tasks) - len(missing)):
            advance()

        def note(task: Task, wrong: str) -> None:
            if wrong:
                bad[task.case.name] = wrong
            advance()

        read = partial(read_part, plan, parts)
        if workers == 1 or len(missing) < FEWEST:
            for task in missing:
                note(task, read(task))
            return bad
        try:
            in_parallel(read, missing, workers=min(workers, len(missing)), on_done=note)
        except BrokenProcessPool:
            raise DataError(
                "a reading process died, as when memory runs out; cases that were read are kept in "
                f"{parts.folder}, run the command again with --resume and fewer --workers"
            ) from None
    return bad


def read_part(plan: Plan, parts: Parts, task: Task) -> str:
    """Read one case into its part; what is wrong with it, or nothing."""
    try:
        sample = read_sample(task.case, plan, task.row)
    except DataError as error:
        return str(error)
    parts.write(task.key, _solution(sample, plan))
    return ""


def _solution(sample: Sample, plan: Plan) -> Solution:
    problem = plan.problem

    points: NDArray[Any] = sample.points

    def named(values: NDArray[Any], names: Sequence[str]) -> dict[str, NDArray[Any]]:
        return {name: values[..., channel] for channel, name in enumerate(names)}

    return Solution(
        points=points,
        inputs=named(sample.inputs, problem.input_names),
        outputs=named(sample.outputs, problem.output_names),
        times=np.array(plan.times) if plan.times else None,
        masks=sample.masks,
        parameters=dict(zip(problem.parameter_names, map(float, sample.parameters), strict=True)),
        info={"duplicates": num_duplicates(sample.points)},
    )
