import torch

from llt.nn.feedforward import GEGLU, SwiGLU, mlp


def test_swiglu_is_a_gated_product():
    """W_o (silu(W_g h) ⊙ W_u h), the gate's weights first."""
    torch.manual_seed(0)
    layer, h = SwiGLU(4, 3).double(), torch.randn(2, 5, 4, dtype=torch.double)
    gate, up = (h @ weight.T for weight in layer.gate_up.weight.split(3))
    expected = (gate / (1 + (-gate).exp()) * up) @ layer.out.weight.T
    torch.testing.assert_close(layer(h), expected)


def test_mlp_is_linear_gelu_linear():
    torch.manual_seed(0)
    layer, h = mlp(4, 6, 3).double(), torch.randn(5, 4, dtype=torch.double)
    z = h @ layer[0].weight.T + layer[0].bias
    z = z * (1 + (z / 2**0.5).erf()) / 2
    torch.testing.assert_close(layer(h), z @ layer[2].weight.T + layer[2].bias)


def test_geglu_is_a_gated_product_with_biases():
    torch.manual_seed(0)
    layer, h = GEGLU(4, 3, 2).double(), torch.randn(5, 4, dtype=torch.double)
    gate, up = (h @ layer.gate_up.weight.T + layer.gate_up.bias).split(3, dim=-1)
    gated = gate * (1 + (gate / 2**0.5).erf()) / 2 * up
    torch.testing.assert_close(layer(h), gated @ layer.out.weight.T + layer.out.bias)
