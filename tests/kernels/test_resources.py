"""The fused kernels fit the GPUs people have: shared memory and registers, without the hardware."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("triton")

from llt.kernels.attention import triton_mix as mix
from llt.kernels.attention import triton_project as project
from llt.kernels.conv_gelu import triton as conv_gelu
from llt.kernels.embed import triton as embed
from llt.kernels.head import triton as head
from llt.kernels.limits import H200, KILOBYTE, Limits, assume, limits
from llt.kernels.norm import triton as norm
from llt.kernels.triton_tiles import Launch
from llt.kernels.weight_gradients import triton as weight_gradients
from tests.kernels.compiled import GPUS, Resources

# all kinds of kernels for each, all widths where shared memory is small
COMPILED = {
    "8.9": ("timed", "points", "grid 64"),
    "8.0": ("timed", "points"),
    "8.6": ("timed",),
    "9.0": ("timed", "points in space"),
}
UNMEASURED = [gpu for gpu in COMPILED if gpu != "9.0"]  # on Hopper spills were measured fastest
SPILLED = 32  # bytes of a thread: a few numbers that are rarely needed
# what launches say of themselves, by kernel
LAUNCHES = {
    "conv_gelu_forward": conv_gelu.FORWARD,
    "conv_gelu_backward": conv_gelu.BACKWARD,
    "embed_forward": embed.FORWARD,
    "embed_backward": embed.BACKWARD,
    "project_forward": project.FORWARD,
    "state_backward": project.BACKWARD,
    "mix_forward": mix.FORWARD,
    "mix_backward": mix.BACKWARD,
    "head_forward": head.FORWARD,
    "head_backward": head.BACKWARD,
    "norm_backward": norm.LAUNCH,
    "weights_backward": weight_gradients.LAUNCH,
}
ADA = GPUS["8.9"]


@pytest.fixture(scope="module")
def compiled():
    """Two processes at a time; the longest come first."""
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(_compile, COMPILED, COMPILED.values())
        return dict(zip(COMPILED, found, strict=True))


def _compile(gpu: str, cases: tuple[str, ...]) -> list[Resources]:
    here = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command = [sys.executable, "-m", "tests.kernels.compiled", gpu, *cases]
    done = subprocess.run(command, capture_output=True, text=True, env=here)
    assert done.returncode == 0, done.stderr
    return [Resources(**json.loads(line)) for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("gpu", COMPILED)
def test_kernels_fit_into_shared_memory(compiled, gpu):
    assert len({kernel.kernel for kernel in compiled[gpu]}) >= 18
    assert [kernel for kernel in compiled[gpu] if kernel.shared > GPUS[gpu].shared] == []


@pytest.mark.slow
@pytest.mark.parametrize("gpu", UNMEASURED)
def test_kernels_fit_into_registers(compiled, gpu):
    assert [kernel for kernel in compiled[gpu] if kernel.spilled > SPILLED] == []


@pytest.mark.slow
@pytest.mark.parametrize("gpu", UNMEASURED)
def test_launches_know_their_shared_memory(compiled, gpu):
    for kernel in compiled[gpu]:
        if launch := LAUNCHES.get(kernel.kernel):
            assert kernel.shared <= launch.kilobytes * KILOBYTE, kernel


@pytest.mark.parametrize(
    ("gpu", "shared_by"), [("9.0", 3), ("8.0", 2), ("8.9", 1)], ids=["H200", "A100", "4090"]
)
def test_as_many_programs_share_a_processor_as_have_room(gpu, shared_by):
    launch = Launch(rows=16, warps=4, shared_by=3, kilobytes=68)
    with assume(GPUS[gpu]):
        assert launch.at(128) == launch._replace(shared_by=shared_by)
        assert launch.at(64) == launch._replace(rows=32, shared_by=2 if gpu == "8.9" else 3)


def test_programs_fill_the_processors():
    launch = Launch(rows=16, warps=4, shared_by=2)
    assert launch.programs(10**6, 2) == 132
    with assume(ADA):
        assert launch.programs(10**6, 2) == 128
        assert launch.programs(100, 2) == 7


def test_limits_are_those_of_the_device():
    assert limits() == H200  # of the interpreter
    with assume(ADA):
        assert limits() == ADA and ADA.small
    assert not limits().small


REFUSED = {
    "capability": (
        Limits((7, 5), 64 * KILOBYTE, 72), {"dim": 64, "hidden": 42},
        "compute capability 7.5 is below 8.0",
    ),
    "shared memory": (
        ADA, {"dim": 128, "hidden": 128},
        "the feed-forward of width 128 needs 112 KB of shared memory, this device has 99 KB",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_named(case):
    device, network, reason = REFUSED[case]
    assert device.refusal(**network) == reason


@pytest.mark.parametrize("gpu", GPUS)
def test_the_papers_widths_fit_everywhere(gpu):
    for dim in (16, 32, 64, 128):
        assert GPUS[gpu].refusal(dim, dim * 2 // 3) is None
