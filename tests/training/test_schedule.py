import numpy as np
import pytest
import torch

from llt.errors import ConfigError
from llt.training.schedule import learning_rates


@pytest.mark.parametrize("num_steps", [10, 77, 1000])
def test_onecycle_is_pytorchs(num_steps):
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.AdamW([parameter], lr=1.0)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2e-3, total_steps=num_steps)
    rates, momenta = [], []
    for _ in range(num_steps):
        rates.append(optimizer.param_groups[0]["lr"])
        momenta.append(optimizer.param_groups[0]["betas"][0])
        optimizer.step()
        scheduler.step()
    rate, beta1 = learning_rates("onecycle", num_steps, 2e-3)
    np.testing.assert_allclose(rate, rates, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(beta1, momenta, rtol=1e-9)


def test_cosine_starts_at_the_peak_and_ends_near_zero():
    rate, beta1 = learning_rates("cosine", 100, 1e-3)
    assert rate[0] == pytest.approx(1e-3)
    assert rate[50] == pytest.approx(5e-4)
    assert 0 < rate[-1] < 1e-6
    assert (np.diff(rate) < 0).all()
    assert (beta1 == 0.9).all()


@pytest.mark.parametrize("schedule", ["onecycle", "cosine"])
@pytest.mark.parametrize("num_steps", [1, 2, 3])
def test_tiny_runs_have_finite_rates(schedule, num_steps):
    rate, _ = learning_rates(schedule, num_steps, 1e-3)
    assert np.isfinite(rate).all()
    assert (rate > 0).all()


def test_more_steps_than_anybody_takes_are_refused_before_their_memory_is_asked_for():
    with pytest.raises(ConfigError, match=r"10,000,000,000,000 steps are more than .* fewer train"):
        learning_rates("onecycle", 10**13, 1e-3)
