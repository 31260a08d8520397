"""The plain versions define correct, so they are checked against the formulas themselves."""

import pytest
import torch
import torch.nn.functional as F

from llt.kernels.attention import plain
from llt.kernels.feedforward.plain import gated
from llt.kernels.neighbors.plain import neighbor_attention
from llt.kernels.norm.plain import rms_norm


def linear_attention(q, k, v, mask=None, eps=plain.EPS):
    """Both halves, of (B, N, H, C)."""
    state = plain.attention_state(k.flatten(2), v.flatten(2), k.shape[2], mask)
    return plain.attend(q.flatten(2), state, eps=eps).unflatten(-1, k.shape[2:])


@pytest.mark.parametrize("eps", [1e-6, 0.5])
def test_linear_attention_equals_the_quadratic_sum(eps):
    q, k, v = torch.randn(3, 2, 7, 3, 4, dtype=torch.double)  # (B, N, H, C)
    weights = torch.einsum("bnhc,bmhc->bhnm", F.elu(q) + 1, F.elu(k) + 1)
    expected = torch.einsum("bhnm,bmhc->bnhc", weights, v)
    expected = expected / (weights.sum(-1).transpose(1, 2).unsqueeze(-1) + eps)
    torch.testing.assert_close(linear_attention(q, k, v, eps=eps), expected)


def test_linear_attention_leaves_masked_points_out():
    q, k, v = torch.randn(3, 1, 7, 2, 4, dtype=torch.double)
    mask = torch.tensor([[True] * 5 + [False] * 2])
    short = linear_attention(q[:, :5], k[:, :5], v[:, :5])
    torch.testing.assert_close(linear_attention(q, k, v, mask)[:, :5], short)


def test_neighbor_attention_equals_a_dense_masked_softmax():
    B, N, H, C, K = 2, 6, 3, 4, 4
    q, k, v = torch.randn(3, B, N, H, C, dtype=torch.double)
    neighbors = torch.stack([torch.randperm(N)[:K] for _ in range(B * N)]).view(B, N, K)
    neighbors[0, 1, 2:] = -1
    neighbors[1, 3, 1:] = -1

    allowed = torch.zeros(B, N, N, dtype=torch.bool)
    for b in range(B):
        for i in range(N):
            for j in neighbors[b, i].tolist():
                if j >= 0:
                    allowed[b, i, j] = True
    scores = torch.einsum("bnhc,bmhc->bhnm", q, k) / C**0.5
    scores = scores.masked_fill(~allowed[:, None], -torch.inf)
    expected = torch.einsum("bhnm,bmhc->bnhc", scores.softmax(-1), v)
    torch.testing.assert_close(neighbor_attention(q, k, v, neighbors), expected)


def test_a_point_without_neighbors_gets_zeros():
    q, k, v = torch.randn(3, 1, 3, 1, 2)
    neighbors = torch.tensor([[[0, 1], [-1, -1], [2, -1]]])
    out = neighbor_attention(q, k, v, neighbors)
    assert not out[0, 1].any()
    assert out.isfinite().all()


def test_phi_is_elu_plus_one():
    y = torch.linspace(-5, 5, 41, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(plain.phi(y), F.elu(y) + 1)
    (slope,) = torch.autograd.grad(plain.phi(y).sum(), y)
    torch.testing.assert_close(slope, plain.phi(y).clamp(max=1))  # one at zero, not two


def test_states_of_parts_add_up():
    k, v = torch.randn(2, 1, 9, 8, dtype=torch.double)
    whole = plain.attention_state(k, v, 2)
    parts = [plain.attention_state(k[:, part], v[:, part], 2) for part in (slice(4), slice(4, 9))]
    for total, *pieces in zip(whole, *parts, strict=True):
        torch.testing.assert_close(sum(pieces), total)


TWICE = {
    "attention": lambda n, w: plain.attend(n @ w, plain.attention_state(n, n @ w, 2)),
    "blend": lambda n, w: plain.blend(n, n @ w, n.sin(), 0.7),
    "rms_norm": lambda n, w: rms_norm(n, w[0], 1e-6),
    "gated": lambda n, w: gated(n, w),
    "neighbors": lambda n, w: neighbor_attention(
        *((n @ w).unflatten(-1, (2, -1)) for _ in range(3)),
        torch.tensor([[[0, 1], [1, 2], [2, -1]]]),
    ),
}


@pytest.mark.parametrize("name", TWICE)
def test_plain_operations_can_be_differentiated_twice(name):
    torch.manual_seed(0)
    inputs = [torch.randn(s, dtype=torch.double, requires_grad=True) for s in [(1, 3, 4), (4, 4)]]
    assert torch.autograd.gradgradcheck(TWICE[name], inputs)


def self_attention(n, weight, heads):
    q, k, v = F.linear(n, weight).chunk(3, dim=-1)
    return plain.attend(q, plain.attention_state(k, v, heads))


COMPILED = {
    "attention": lambda n, weight: self_attention(n, weight, 4),
    "rms_norm": lambda n, weight: rms_norm(n, weight[0], 1e-6),
    "gated": gated,
}


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # torch's
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_gradients_are_those_of_the_operation(name):
    """torch 2.11 loses those of a Function that works in place."""
    inputs = [torch.randn(2, 50, 16, requires_grad=True), torch.randn(48, 16, requires_grad=True)]
    compiled = torch.compile(COMPILED[name], backend="eager", dynamic=False)
    expected, actual = (
        torch.autograd.grad(function(*inputs).square().sum(), inputs)
        for function in (COMPILED[name], compiled)
    )
    torch.compiler.reset()
    torch.testing.assert_close(actual, expected)


def test_linear_attention_of_many_points_stays_within_fp16():
    """Σ φ(q) Σ φ(k) over 5000 points is beyond 65504; with large values Σ φ(k) v is, too."""
    torch.manual_seed(0)
    q, k, v = (20 + torch.randn(1, 5000, 1, 4) for _ in range(3))
    expected = linear_attention(q, k, v)
    with torch.autocast("cpu", torch.float16):
        actual = linear_attention(q.half(), k.half(), v.half())
    torch.testing.assert_close(actual.float(), expected, rtol=5e-3, atol=0)
