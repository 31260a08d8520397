"""Counted work is what torch counts, floors are floors, every part is measured."""

from contextlib import nullcontext
from dataclasses import replace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from llt.bench import roofline as module
from llt.bench.case import problem_case
from llt.bench.cost import ExecutionMode, build_step
from llt.bench.floor import Ceilings, Need, measure_ceilings, needs
from llt.bench.roofline import _parts, roofline
from llt.errors import ConfigError
from tests.bench.sizes import QUICK, tiny

CPU = torch.device("cpu")
COMPLETE = replace(QUICK, optimizer=True)


class Products(TorchDispatchMode):
    """Flops of all products and convolutions that really run."""

    total = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func._overloadpacket
        if name is torch.ops.aten.convolution_backward and args[9] > 1:
            # torch counts the gradients of grouped convolutions as if they were dense
            self.total += 2 * 2 * args[0].numel() * args[2][0].numel()
        elif name in flop_registry:
            self.total += flop_registry[name](*args, **(kwargs or {}), out_val=out)
        return out


@pytest.fixture
def step():
    return build_step(tiny(28), "llt", COMPLETE)


@pytest.fixture
def plain(monkeypatch):
    """The CPU's own kernels sum products in ways that torch does not count."""
    monkeypatch.setenv("LLT_KERNELS", "reference")


def test_flops_are_those_that_torch_counts(step, plain):
    P, D, S = 4 * 28, 8, step.surrogate.model.embedder.raw_dim
    counted = needs(step.surrogate.model, P, "fp32")
    # torch also makes gradients of the columns of s that nothing learns from
    idle = {"embedder": 2 * P * (S - D) * 3 * D}
    for part in _parts(step)[:-1]:
        work = part.build(False)
        with Products() as products:
            work()
        assert products.total - idle.get(part.name, 0) == counted[part.name].flops, part.name


def test_bytes_grow_with_points_and_width_of_a_number(step):
    model = step.surrogate.model
    one, two, half = (needs(model, n, p) for n, p in [(100, "fp32"), (200, "fp32"), (100, "bf16")])
    for name in ("embedder", "block", "head"):
        grown = two[name].bytes - one[name].bytes
        assert grown == 2 * (one[name].bytes - half[name].bytes) > 0
    weights = sum(p.numel() for p in model.blocks[0].parameters())
    assert one["block"].bytes == 4 * 100 * (8 + 5) * 8 + 12 * weights
    assert one["optimizer"].bytes == 28 * sum(p.numel() for p in model.parameters())


def test_the_floor_is_the_slower_of_the_two():
    ceilings = Ceilings(flops=100, bytes=10)
    assert ceilings.floor_ms(Need(flops=200, bytes=1)) == 2000
    assert ceilings.bound(Need(flops=200, bytes=1)) == "flops"
    assert ceilings.floor_ms(Need(flops=1, bytes=5)) == 500
    assert ceilings.bound(Need(flops=1, bytes=5)) == "bytes"


def test_ceilings_come_from_the_fastest_try(monkeypatch):
    monkeypatch.setattr("llt.bench.floor.times_ms", lambda work, n, device: [0.1, 0.1, 4.0, 2.0])
    found = measure_ceilings(CPU, "fp32")
    assert found.flops == pytest.approx(2 * 1024**3 / 2e-3)
    assert found.bytes == pytest.approx(8 * 2**24 / 2e-3)


@pytest.fixture
def quick_ceilings(monkeypatch):
    monkeypatch.setattr(module, "measure_ceilings", lambda *_: Ceilings(flops=1e12, bytes=1e11))


def test_every_part_and_the_whole(quick_ceilings):
    result = roofline(tiny(), QUICK)
    assert result["ceilings"] == {"tflops": 1, "gb_per_s": 100}
    *parts, whole = result["parts"]
    assert [row["part"] for row in parts] == [
        "embedder",
        "blocks",
        "head and loss",
        "clip and update",
    ]
    for key in ("gflop", "mib", "floor_ms"):
        assert whole[key] == pytest.approx(sum(row[key] for row in parts))
    for row in result["parts"]:
        assert row["ms"]["eager"] > 0


def test_parts_in_blocks_count_once_per_block(quick_ceilings, monkeypatch):
    monkeypatch.setattr(module, "times_ms", lambda work, count, device: [9.0, 1.0, 1.0])
    case = tiny()
    deep = {"llt": {**case.settings["llt"], "num_layers": 3}}
    one, three = (roofline(c, QUICK)["parts"] for c in (case, replace(case, settings=deep)))
    factors = {"blocks": 3, "embedder": 1}
    for name, factor in factors.items():
        first, last = (next(r for r in rows if r["part"] == name) for rows in (one, three))
        assert last["gflop"] == pytest.approx(factor * first["gflop"])
        assert (first["ms"]["eager"], last["ms"]["eager"]) == (1, factor)


def test_parts_run_with_the_kernels_of_their_way(quick_ceilings, monkeypatch):
    used = []
    monkeypatch.setattr(module, "executions", lambda *_: [ExecutionMode("eager", "fused")])
    monkeypatch.setattr(module, "_whole_step", lambda *_: 1.0)
    monkeypatch.setattr("llt.kernels.use", lambda name: used.append(name) or nullcontext())
    times = [row["ms"]["eager fused"] for row in roofline(tiny(), QUICK)["parts"]]
    assert all(time > 0 for time in times)
    assert set(used) == {"fused"}


def test_a_part_that_fails_keeps_its_reason(quick_ceilings, monkeypatch):
    def refuse(*args):
        raise RuntimeError("not today")

    monkeypatch.setattr(module, "_forward_backward", refuse)
    rows = roofline(tiny(), QUICK)["parts"]
    assert rows[0]["ms"] == {"eager": "RuntimeError: not today"}
    assert rows[-2]["ms"]["eager"] > 0


@pytest.mark.parametrize("name", ["elasticity", "plasticity"])
def test_only_steady_grids_are_counted(name):
    with pytest.raises(ConfigError, match=f"{name}: the roofline is counted for steady problems"):
        roofline(problem_case(name), QUICK)
