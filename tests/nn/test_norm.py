import torch

from llt.kernels.norm.cpu import Unit
from llt.nn.norm import RMSNorm


def test_half_precision_does_not_overflow():
    """300 squared is beyond float16; the mean of squares is taken in float32."""
    x = torch.full((1, 4), 300.0, dtype=torch.float16)
    out = RMSNorm(4)(x)
    assert out.dtype == torch.float16
    torch.testing.assert_close(out, torch.ones_like(x))


def test_formula_and_gradient():
    torch.manual_seed(0)
    x = torch.randn(3, 4, 6, dtype=torch.float64, requires_grad=True)
    rms = x.square().mean(dim=-1, keepdim=True).sqrt()
    torch.testing.assert_close(Unit.apply(x, 0.1), x / (rms + 0.1))
    assert torch.autograd.gradcheck(lambda z: Unit.apply(z, 0.1), (x,))


def test_a_zero_point_has_a_finite_gradient():
    x = torch.zeros(1, 2, 4, requires_grad=True)
    RMSNorm(4)(x).sum().backward()
    assert x.grad.isfinite().all()
