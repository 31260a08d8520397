"""The protocol, and that one failing measurement loses no other."""

from contextlib import nullcontext
from dataclasses import replace

import pytest
import torch

from llt.bench import case as case_module
from llt.bench import cost
from llt.bench.case import Case, models_case, problem_case
from llt.bench.cost import (
    ExecutionMode,
    Protocol,
    Row,
    build_step,
    fastest,
    measure,
    measure_cases,
    measure_models,
    measure_scaling,
)
from llt.bench.tables import models_tables
from llt.errors import ConfigError
from llt.problem import PROBLEMS
from tests.bench.sizes import QUICK, SETTINGS, tiny


def ignore(row):
    pass


def test_rows_are_complete():
    told = []
    rows = measure_cases([tiny(20, "a"), tiny(24, "b")], QUICK, told.append)
    assert rows == told
    assert [(r.case, r.model, r.num_points) for r in rows] == [
        ("a", "llt", 20),
        ("a", "transolver", 20),
        ("b", "llt", 24),
        ("b", "transolver", 24),
    ]
    for row in rows:
        assert (row.mode, row.kernels, row.reason, row.memory_mib) == (
            *("eager", "reference"),
            *(None, None),
        )
        low, high = row.ms_quartiles
        assert 0 < low <= row.ms <= high
        assert row.ms_mean > 0


def test_warm_up_is_not_counted_and_the_median_is_reported(monkeypatch):
    asked = []

    def times(work, count, device):
        asked.append(count)
        return [100.0, 200.0, 5.0, 3.0, 10.0]

    monkeypatch.setattr(cost, "times_ms", times)
    protocol = Protocol(device=torch.device("cpu"), warmup=2, repetitions=3)
    row = measure(tiny(), "llt", ExecutionMode("eager"), protocol)
    assert asked == [5]
    assert (row.ms, row.ms_mean, row.ms_quartiles) == (5, 6, (4, 7.5))


@pytest.mark.parametrize("optimizer", [False, True])
def test_the_paper_s_iteration_ends_before_the_update(optimizer):
    step = build_step(tiny(), "llt", replace(QUICK, optimizer=optimizer))
    before = step.optimizer.parameters.flat.clone()
    step()
    assert all(p.grad is not None and p.grad.any() for p in step.optimizer.parameters)
    assert torch.equal(before, step.optimizer.parameters.flat) != optimizer


def test_settings_say_what_an_iteration_is():
    assert QUICK.to_dict()["iteration"] == "forward, loss, backward"
    complete = replace(QUICK, optimizer=True).to_dict()
    assert complete["iteration"] == "forward, loss, backward, clip, update"
    assert (complete["device"], complete["batch_size"]) == ("cpu", 4)


def smaller(case: Case) -> Case:
    """The same problem on a few points with small models."""
    grid = None if case.problem.grid is None else (6, 5)
    return replace(
        case,
        problem=replace(case.problem, grid=grid),
        num_points=30,
        settings=dict.fromkeys(case.settings, SETTINGS),
    )


@pytest.mark.parametrize("model", ["llt", "transolver"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_can_be_measured(name, model):
    case = smaller(problem_case(name))
    row = measure(case, model, ExecutionMode("eager"), QUICK)
    assert row.reason is None
    assert build_step(case, model, QUICK).batch_size == 4


def failing(model, error):
    """`build_model` that cannot build one model."""
    original = cost.build_model

    def build(name, problem, **settings):
        if name == model:
            raise error
        return original(name, problem, **settings)

    return build


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried"), "out of memory"),
        (
            RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"),
            "out of memory",
        ),
        (MemoryError(), "out of memory"),
        (RuntimeError("no such thing\nlong story"), "RuntimeError: no such thing"),
        (NotImplementedError(), "NotImplementedError: "),
    ],
    ids=["cuda", "cpu", "python", "other", "silent"],
)
def test_a_failing_row_keeps_its_reason_and_the_others(monkeypatch, error, reason):
    monkeypatch.setattr(cost, "build_model", failing("llt", error))
    first, second = measure_cases([tiny()], QUICK, ignore)
    assert (first.model, first.ms, first.reason) == ("llt", None, reason)
    assert second.ms > 0


def test_memory_that_ran_out_during_a_capture_is_named():
    """What is raised is the capture's own complaint, with the cause behind it."""
    try:
        try:
            raise torch.OutOfMemoryError("CUDA out of memory")
        finally:
            raise RuntimeError("capture was invalidated")
    except RuntimeError as error:
        assert cost.reason(error) == "out of memory"


