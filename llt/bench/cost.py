"""Time and memory of one training iteration, LLT beside Transolver in the same run.

The paper's protocol: an iteration is a forward and a backward pass (with the loss, without the
optimizer's update) on a batch of four, 30 repetitions after 10 to warm up. We report the median.
What is timed is the real training step with its update left out, or with `optimizer` all of it;
the data are random, lie on the device, and are gathered there, as in training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

import torch
from torch import Tensor

from llt import kernels
from llt.bench.authors import NAME as AUTHORS
from llt.bench.authors import build_authors, fingerprint
from llt.bench.case import MODELS, Case, matched_case
from llt.bench.synthetic import random_dataset
from llt.bench.timing import peak_memory, release_memory, times_ms
from llt.bench.turns import finished, turn
from llt.data.dataset import Dataset
from llt.errors import ConfigError, KernelError, unknown
from llt.kernels.verify import fused_available
from llt.models import build_model
from llt.models.base import Operator
from llt.models.plan import plan
from llt.runtime.device import PRECISIONS, matmul_precision
from llt.surrogate import Surrogate
from llt.training.config import TrainConfig
from llt.training.optimizer import Adam
from llt.training.setup import LADDERS
from llt.training.step import TrainingStep

MODES = ("eager", "graph", "compile")


@dataclass(frozen=True, kw_only=True, slots=True)
class Protocol:
    """How everything in one run is measured."""

    device: torch.device
    precision: str = "fp32"
    modes: tuple[str, ...] = ("eager",)
    batch_size: int = 4
    warmup: int = 10
    repetitions: int = 30
    optimizer: bool = False  # the complete training step instead of the paper's iteration
    authors: Path | None = None  # a checkout of Transolver's authors: their code is measured, too
    jobs: int = 1  # processes that compile beside each other and measure in turn

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise ConfigError(unknown("precision", self.precision, PRECISIONS))
        for mode in self.modes:
            if mode not in MODES:
                raise ConfigError(unknown("mode", mode, MODES))
        if self.device.type == "cuda":
            return
        if set(self.modes) - {"eager"}:
            raise ConfigError(f"modes {','.join(self.modes)}: {self.device} can only run eager")
        if self.precision != "fp32":
            raise ConfigError(f"precision {self.precision}: {self.device} computes in fp32")

    def to_dict(self) -> dict[str, Any]:
        what = "forward, loss, backward" + (", clip, update" if self.optimizer else "")
        found = {**asdict(self), "device": str(self.device), "iteration": what}
        return found | {"authors": self.authors and fingerprint(self.authors)}


@dataclass(frozen=True, slots=True)
class ExecutionMode:
    """A way to run a model: step by step, as a CUDA graph, or that compiled; with which kernels."""

    mode: str
    kernels: str = "reference"

    def __str__(self) -> str:
        return self.mode if self.kernels == "reference" else f"{self.mode} {self.kernels}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One measurement, or the reason why there is none."""

    case: str
    num_points: int
    grid: tuple[int, ...] | None
    model: str
    mode: str
    kernels: str
    ms: float | None = None  # median
    ms_mean: float | None = None  # what the paper reports
    ms_quartiles: tuple[float, float] | None = None
    memory_mib: float | None = None  # on CUDA
    reason: str | None = None

    @property
    def way(self) -> ExecutionMode:
        return ExecutionMode(self.mode, self.kernels)


Tell = Callable[[Row], None]


def executions(model: str, protocol: Protocol) -> list[ExecutionMode]:
    """Step by step with plain kernels, as the paper measures; else with the best there are."""
    plain = [ExecutionMode(mode) for mode in protocol.modes]
    # the fused kernels are for 16-bit products
    narrow = protocol.precision in ("bf16", "fp16")
    if model != "llt" or not narrow or not fused_available(protocol.device):
        return plain
    # a compiler takes what is around the fused blocks
    return [way for way in plain if way.mode == "eager"] + [
        ExecutionMode(mode, "fused") for mode in protocol.modes
    ]


def uses_fused(protocol: Protocol) -> bool:
    return any(way.kernels == "fused" for way in executions("llt", protocol))


def runs(protocol: Protocol) -> list[tuple[str, ExecutionMode]]:
    """Every model in each of its ways; those to be compared follow one another."""
    models = MODELS if protocol.authors is None else (*MODELS, AUTHORS)
    return [
        (model, way)
        for mode in protocol.modes
        for model in models
        for way in executions(model, protocol)
        if way.mode == mode
    ]


def measure_cases(cases: Sequence[Case], protocol: Protocol, tell: Tell) -> list[Row]:
    return _measure_all([(case, *run) for case in cases for run in runs(protocol)], protocol, tell)


def measure_models(cases: Sequence[Case], protocol: Protocol, tell: Tell) -> list[Row]:
    """Every model of the cases in its best way: compiled, or else captured, or else eager.

    Not every compiler can take every model. Rows of what failed are there, too.
    """
    rows: list[Row] = []
    left = [(case, model) for case in cases for model in case.settings]
    for mode in LADDERS["fastest"] if protocol.device.type == "cuda" else ("eager",):
        one = replace(protocol, modes=(mode,))
        wanted = [(case, model, _best_way(model, one)) for case, model in left]
        found = _measure_all(wanted, one, tell)
        left = [place for place, row in zip(left, found, strict=True) if row.ms is None]
        rows += found
    return rows


