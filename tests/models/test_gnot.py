"""GNOT against its formulas written the slow way, and its published size."""

import pytest
import torch

from llt.errors import ConfigError
from llt.models import build_model
from llt.models.gnot import GNOT, Block, Experts
from llt.nn.linear_attention import NormalizedAttention, normalized_attention
from llt.presets import problem_preset
from llt.problem import DARCY, PLASTICITY

MASK = torch.arange(7)[None] < torch.tensor([[5], [7]])  # two samples, the first with padding


def draw(*shape):
    return torch.randn(*shape, dtype=torch.double)


def test_weights_of_the_attention_sum_to_one():
    q, k = draw(2, 2, 7, 3, 4).softmax(dim=-1)
    v = draw(2, 7, 3, 4)
    out = normalized_attention(q, k, v, MASK)
    for b, n in enumerate((5, 7)):
        for h in range(3):
            weights = q[b, :, h] @ k[b, :n, h].T  # (N, n)
            dense = weights / weights.sum(1, keepdim=True) @ v[b, :n, h]
            torch.testing.assert_close(out[b, :, h], dense)


def test_attention_adds_the_query_and_reads_the_context():
    layer = NormalizedAttention(8, 2).double()
    h, context = draw(1, 7, 8), draw(1, 7, 8)
    q = layer.query(h[0])
    k, v = layer.key_value(context[0]).split(8, dim=-1)
    parts = []
    for qh, kh, vh in zip(*(z.split(4, dim=-1) for z in (q, k, v)), strict=True):
        qh, kh = qh.softmax(1), kh.softmax(1)
        weights = qh @ kh.T
        parts.append(qh + weights / weights.sum(1, keepdim=True) @ vh)
    expected = layer.out(torch.cat(parts, dim=1))
    torch.testing.assert_close(layer(h, None, context)[0], expected)


def test_experts_are_mixed_point_by_point():
    layer = Experts(4, 8, 3).double()
    h, shares = draw(1, 5, 4), draw(1, 5, 3).softmax(dim=-1)
    for n in range(5):
        expected = sum(shares[0, n, e] * layer.experts[e](h[0, n]) for e in range(3))
        torch.testing.assert_close(layer(h, shares)[0, n], expected)


def test_block_norms_what_attention_reads_and_what_experts_give():
    block = Block(8, 2, space_dim=2, num_experts=3, mlp_ratio=1).double()
    for norm in block.norms:
        torch.nn.init.normal_(norm.weight)
    h, function, x = draw(2, 7, 8), draw(2, 7, 8), draw(2, 7, 2)
    shares = block.gate(x).softmax(dim=-1)  # of the coordinates alone, every block has its own
    expected = h + block.cross(block.norms[0](h), MASK, block.function_norm(function))
    expected = expected + block.norms[1](block.experts1(expected, shares))
    expected = expected + block.self_(block.norms[2](expected), MASK)
    expected = expected + block.norms[3](block.experts2(expected, shares))
    torch.testing.assert_close(block(h, function, x, MASK), expected)


def test_every_block_reads_the_same_function_and_hands_on_the_queries():
    model = GNOT(DARCY, dim=8, num_layers=2, heads=2).double()
    seen = []
    for block in model.blocks:
        block.register_forward_hook(lambda _, inputs, output: seen.append((inputs, output)))
    x, a = torch.rand(1, 12, 2).double(), draw(1, 12, 1)
    u = model(x, a, grid=(3, 4))
    centered = (x - 0.5) * 12**0.5
    (first, middle), (second, last) = seen
    torch.testing.assert_close(first[0], model.query(centered))
    assert second[0] is middle
    torch.testing.assert_close(first[1], model.function(torch.cat((centered, a), dim=-1)))
    assert second[1] is first[1]
    torch.testing.assert_close(u, model.readout(last))


def test_time_is_a_coordinate_of_the_queries():
    model = GNOT(PLASTICITY, dim=8, num_layers=1, heads=2)
    seen = []
    model.query.register_forward_hook(lambda _, inputs, output: seen.append(inputs[0]))
    x, a = torch.rand(2, 12, 2), torch.rand(2, 12, PLASTICITY.in_channels)
    model(x, a, t=torch.tensor([0.25, 0.5]), grid=(3, 4))
    assert torch.equal(seen[0][..., 2], torch.tensor([[0.25], [0.5]]).expand(2, 12))
    with pytest.raises(ValueError, match="pass the output time t"):
        model(x, a, grid=(3, 4))


def test_it_has_as_many_parameters_as_the_authors_code():
    model = build_model("gnot", DARCY, **problem_preset(DARCY, "gnot").model)
    assert sum(p.numel() for p in model.parameters()) == 3_767_306


def test_heads_must_divide_the_width():
    with pytest.raises(ConfigError, match="dim=30 must be a positive multiple of heads=4"):
        GNOT(DARCY, dim=30, heads=4)
