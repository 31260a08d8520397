"""Blocks that are computed again for their gradients give the same ones from less memory."""

from dataclasses import replace

import pytest
import torch

from llt import kernels
from llt.errors import ConfigError
from llt.kernels.choice import HAVE_TRITON
from llt.models import build_model
from llt.problem import CAR, DARCY, PLASTICITY
from llt.training.config import TrainConfig
from llt.training.setup import set_up
from tests.conftest import darcy_like
from tests.kernels.compared import DEVICE, half

KINDS = {
    "grid": replace(DARCY, grid=(4, 3)),
    "timed": replace(PLASTICITY, grid=(4, 3)),
    "points": CAR,
}


def gradients(kind, *, recompute):
    """Those of all parameters, and how many numbers were kept for them."""
    problem, N = KINDS[kind], 12
    torch.manual_seed(0)
    model = build_model("llt", problem, dim=16, num_layers=2, heads=2).to(DEVICE)
    model.recompute = recompute
    x = torch.rand(2, N, problem.space_dim, device=DEVICE)
    a = torch.rand(2, N, problem.in_channels, device=DEVICE)
    neighbors = torch.randint(-1, N, (2, N, 4), device=DEVICE) if problem.grid is None else None
    mask = torch.arange(N, device=DEVICE) < torch.tensor([[N], [N - 3]], device=DEVICE)
    t = torch.tensor([0.2, 0.7], device=DEVICE) if problem.timed else None
    seen: set[int] = set()
    sizes: list[int] = []

    def kept(z):
        if z.data_ptr() not in seen:
            seen.add(z.data_ptr())
            sizes.append(z.numel())
        return z

    with torch.autograd.graph.saved_tensors_hooks(kept, lambda z: z):
        u = model(x, a, t=t, neighbors=neighbors, mask=None if problem.grid else mask)
    u.float().square().sum().backward()
    return [p.grad for p in model.parameters()], sum(sizes)


@pytest.mark.parametrize("kind", KINDS)
def test_same_gradients_from_less(kind):
    (expected, much), (found, little) = (gradients(kind, recompute=r) for r in (False, True))
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))
    assert little < 0.7 * much


@pytest.mark.skipif(not HAVE_TRITON, reason="needs Triton")
@pytest.mark.parametrize("kind", ["points"])
def test_same_gradients_of_the_fused_kernels(kind):
    with kernels.use("fused"), half():
        expected, found = (gradients(kind, recompute=r)[0] for r in (False, True))
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


def test_other_models_are_refused():
    data = darcy_like()
    config = TrainConfig(recompute=True)
    with pytest.raises(ConfigError, match="fno keeps what it needs; only llt can"):
        set_up(data, build_model("fno", data.problem), config, torch.device("cpu"))
