"""Which kernels a model gets, and the reason it is given."""

from dataclasses import replace

import pytest
import torch

from llt import kernels
from llt.errors import ConfigError, KernelError
from llt.kernels import choice
from llt.kernels.limits import H200, KILOBYTE
from llt.kernels.verdict import Verdict
from llt.models import build_model
from llt.models.plan import plan
from llt.problem import DARCY, Problem

CPU, CUDA = torch.device("cpu"), torch.device("cuda", 1)
GRID = replace(DARCY, grid=(3, 4))
BOX = Problem(name="box", space_dim=3, inputs=("a",), outputs=("u",), grid=(2, 3, 4))


def llt(problem=GRID, **settings):
    with torch.device("meta"):
        return build_model("llt", problem, **({"dim": 32, "heads": 4, "num_layers": 1} | settings))


@pytest.fixture
def gpu(monkeypatch):
    """Sets what GPU there is; gives the numbers of those that were asked."""

    def choose(limits):
        asked = []

        def limits_of(index):
            asked.append(index)
            return limits

        for module in ("limits", "verdict"):
            monkeypatch.setattr(f"llt.kernels.{module}.limits_of", limits_of)
        return asked

    return choose


@pytest.fixture
def measured_gpu(gpu):
    gpu(H200)


REFUSED = {
    "width": ({"dim": 48}, "width 48 is not a power of two"),
    "heads": ({"dim": 48, "heads": 3}, "width 48 is not a power of two"),
    "too wide": ({"dim": 256, "heads": 8}, "width 256 is above 128"),
    "too narrow": ({"dim": 8}, "width 8 is below 16"),
    "few heads": ({"dim": 128, "heads": 2}, "channels per head 64 is above 32"),
    "FFN": ({"ffn_dim": 33}, "FFN width 33 is above 32"),
    "taps": ({"kernel": 7}, "taps of the convolution 49 is above 27"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_fused_kernels_cannot_do_is_named(case, measured_gpu):
    settings, reason = REFUSED[case]
    found = plan(llt(**settings), CUDA, "fp16")
    assert (found.kernels, found.reason) == ("plain", reason)
    assert str(found) == f"plain kernels: {reason}"


@pytest.mark.parametrize(
    ("problem", "settings"), [(GRID, {"kernel": 5}), (GRID, {"ffn_dim": 32}), (BOX, {})]
)
def test_what_they_can_do_they_do(problem, settings, measured_gpu):
    found = plan(llt(problem, **settings), CUDA, "fp16")
    assert found.fused and str(found) == "fused kernels"


def test_what_does_not_fit_a_gpu_is_named(gpu):
    gpu(H200._replace(shared=99 * KILOBYTE))
    assert plan(llt(dim=128, heads=8), CUDA, "fp16").fused
    assert plan(llt(dim=128, heads=8, ffn_dim=128), CUDA, "fp16").reason == (
        "the feed-forward of width 128 needs 112 KB of shared memory, this device has 99 KB"
    )


def test_taps_in_space_are_cubed(measured_gpu):
    assert (
        plan(llt(BOX, kernel=5), CUDA, "fp16").reason == "taps of the convolution 125 is above 27"
    )


@pytest.mark.parametrize("precision", ["fp32", "tf32"])
def test_products_of_more_bits_are_left_to_others(precision, measured_gpu):
    found = plan(llt(), CUDA, precision)
    assert (
        str(found) == f"plain kernels: the fused ones compute in bf16 or fp16, not in {precision}"
    )


def test_other_models_have_none(measured_gpu):
    with torch.device("meta"):
        model = build_model("transolver", GRID, dim=16, num_layers=1, heads=4, slices=6)
    assert str(plan(model, CUDA, "bf16")) == "plain kernels: Transolver has no fused ones"


@pytest.mark.parametrize("capability", [(9, 0), (8, 9), (12, 0)])
@pytest.mark.parametrize("right", [True, False])
def test_by_itself_a_gpu_gets_the_fused_kernels_where_they_are_right(
    monkeypatch, gpu, capability, right
):
    """Those measured are; elsewhere they are checked at first use."""
    asked = gpu(H200._replace(capability=capability))
    error = Verdict(error=2e-4) if right else Verdict(reason="relative error 0.3 exceeds 0.01")
    monkeypatch.setattr("llt.kernels.verdict._known", {})
    monkeypatch.setattr("llt.kernels.verdict._remembered", lambda *_: error)
    found = plan(llt(), CUDA, "fp16")
    measured = capability == (9, 0)
    assert found.fused == (measured or right) and set(asked) == {1}
    if not measured:
        text = "checked at first use on this GPU, relative error 0.0002"
        assert found.reason == (text if right else "relative error 0.3 exceeds 0.01")
    with kernels.use("reference"):
        assert plan(llt(), CUDA, "fp16").reason == "LLT_KERNELS=reference asks for them"
    with kernels.use("fused"):
        assert plan(llt(), CUDA, "fp16").fused
    monkeypatch.setattr(choice, "HAVE_TRITON", False)
    assert plan(llt(), CUDA, "fp16").reason == "Triton is not installed"


def test_the_cpu_has_its_own_kernels_or_the_interpreter(monkeypatch):
    assert plan(llt(), CPU, "fp32").kernels == "cpu"
    with kernels.use("reference"):
        assert plan(llt(), CPU, "fp32").kernels == "plain"
    with kernels.use("fused"):
        monkeypatch.setenv("TRITON_INTERPRET", "1")
        assert plan(llt(), CPU, "fp32").fused
        monkeypatch.delenv("TRITON_INTERPRET")
        assert plan(llt(), CPU, "fp32").kernels == "cpu"
        monkeypatch.setattr(choice, "HAVE_TRITON", False)
        with pytest.raises(KernelError, match="pip install triton"):
            plan(llt(), CPU, "fp32")


def test_the_environment_chooses(monkeypatch):
    monkeypatch.setenv("LLT_KERNELS", "reference")
    assert plan(llt(), CPU, "fp32").kernels == "plain"
    monkeypatch.setenv("LLT_KERNELS", "turbo")
    with pytest.raises(ConfigError, match="turbo"):
        plan(llt(), CPU, "fp32")
    with pytest.raises(ConfigError, match="reference"), kernels.use("refrence"):
        pass
