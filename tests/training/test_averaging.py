"""The running mean of weights."""

import pytest
import torch

from llt.training.averaging import WeightAverage


@pytest.mark.parametrize("decay", [0.3, 0.999])
def test_every_step_counts_decay_times_as_much_as_the_next(decay):
    torch.manual_seed(0)
    flat, steps = torch.full((5,), 100.0), torch.randn(20, 5)
    average = WeightAverage(flat, decay=decay, num_steps=20)
    for index, weights in enumerate(steps):
        flat.copy_(weights)
        average.update(torch.tensor([index]))
        shares = decay ** torch.arange(index, -1, -1.0, dtype=torch.float64)
        expected = (shares / shares.sum()) @ steps[: index + 1].double()
        torch.testing.assert_close(average.mean.double(), expected, rtol=1e-4, atol=1e-5)


def test_the_weights_come_back_even_after_a_failure():
    flat = torch.arange(3.0)
    average = WeightAverage(flat, decay=0.5, num_steps=2)
    average.mean.fill_(7.0)
    with pytest.raises(KeyError), average.applied():
        assert torch.equal(flat, torch.full((3,), 7.0))
        raise KeyError
    assert torch.equal(flat, torch.arange(3.0))
