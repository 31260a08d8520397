import pytest
import torch

from llt.data.batch import Batch
from llt.training.loss import RelativeL2, relative_l2
from tests.data.kinds import FLOW


def test_relative_l2_is_the_ratio_of_norms():
    target = torch.tensor([[[3.0], [4.0]], [[0.0], [2.0]]])
    prediction = target + torch.tensor([[[0.0], [1.0]], [[1.0], [0.0]]])
    torch.testing.assert_close(relative_l2(prediction, target), torch.tensor([0.2, 0.5]))


def test_padding_does_not_count():
    target = torch.tensor([[[3.0], [4.0], [100.0]]])
    prediction = target + torch.tensor([[[0.0], [1.0], [50.0]]])
    mask = torch.tensor([[True, True, False]])
    weights = mask.unsqueeze(-1)
    torch.testing.assert_close(relative_l2(prediction, target, weights), torch.tensor([0.2]))


def test_a_mask_gives_bitwise_what_multiplying_by_it_gives():
    prediction, target = torch.randn(2, 3, 50, 2, generator=torch.manual_seed(0))
    mask = torch.rand(3, 50) > 0.3
    difference, size = ((z * mask.unsqueeze(-1)).flatten(1) for z in (prediction - target, target))
    expected = difference.norm(dim=1) / size.norm(dim=1)
    for weights in (mask.unsqueeze(-1), mask.unsqueeze(-1).float().expand(-1, -1, 2)):
        assert torch.equal(relative_l2(prediction, target, weights), expected)


def test_weights_are_those_of_squared_errors():
    target = torch.tensor([[[3.0, 1.0]]])
    prediction = target + torch.tensor([[[1.0, 2.0]]])
    weights = torch.tensor([[[4.0, 1.0]]])
    expected = torch.tensor([((4 * 1 + 4) / (4 * 9 + 1)) ** 0.5])
    torch.testing.assert_close(relative_l2(prediction, target, weights), expected)


def test_zero_target_gives_no_nan():
    assert relative_l2(torch.zeros(1, 2, 1), torch.zeros(1, 2, 1)).isfinite().all()


def test_the_loss_sees_the_masks_and_weights_of_fields():
    """Pressure exists on the surface only and counts three times."""
    target, wrong = torch.ones(2, 4, 2), torch.zeros(2, 4, 2)
    surface = torch.tensor([[True, False, False, False], [True, True, False, True]])
    wrong[0, 1, 0] = 100.0  # where there is no pressure
    wrong[1, 1, 0] = 1.0
    batch = Batch(x=target, a=target, u=target, masks={"surface": surface})
    losses = RelativeL2(FLOW)(target + wrong, batch)
    torch.testing.assert_close(losses, torch.tensor([0.0, (3 / (3 * 3 + 4)) ** 0.5]))


def test_a_target_of_zeros_counts_as_a_typical_one():
    u = torch.tensor([[[0.2], [0.0]], [[3.0], [4.0]]])
    target = torch.tensor([[[0.0], [0.0]], [[3.0], [3.0]]])
    errors = relative_l2(u, target, typical=2.0)
    assert errors.tolist() == pytest.approx([0.2 / 8**0.5, 1 / 18**0.5])
