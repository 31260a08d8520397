"""What the tests of fused kernels share."""

import pytest
import torch


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture
def few_programs(monkeypatch):
    from llt.kernels import triton_tiles as tiles  # need Triton
    from llt.kernels.depthwise import triton as depthwise
    from llt.kernels.weight_gradients import triton as weight_gradients

    for module in (tiles, depthwise, weight_gradients):
        monkeypatch.setattr(module, "PROCESSORS", 1)


@pytest.fixture(params=["many programs", "few programs"])
def programs(request):
    """Few programs walk through many tiles each; many have one."""
    if request.param == "few programs":
        request.getfixturevalue("few_programs")
