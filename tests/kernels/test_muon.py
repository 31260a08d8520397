"""Muon's update: the plain one beside exact singular values and torch, the fused one beside it."""

import pytest
import torch

from llt import kernels
from llt.kernels.muon import Layout, Stack
from llt.kernels.muon.plain import orthogonal
from tests.kernels.compared import DEVICE

# of an update after five iterations in bf16, in the Frobenius norm; in float32 1e-5
BF16 = 2e-2
TOLERANCE = BF16 if DEVICE.type == "cuda" else 1e-5


def relative(actual, expected):
    return ((actual - expected).norm() / expected.norm()).item()


def matrices_with(values, rows, columns, num=3):
    """Random matrices (num, rows, columns) of these singular values, and U Vᵀ of each."""
    u, _ = torch.linalg.qr(torch.randn(num, rows, len(values), dtype=torch.float64))
    v, _ = torch.linalg.qr(torch.randn(num, columns, len(values), dtype=torch.float64))
    return ((u * values) @ v.mT).float().to(DEVICE), (u @ v.mT).to(DEVICE)


@pytest.mark.parametrize(("rows", "columns"), [(12, 12), (7, 20), (20, 7), (1, 5), (5, 1)])
def test_newton_schulz_gives_the_factor_of_the_singular_value_decomposition(rows, columns):
    """Same singular vectors, and values in the band that the coefficients are made for."""
    rank = min(rows, columns)
    values = torch.linspace(1, 0.05, rank, dtype=torch.float64) if rank > 1 else torch.ones(1)
    matrices, exact = matrices_with(values, rows, columns)
    out = orthogonal(matrices * 1e-3).double()  # whatever their size
    assert out.shape == matrices.shape
    u, sizes, vh = torch.linalg.svd(out, full_matrices=False)
    assert sizes.min() > 0.65 and sizes.max() < 1.25
    torch.testing.assert_close(
        u @ vh, exact, rtol=0, atol=2 * BF16 if DEVICE.type == "cuda" else 1e-4
    )


def test_newton_schulz_is_the_quintic_of_every_singular_value():
    values = torch.tensor([0.9, 0.4, 0.1, 0.02], dtype=torch.float64)
    matrices, _ = matrices_with(values, 4, 9)
    x = values / values.norm()
    for _ in range(5):
        x = 3.4445 * x - 4.7750 * x**3 + 2.0315 * x**5
    out = torch.linalg.svdvals(orthogonal(matrices).double()).cpu()
    expected = x.sort(descending=True).values.expand_as(out)
    torch.testing.assert_close(out, expected, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize(("rows", "columns"), [(128, 128), (85, 128), (128, 85)])
def test_newton_schulz_is_torchs_up_to_bf16(rows, columns):
    gradient = torch.randn(rows, columns, device=DEVICE)
    weight = torch.nn.Parameter(torch.zeros_like(gradient))
    weight.grad = gradient
    torch.optim.Muon([weight], lr=1.0, weight_decay=0.0, adjust_lr_fn="match_rms_adamw").step()
    ours = orthogonal(gradient.unsqueeze(0))[0] * (0.2 * max(rows, columns) ** 0.5)
    assert relative(-weight.detach(), ours) < BF16


def test_a_matrix_does_not_see_the_others_of_its_batch():
    matrices = torch.randn(4, 6, 10, device=DEVICE)
    alone = torch.cat([orthogonal(matrices[i : i + 1]) for i in range(4)])
    assert relative(orthogonal(matrices), alone) < TOLERANCE


def test_no_gradient_moves_nothing():
    assert not orthogonal(torch.zeros(2, 4, 3, device=DEVICE)).any()


STACKS = {
    "LLT": (Stack(6, 16, 16), Stack(2, 10, 16), Stack(1, 16, 10)),
    "odd": (Stack(2, 3, 33), Stack(3, 21, 5)),
    "vectors": (Stack(2, 1, 7), Stack(1, 4, 1)),
}


@pytest.mark.parametrize("stacks", STACKS)
@pytest.mark.parametrize("finite", [None, True, False])
def test_fused_update(stacks, finite):
    pytest.importorskip("triton")
    layout = Layout.of(STACKS[stacks], DEVICE)
    flat, momentum, gradient = torch.randn(3, layout.size, device=DEVICE).unbind()
    if finite is False:
        gradient[1] = float("inf")
    row, factor = torch.tensor([[0.1, 0.99], [0.5, 0.5]], device=DEVICE)[0], torch.tensor(0.25)
    flag = None if finite is None else torch.tensor(finite, device=DEVICE)
    results = []
    for name in ("reference", "fused"):
        state = [flat.clone(), momentum.clone()]
        with kernels.use(name):
            kernels.muon_update(*state, gradient, layout, row, factor.to(DEVICE), flag)
        results.append(state)
    for a, b in zip(*results, strict=True):
        assert relative(a, b) < TOLERANCE
    assert torch.equal(results[0][0], flat) == (finite is False)
    assert torch.equal(results[1][1], momentum) == (finite is False)


def test_what_one_program_cannot_hold_is_left_to_batched_products(monkeypatch):
    pytest.importorskip("triton")
    called = []
    monkeypatch.setattr("llt.kernels.muon.triton.muon_update", lambda *_: called.append("fused"))
    monkeypatch.setattr("llt.kernels.muon.plain.muon_update", lambda *_: called.append("plain"))
    for side in (128, 129):
        layout = Layout.of([Stack(1, 4, side)], DEVICE)
        vector = torch.zeros(layout.size, device=DEVICE)
        with kernels.use("fused"):
            kernels.muon_update(vector, vector, vector, layout, vector, vector, None)
    assert called == ["fused", "plain"]


def test_layout_views_matrices_where_the_table_says():
    stacks = STACKS["LLT"]
    layout = Layout.of(stacks, torch.device("cpu"))
    vector = torch.arange(layout.size)
    matrices = [matrix for stack in layout.views(vector) for matrix in stack]
    assert len(matrices) == len(layout.table) == 9
    for matrix, (start, rows, columns) in zip(matrices, layout.table.tolist(), strict=True):
        assert matrix.shape == (rows, columns) and matrix[0, 0] == start