def test_scaling_doubles_and_each_goes_on_until_it_fails(monkeypatch):
    limits = {"llt": 256, "transolver": 64}

    def stub(case, model, way, protocol):
        row = cost.Row(
            case=case.name,
            num_points=case.num_points,
            grid=None,
            model=model,
            mode=way.mode,
            kernels=way.kernels,
        )
        full = case.num_points > limits[model]
        return replace(row, reason="out of memory") if full else replace(row, ms=1.0)

    monkeypatch.setattr(cost, "measure", stub)
    rows = measure_scaling(64, QUICK, ignore)
    assert [(r.model, r.num_points, r.reason is None) for r in rows] == [
        ("llt", 64, True),
        ("transolver", 64, True),
        ("llt", 128, True),
        ("transolver", 128, False),
        ("llt", 256, True),
        ("llt", 512, False),
    ]
    capped = measure_scaling(64, QUICK, ignore, max_points=255)
    assert [r.num_points for r in capped] == [64, 64, 128, 128]


def test_every_model_is_shown_in_its_fastest_way():
    times = {
        ("llt", "eager"): 3.0,
        ("llt", "graph"): 1.0,
        ("fno", "eager"): 0.5,
        ("lno", "eager"): None,
    }
    rows = [
        Row(case="c", num_points=4, grid=None, model=m, mode=mode, kernels="reference", ms=ms)
        for (m, mode), ms in times.items()
    ]
    found = fastest(rows)
    assert [(r.model, r.mode) for r in found] == [
        ("fno", "eager"),
        ("llt", "graph"),
        ("lno", "eager"),
    ]
    (table,) = models_tables(rows)
    assert table.row_count == 3 and [*table.columns[2].cells] == ["0.5", "1", "-"]


def test_all_models_that_are_for_such_meshes_are_measured(monkeypatch):
    assert (
        "fno" in models_case("darcy").settings and "fno" not in models_case("elasticity").settings
    )
    monkeypatch.setattr(case_module, "problem_case", lambda name: tiny())
    case = models_case("tiny")
    case = replace(case, settings={name: case.settings[name] for name in ("fno", "transolver")})
    rows = measure_models([case], QUICK, ignore)
    assert [(r.model, r.reason) for r in rows] == [("fno", None), ("transolver", None)]


def test_what_does_not_compile_is_captured_or_else_runs_as_it_is(monkeypatch):
    works = {"fno": "compile", "lno": "graph", "llt": "eager", "ono": None}
    asked = []

    def measured(case, model, way, protocol):
        asked.append((model, str(way)))
        ms = 1.0 if way.mode == works[model] else None
        about = {"case": case.name, "num_points": 4, "grid": None, "model": model, "ms": ms}
        return Row(**about, mode=way.mode, kernels=way.kernels)

    monkeypatch.setattr(cost, "measure", measured)
    monkeypatch.setattr(cost, "fused_available", lambda device: True)
    case = replace(tiny(), settings={model: {} for model in works})
    protocol = Protocol(device=torch.device("cuda"), precision="fp16")
    rows = measure_models([case], protocol, ignore)
    assert {r.model: str(r.way) for r in rows if r.ms} == {
        "fno": "compile",
        "lno": "graph",
        "llt": "eager fused",
    }
    assert [a for a in asked if a[0] == "llt"] == [
        ("llt", "compile fused"),
        ("llt", "graph fused"),
        ("llt", "eager fused"),
    ]
    assert len(asked) == 4 + 3 + 2


def test_fused_kernels_are_a_way_of_their_own(monkeypatch):
    monkeypatch.setattr(cost, "fused_available", lambda device: True)
    modes = ("eager", "graph", "compile")
    protocol = Protocol(device=torch.device("cuda"), modes=modes, precision="bf16")
    assert cost.uses_fused(protocol)
    assert not cost.uses_fused(replace(protocol, precision="fp32"))
    assert [f"{model} {way}" for model, way in cost.runs(protocol)] == [
        "llt eager",
        "llt eager fused",
        "transolver eager",
        "llt graph fused",
        "transolver graph",
        "llt compile fused",
        "transolver compile",
    ]


def test_rows_run_with_the_kernels_they_are_labeled_with(monkeypatch):
    used = []
    monkeypatch.setattr("llt.kernels.use", lambda name: used.append(name) or nullcontext())
    monkeypatch.setattr(cost, "require_fused", lambda step: None)
    for kernels in ("reference", "fused"):
        assert measure(tiny(), "llt", ExecutionMode("eager", kernels), QUICK).kernels == kernels
    assert used == ["reference", "fused"]


def test_what_would_run_with_plain_kernels_is_not_called_fused():
    row = measure(tiny(), "llt", ExecutionMode("eager", "fused"), QUICK)
    assert row.ms is None
    reason = "no fused kernels here; cpu kernels: width 8 is below 16"
    assert row.reason == f"KernelError: {reason}"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"modes": ("eagr",)}, "unknown mode 'eagr'; did you mean eager"),
        ({"modes": ("eager", "compile")}, "modes eager,compile: cpu can only run eager"),
        ({"precision": "auto"}, "unknown precision 'auto'; choose from bf16"),
        ({"precision": "fp8"}, "unknown precision 'fp8'"),
        ({"precision": "bf16"}, "precision bf16: cpu computes in fp32"),
    ],
)
def test_a_protocol_the_device_cannot_follow_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        Protocol(device=torch.device("cpu"), **settings)
