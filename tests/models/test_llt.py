"""What is particular to LLT: the paper's counts and formulas."""

import pytest
import torch

from llt.errors import ConfigError
from llt.models import build_model
from llt.models.llt import LLT, Block, LocalLinearAttention
from llt.nn.norm import RMSNorm
from llt.presets import PRESETS
from llt.problem import DARCY, PLASTICITY, PROBLEMS


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_parameter_count_is_within_ten_percent_of_the_papers(name):
    preset = PRESETS[name]
    model = build_model("llt", PROBLEMS[name], **preset.model)
    count = sum(p.numel() for p in model.parameters())
    assert count == pytest.approx(preset.paper_parameters, rel=0.10)


def test_rms_norm_has_epsilon_outside_the_root():
    norm = RMSNorm(4, eps=0.5)
    x = torch.tensor([[1.0, -1.0, 3.0, 1.0]])
    torch.testing.assert_close(norm(x), x / (3.0**0.5 + 0.5))


def test_attention_follows_the_formula_on_a_grid():
    """W_out (σ(W_gate h) ⊙ (α LinAttn + (1 - α) PW(DW(n)))), written point by point."""
    torch.manual_seed(0)
    layer = LocalLinearAttention(DARCY, dim=8, heads=2, alpha=0.7, kernel=3).double()
    grid, N = (3, 4), 12
    normed, h = torch.randn(2, 1, N, 8, dtype=torch.double)
    q, k, v = (normed[0] @ w.T for w in layer.qkv.weight.split(8))

    def phi(z):
        return torch.where(z > 0, z + 1, z.exp())

    far = torch.zeros(N, 8, dtype=torch.double)
    for head in range(2):
        part = slice(4 * head, 4 * head + 4)
        weights = phi(q[:, part]) @ phi(k[:, part]).T  # (N, N)
        far[:, part] = weights @ v[:, part] / (weights.sum(1, keepdim=True) + 1e-6)

    near = torch.zeros(N, 8, dtype=torch.double)
    weight = layer.local.depthwise.weight
    for i in range(3):
        for j in range(4):
            total = layer.local.depthwise.bias.clone()
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if 0 <= i + di < 3 and 0 <= j + dj < 4:
                        neighbor = normed[0, (i + di) * 4 + j + dj]
                        total = total + weight[:, 0, di + 1, dj + 1] * neighbor
            near[i * 4 + j] = layer.local.pointwise(total)

    mixed = 0.7 * far + 0.3 * near
    expected = layer.out(torch.sigmoid(layer.gate(h[0])) * mixed)
    torch.testing.assert_close(layer(normed, h, grid, None, None)[0], expected)


def test_film_starts_as_the_identity():
    torch.manual_seed(0)
    block = Block(PLASTICITY, dim=8, heads=2, alpha=0.7, kernel=3)
    h, condition = torch.randn(1, 12, 8), torch.randn(1, 8)
    with_time = block(h, condition, (3, 4), None, None)
    block.film = None
    assert torch.equal(with_time, block(h, None, (3, 4), None, None))


def test_point_sets_need_neighbors():
    model = LLT(PROBLEMS["elasticity"], dim=8, num_layers=1)
    with pytest.raises(ValueError, match="needs `neighbors`"):
        model(torch.rand(1, 5, 2), torch.rand(1, 5, 0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dim": 30}, "dim=30 must be a positive multiple of heads=8"),
        ({"kernel": 4}, "kernel=4 must be odd"),
        ({"alpha": 1.5}, r"alpha=1.5 must lie between 0 and 1"),
        ({"num_layers": 0}, "num_layers=0 must be at least 1"),
    ],
)
def test_impossible_settings(settings, message):
    with pytest.raises(ConfigError, match=message):
        LLT(DARCY, **settings)