def _best_way(model: str, protocol: Protocol) -> ExecutionMode:
    """Of one mode, with fused kernels where there are any."""
    return executions(model, protocol)[-1]


def _measure_all(
    wanted: Sequence[tuple[Case, str, ExecutionMode]], protocol: Protocol, tell: Tell
) -> list[Row]:
    """Rows in their order, told as they come."""
    rows: dict[int, Row] = {}
    tasks = [partial(measure, *about, protocol) for about in wanted]
    for place, row in finished(tasks, protocol.jobs):
        rows[place] = row
        tell(row)
    return [rows[place] for place in sorted(rows)]


def fastest(rows: Sequence[Row]) -> list[Row]:
    """Each model in its fastest way, or the first row where all have failed; the fastest first."""
    best: dict[tuple[str, str], Row] = {}
    for row in rows:
        there = best.setdefault((row.case, row.model), row)
        if row.ms is not None and (there.ms is None or row.ms < there.ms):
            best[row.case, row.model] = row
    return sorted(best.values(), key=lambda row: (row.case, row.ms is None, row.ms or 0.0))


def measure_scaling(
    num_points: int, protocol: Protocol, tell: Tell, *, max_points: int | None = None
) -> list[Row]:
    """Matched grids, twice the points each time; every model and way goes on until it fails."""
    rows, alive = [], runs(protocol)
    while alive and (max_points is None or num_points <= max_points):
        case, going = matched_case(num_points), alive
        for model, way in going:
            row = measure(case, model, way, protocol)
            if row.reason:
                alive = [run for run in alive if run != (model, way)]
            rows.append(row)
            tell(row)
        num_points *= 2
    return rows


def measure(case: Case, model: str, way: ExecutionMode, protocol: Protocol) -> Row:
    row = Row(
        case=case.name,
        num_points=case.num_points,
        grid=case.problem.grid,
        model=model,
        mode=way.mode,
        kernels=way.kernels,
    )
    try:
        times, memory = _measure(case, model, way, protocol)
    except Exception as error:  # memory, compilers, drivers: one row must not lose the others
        return replace(row, reason=reason(error))
    finally:
        release_memory(protocol.device)
    return replace(
        row,
        ms=median(times),
        ms_mean=mean(times),
        ms_quartiles=_quartiles(times),
        memory_mib=memory,
    )


def build_step(case: Case, model: str, protocol: Protocol) -> TrainingStep:
    """The step that `llt train` would run, on random data that make one batch."""
    data = random_dataset(case, protocol.batch_size)
    return _step(Surrogate.fit(_network(case, model, protocol), data), data, protocol)


def _network(case: Case, model: str, protocol: Protocol) -> Operator:
    torch.manual_seed(0)
    if model == AUTHORS and protocol.authors:
        return build_authors(protocol.authors, case.problem, dict(case.settings["transolver"]))
    return build_model(model, case.problem, **case.settings[model])


def _step(surrogate: Surrogate, data: Dataset, protocol: Protocol) -> TrainingStep:
    surrogate.to(protocol.device)
    samples = surrogate.source(data, data.split("train"))
    # an epoch is one step
    config = TrainConfig(
        batch_size=protocol.batch_size,
        epochs=protocol.warmup + protocol.repetitions,
        precision=protocol.precision,
    )
    step = TrainingStep(surrogate, samples, config)
    if not protocol.optimizer:
        step.optimizer = NoUpdate(step.optimizer.parameters, config, config.epochs)
    step.start_epoch(0)
    return step


class NoUpdate(Adam):
    """Leaves the parameters as they are: the paper's iteration ends with the backward pass."""

    def step(self, index: Tensor) -> Tensor:
        return index


def require_fused(step: TrainingStep) -> None:
    """Refuse what would run with other kernels: its time would have a wrong name."""
    found = plan(step.surrogate.model, step.device, step.config.precision)
    if not found.fused:
        raise KernelError(f"no fused kernels here; {found}")


def reason(error: BaseException) -> str:
    """One line on why a measurement failed."""
    memory = ("out of memory", "can't allocate memory", "Unable to allocate")
    for cause in _causes(error):
        if isinstance(cause, MemoryError) or any(text in str(cause) for text in memory):
            return "out of memory"
    first = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}"[:200]


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _measure(
    case: Case, model: str, way: ExecutionMode, protocol: Protocol
) -> tuple[list[float], float | None]:
    """Milliseconds of every repetition, and the peak memory over capture and repetitions."""
    device, precision = protocol.device, matmul_precision(protocol.precision)
    data = random_dataset(case, protocol.batch_size)
    with kernels.use(way.kernels), precision:
        surrogate = Surrogate.fit(_network(case, model, protocol), data)
        with turn(), peak_memory(device) as peak:
            step = _step(surrogate, data, protocol)
            if way.kernels == "fused":
                require_fused(step)
            if way.mode != "eager":
                step.capture(compiled=way.mode == "compile")

            def again() -> None:
                step()
                step.position.zero_()  # the epoch has one step only; nothing waits for this

            times = times_ms(again, protocol.warmup + protocol.repetitions, device)
    return times[protocol.warmup :], peak.mib


def _quartiles(times: list[float]) -> tuple[float, float]:
    if len(times) == 1:
        return times[0], times[0]
    low, _, high = quantiles(times, n=4, method="inclusive")
    return low, high
