"""The check at first use: every kind of LLT, fused beside plain, on the GPU or interpreted."""

from dataclasses import replace

import pytest
import torch

pytest.importorskip("triton")

from llt.errors import KernelError
from llt.kernels.head import triton as head
from llt.models.llt import LLT
from llt.models.llt.first_use import _errors, first_use, gradient_of
from llt.problem import DARCY, ELASTICITY, PLASTICITY, Problem
from tests.kernels.compared import DEVICE

BOX = Problem(name="box", space_dim=3, inputs=("a",), outputs=("u",), grid=(2, 3, 4))


@pytest.fixture(autouse=True)
def few_points(monkeypatch):
    """The interpreter takes its time."""
    monkeypatch.setattr("llt.models.llt.first_use.SIDES", (2, 3, 4))


def about(problem, **settings):
    return LLT(problem, **({"dim": 16, "heads": 2, "num_layers": 3} | settings)).about


@pytest.mark.parametrize(
    ("problem", "settings"),
    [(DARCY, {}), (PLASTICITY, {}), (ELASTICITY, {}), (BOX, {"ffn_dim": 16})],
    ids=["grid", "timed", "points", "box"],
)
def test_right_kernels_pass(problem, settings):
    description = about(problem, **settings)
    state = torch.get_rng_state()
    error = _errors(description, "fp16", DEVICE)["llt"]
    assert 0 < error < (1e-2 if DEVICE.type == "cuda" else 1e-5)
    assert torch.equal(torch.get_rng_state(), state)


def test_the_small_network_is_like_the_given_one(monkeypatch):
    built = []
    monkeypatch.setattr(
        LLT, "run_blocks", lambda self, blocks, h, *_: built.append(self.about) or h
    )
    for problem in (DARCY, PLASTICITY, ELASTICITY, BOX):
        description = about(problem, kernel=5, ffn_dim=13, alpha=0.4)
        with pytest.raises(RuntimeError, match="used in the graph"):
            gradient_of(description, "fp16")(torch.device("cpu"))
        assert built.pop() == description


def test_wrong_kernels_are_refused(monkeypatch):
    right = head.Head.backward

    def wrong(ctx, du):
        dx, *rest = right(ctx, du)
        return dx * 1.1, *rest

    monkeypatch.setattr(head.Head, "backward", staticmethod(wrong))
    with pytest.raises(KernelError, match="kernel check llt: relative error"):
        _errors(about(DARCY), "fp16", DEVICE)


def test_networks_and_precisions_are_told_apart(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "llt.models.llt.first_use.verdict", lambda device, subject, check: asked.append(subject)
    )
    one = about(DARCY)
    for description, precision in ((one, "fp16"), (one, "bf16"), (replace(one, dim=32), "fp16")):
        first_use(description, DEVICE, precision)
    assert len(set(asked)) == 3 and all("dim=" in subject for subject in asked)
