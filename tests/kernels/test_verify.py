"""Wrong kernels are found: in a value, in a gradient, in a NaN."""

from contextlib import contextmanager

import pytest
import torch

from llt import kernels
from llt.errors import KernelError
from llt.kernels.verify import CHECKS, Check, fused_available, relative_error, verify

CPU = torch.device("cpu")
PLAIN = kernels.adam_update


@pytest.fixture
def fused(monkeypatch):
    """A stand-in for the dispatch: sets what "fused" puts in the place of adam_update."""

    def replace(function):
        @contextmanager
        def use(name):
            monkeypatch.setattr(kernels, "adam_update", function if name == "fused" else PLAIN)
            yield

        monkeypatch.setattr(kernels, "use", use)

    return replace


def scaled(factor, which):
    """Adam that gets one of its three vectors wrong."""

    def update(*args, **settings):
        PLAIN(*args, **settings)
        args[which].mul_(factor)

    return update


def test_equal_kernels_have_no_error(fused):
    fused(PLAIN)
    assert verify(CPU) == {"adam_update": 0, "muon_update": 0}


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("factor", [1.01, float("nan")])
def test_a_wrong_kernel_is_refused_in_one_line(fused, factor, which):
    fused(scaled(factor, which))
    with pytest.raises(KernelError, match=r"kernel check adam_update: .* on cpu exceeds 1e-05$"):
        verify(CPU)


def test_errors_below_the_tolerance_are_reported(fused):
    fused(scaled(1 + 5e-6, 0))
    assert verify(CPU)["adam_update"] == pytest.approx(5e-6, rel=0.1)


def test_checks_may_be_added(fused):
    fused(PLAIN)
    assert verify(CPU, [Check("mine", lambda device: [torch.ones(3)], 0.0)]) == {"mine": 0}
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_relative_error():
    assert relative_error(torch.tensor([1.1, 0.0]), torch.tensor([1.0, 0.0])) == pytest.approx(0.1)
    assert relative_error(torch.zeros(2), torch.zeros(2)) == 0
    assert relative_error(torch.tensor([float("nan")]), torch.ones(1)) == float("inf")


@pytest.mark.parametrize("triton", [True, False])
def test_fused_kernels_need_cuda_and_triton(monkeypatch, triton):
    monkeypatch.setattr("llt.kernels.verify.HAVE_TRITON", triton)
    assert fused_available(torch.device("cuda")) == triton
    assert not fused_available(CPU)
