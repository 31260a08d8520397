import torch

from llt.nn.norm import RMSNorm


def test_half_precision_does_not_overflow():
    """300 squared is beyond float16; the mean of squares is taken in float32."""
    x = torch.full((1, 4), 300.0, dtype=torch.float16)
    out = RMSNorm(4)(x)
    assert out.dtype == torch.float16
    torch.testing.assert_close(out, torch.ones_like(x))
