import torch

from llt.training.loss import relative_l2


def test_relative_l2_is_the_ratio_of_norms():
    target = torch.tensor([[[3.0], [4.0]], [[0.0], [2.0]]])
    prediction = target + torch.tensor([[[0.0], [1.0]], [[1.0], [0.0]]])
    torch.testing.assert_close(relative_l2(prediction, target), torch.tensor([0.2, 0.5]))


def test_padding_does_not_count():
    target = torch.tensor([[[3.0], [4.0], [100.0]]])
    prediction = target + torch.tensor([[[0.0], [1.0], [50.0]]])
    mask = torch.tensor([[True, True, False]])
    torch.testing.assert_close(relative_l2(prediction, target, mask), torch.tensor([0.2]))


def test_zero_target_gives_no_nan():
    assert relative_l2(torch.zeros(1, 2, 1), torch.zeros(1, 2, 1)).isfinite().all()
