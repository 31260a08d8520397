"""A live problem's answers: at once from the surrogate, on demand from the reference solver."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Lock, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llt.errors import LltError
from llt.surrogate import Surrogate
from llt.view.container import Parcel
from llt.view.live.kind import Kind, Question
from llt.view.live.solving import timed
from llt.view.pictured import box_of, in_space, relative_l2
from llt.view.shape import block_outline, block_triangles
from llt.view.worker import Worker


class LiveProblem:
    """See `scene.Live`."""

    def __init__(self, surrogate: Surrogate, kind: Kind[Any]) -> None:
        self._surrogate, self._kind, self._worker = surrogate, kind, Worker()
        self._first: Parcel | None = None
        self._loading: Thread | None = None
        self._lock = Lock()

    def about(self) -> Mapping[str, Any]:
        return self._kind.about()

    def warm_up(self) -> None:
        """First answers take longer: they are had before somebody waits for them."""
        self.start()
        self._answer(self._kind.question(self._kind.quick(self._kind.first())))

    def start(self) -> Parcel:
        with self._lock:
            if self._first is None:
                asked = self._kind.first()
                meta, arrays = self._kind.start(asked)
                answer = self._answer(self._kind.question(asked))
                self._first = Parcel({**answer.meta, **meta}, {**answer.arrays, **arrays})
            return self._first

    def predict(self, asked: Mapping[str, Any]) -> Parcel:
        self._load_solver()
        return self._answer(self._kind.question(self._kind.read(asked)))

    def solve(self, asked: Mapping[str, Any]) -> Parcel:
        read = self._kind.fine(self._kind.read(asked))
        self._load_solver()
        assert self._loading is not None
        self._loading.join()
        function, args = self._kind.job(read)
        truth, seconds = self._worker.call(timed, function, *args)
        answer = self._answer(self._kind.question(read))
        arrays = dict(answer.arrays)
        errors = {}
        for name, values in truth.items():
            known = values.astype(np.float32).reshape(-1)
            arrays[f"{name}/truth"] = known
            arrays[f"{name}/error"] = arrays[f"{name}/prediction"] - known
            errors[name] = relative_l2(arrays[f"{name}/error"], known)
        times = {**answer.meta["seconds"], "solve": seconds}
        return Parcel({**answer.meta, "seconds": times, "errors": errors}, arrays)

    def close(self) -> None:
        self._worker.close()
        if self._loading is not None:
            self._loading.join()

    def _answer(self, question: Question) -> Parcel:
        problem, x = self._surrogate.problem, question.points.astype(np.float32)
        start = time.perf_counter()
        fields = self._surrogate.predict(x, dict(question.inputs), check=False)
        seconds = time.perf_counter() - start
        self._kind.note(question, seconds)
        flat = x.reshape(-1, x.shape[-1])
        arrays: dict[str, NDArray[Any]] = mesh_arrays(flat, question.grid)
        for name, values in fields.items():
            arrays[f"{name}/prediction"] = values.reshape(-1)
        for name, values in question.inputs.items():
            arrays[f"{name}/truth"] = values.astype(np.float32).reshape(-1)
        trust = self._surrogate.trust
        for name, bar in (trust.bars if trust is not None else {}).items():
            arrays[f"{name}/bar"] = np.array([bar], np.float32)
        bounds = box_of(flat)
        distance, warning = self._distance(question)
        meta = {
            "dim": problem.space_dim,
            "bounds": bounds,
            "focus": self._kind.focus(question) or bounds,
            "grid": question.grid,
            "seconds": {"predict": seconds},
            "distance": distance,
            "warning": warning,
        }
        return Parcel(meta, arrays)

    def _distance(self, question: Question) -> tuple[float | None, str]:
        found = self._surrogate.distances(question.points.astype(np.float32), dict(question.inputs))
        if not found:
            return None, ""
        value = found[0].value
        unfamiliar = f"unfamiliar: further out than every training case ({found[0].group})"
        return value, unfamiliar if value > 1 else ""

    def _load_solver(self) -> None:
        """Libraries are loaded and code is compiled before somebody waits for the solver."""
        with self._lock:
            if self._loading is not None:
                return
            function, args = self._kind.job(self._kind.fine(self._kind.first()))

            def solve() -> None:
                try:
                    self._worker.call(timed, function, *args)
                except (LltError, OSError):
                    return  # told when somebody asks

            self._loading = Thread(target=solve, daemon=True)
            self._loading.start()


def mesh_arrays(points: NDArray[Any], grid: tuple[int, ...]) -> dict[str, NDArray[Any]]:
    """Points (N, d) of a grid in the plane as the page wants them."""
    found: dict[str, NDArray[Any]] = {
        "points": in_space(points),
        "triangles": block_triangles(grid),
    }
    lines = block_outline(points, grid)
    if lines is not None:
        found["lines"] = lines
    return found
