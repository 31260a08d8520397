"""LLT as a whole is checked on every kind of problem, in the precision of the run."""

from contextlib import contextmanager
from dataclasses import asdict
from types import SimpleNamespace

import pytest
import torch

from llt import kernels
from llt.bench import checks
from llt.bench.checks import require_fused, verify_compiled, verify_kernels
from llt.errors import KernelError
from llt.nn.feedforward import SwiGLU
from tests.bench.sizes import QUICK, tiny


@pytest.fixture
def fused(monkeypatch):
    """What "fused" puts in the place of the FFN's forward pass; None leaves it."""
    plain, chosen = SwiGLU.forward, []

    def replace(function=None):
        @contextmanager
        def use(name):
            chosen.append(name)
            wrong = function if name == "fused" else None
            monkeypatch.setattr(SwiGLU, "forward", wrong or plain)
            yield

        monkeypatch.setattr(kernels, "use", use)

    monkeypatch.setattr(checks, "CHECKS", [])
    monkeypatch.setattr(checks, "choice", lambda: chosen[-1])
    monkeypatch.setattr(checks, "require_fused", lambda step: None)
    return replace


def test_every_kind_of_problem_is_checked(fused):
    fused()
    names = ("llt darcy", "llt airfoil", "llt elasticity", "llt plasticity")
    assert verify_kernels(QUICK) == dict.fromkeys(names, 0.0)


@pytest.fixture
def one_case(monkeypatch):
    monkeypatch.setattr(checks, "_cases", lambda: iter([tiny()]))


def test_a_wrong_gradient_behind_a_right_loss_is_found(fused, one_case):
    plain = SwiGLU.forward

    def forward(self, h):
        out = plain(self, h)
        return out.detach() + 1.1 * (out - out.detach())

    fused(forward)
    with pytest.raises(KernelError, match="kernel check llt tiny: relative error"):
        verify_kernels(QUICK)


def test_kernels_that_would_not_be_used_are_not_called_right(fused, one_case, monkeypatch):
    fused()
    monkeypatch.setattr(checks, "require_fused", require_fused)
    with pytest.raises(KernelError, match="no fused kernels here; cpu kernels: the"):
        verify_kernels(QUICK)


def test_products_have_the_precision_of_the_run(fused, one_case, monkeypatch):
    from dataclasses import replace

    seen = []
    monkeypatch.setattr(
        checks,
        "verify",
        lambda *_: seen.append(torch.get_float32_matmul_precision()) or {},
    )
    cuda = replace(QUICK, device=torch.device("cuda"), precision="bf16")
    verify_kernels(cuda)
    verify_kernels(replace(cuda, precision="fp32"))
    assert seen == ["high", "highest"]


@pytest.fixture
def compiler(monkeypatch):
    """What stands for torch.compile; only a CUDA device may ask for it otherwise."""

    def replace(function):
        monkeypatch.setattr(torch, "compile", lambda loss, dynamic: function(loss))
        return SimpleNamespace(**{**asdict(QUICK), "device": QUICK.device, "modes": ("compile",)})

    return replace


def test_compiled_gradients_are_checked(compiler, one_case):
    errors = verify_compiled(compiler(lambda loss: loss))
    assert errors == {"llt compile": 0.0, "transolver compile": 0.0}


def test_a_compiler_that_is_wrong_is_found(compiler, one_case):
    """In one parameter among many."""

    def wrong(loss):
        def compiled(batch):
            value = loss(batch)
            bias = loss.__self__.surrogate.model.head[-1].bias
            return value + 0.1 * (bias - bias.detach()).sum()

        return compiled

    with pytest.raises(KernelError, match=r"llt compile: relative error .* of a gradient"):
        verify_compiled(compiler(wrong))


def test_nothing_compiled_nothing_checked():
    assert verify_compiled(QUICK) == {}
