"""A GPU that nobody has measured is checked once, and the answer is kept."""

import json
from pathlib import Path

import pytest
import torch

pytest.importorskip("triton")

from triton.runtime.errors import OutOfResources

from llt import kernels
from llt.errors import KernelError
from llt.kernels import adam
from llt.kernels import verdict as module
from llt.kernels.limits import H200
from llt.kernels.verdict import Verdict, verdict
from llt.runtime.files import cache_folder

GPU = torch.device("cuda", 1)


@pytest.fixture(autouse=True)
def unmeasured(monkeypatch):
    """A GPU of another kind; a new process each time it is called."""
    monkeypatch.setattr(module, "limits_of", lambda index: H200._replace(capability=(8, 9)))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "RTX 4090")

    def restart():
        monkeypatch.setattr(module, "_known", {})

    restart()
    return restart


class Checked:
    """A check that counts how often it is asked."""

    def __init__(self, *, fails=None):
        self.times, self.fails = 0, fails

    def __call__(self, device):
        assert device == GPU
        self.times += 1
        if self.fails:
            raise self.fails
        return {"output": 1e-5, "gradient": 2e-4}


def kept() -> list[Path]:
    return [*(cache_folder() / "verdicts").glob("*.json")]


def test_the_largest_error_is_kept_and_shown(unmeasured):
    check = Checked()
    expected = Verdict(error=2e-4)
    assert verdict(GPU, "llt", check) == verdict(GPU, "llt", check) == expected
    unmeasured()
    assert verdict(GPU, "llt", check) == expected
    assert check.times == 1
    assert str(expected) == "checked at first use on this GPU, relative error 0.0002"
    (path,) = kept()
    assert (
        json.loads(path.read_text()).items() >= {"device": "RTX 4090", "capability": "8.9"}.items()
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KernelError("relative error 0.3\nmore"), "at first use on this GPU: relative error 0.3"),
        (
            OutOfResources(116736, 101376, "shared memory"),
            "at first use on this GPU: out of resource: shared memory, Required: 116736, ",
        ),
    ],
    ids=["wrong", "too large"],
)
def test_failing_kernels_are_not_tried_again(unmeasured, error, reason):
    check = Checked(fails=error)
    first = verdict(GPU, "llt", check)
    unmeasured()
    assert verdict(GPU, "llt", check) == first and check.times == 1
    assert first.error is None and first.reason.startswith(reason) and str(first) == first.reason


def test_other_errors_are_bugs(unmeasured):
    with pytest.raises(ZeroDivisionError):
        verdict(GPU, "llt", Checked(fails=ZeroDivisionError()))
    assert not kept()


@pytest.mark.parametrize(
    ("what", "value"), [("torch", "2.0"), ("triton", "2.0"), ("llt", "0.0"), ("device", "A100")]
)
def test_another_gpu_or_version_is_another_question(unmeasured, monkeypatch, what, value):
    check = Checked()
    verdict(GPU, "llt", check)
    unmeasured()
    changed = {
        "torch": ("torch.__version__", value),
        "triton": ("llt.kernels.verdict.version", lambda package: value),
        "llt": ("llt.__version__", value),
        "device": ("torch.cuda.get_device_name", lambda device: value),
    }
    monkeypatch.setattr(*changed[what])
    verdict(GPU, "llt", check)
    assert check.times == 2 and len(kept()) == 2


def test_another_network_is_another_question():
    check = Checked()
    verdict(GPU, "llt dim=64", check)
    verdict(GPU, "llt dim=128", check)
    assert check.times == 2


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"error": "small", "reason": null}'])
def test_a_broken_file_is_made_again(unmeasured, text):
    check = Checked()
    verdict(GPU, "llt", check)
    (path,) = kept()
    path.write_text(text)
    unmeasured()
    assert verdict(GPU, "llt", check) == Verdict(error=2e-4) and check.times == 2
    unmeasured()
    verdict(GPU, "llt", check)
    assert check.times == 2


def test_a_changed_verdict_is_not_believed(unmeasured):
    check = Checked()
    verdict(GPU, "llt", check)
    (path,) = kept()
    path.write_text(path.read_text().replace("0.0002", "0.0001"))
    unmeasured()
    assert verdict(GPU, "llt", check) == Verdict(error=2e-4) and check.times == 2


def test_a_cache_that_cannot_be_written_is_no_matter(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LLT_CACHE", str(tmp_path / "file"))
    assert verdict(GPU, "llt", Checked()) == Verdict(error=2e-4)


def test_there_is_no_question_on_measured_gpus_or_where_kernels_are_chosen(monkeypatch):
    check = Checked()
    assert verdict(torch.device("cpu"), "llt", check) is None
    for name in ("fused", "reference"):
        with kernels.use(name):
            assert verdict(GPU, "llt", check) is None
    monkeypatch.setattr(module, "limits_of", lambda index: H200)
    assert verdict(GPU, "llt", check) is None
    assert check.times == 0


@pytest.mark.parametrize("found", [Verdict(error=1e-6), Verdict(reason="wrong")])
def test_adam_is_checked_as_well(monkeypatch, found):
    monkeypatch.setattr(module, "_remembered", lambda device, subject, check: found)
    assert adam._fused(GPU) == (found.reason is None)
