"""Noise on frames: normally distributed, the same for a seed and a step, mended by the target."""

import pytest
import torch

from llt.data.frames import Frames
from llt.data.steps import steps_of
from llt.models import build_model
from llt.surrogate import Surrogate
from llt.training.noise import Noise, normal, start_of
from tests.data.kinds import flow, timed


def numbers(step=0, seed=0, shape=(100_000,)):
    return normal(shape, torch.tensor([step]), start_of(seed))


def test_numbers_are_normally_distributed():
    z = numbers().double()
    assert z.mean().abs() < 0.01 and (z.std() - 1).abs() < 0.01
    assert (z**3).mean().abs() < 0.05 and ((z**4).mean() - 3).abs() < 0.1
    assert (z.abs() > 2).double().mean().item() == pytest.approx(0.0455, abs=0.004)
    assert (z[1:] * z[:-1]).mean().abs() < 0.01


def test_numbers_follow_from_seed_and_step_alone():
    torch.testing.assert_close(numbers(3, 1), numbers(3, 1), rtol=0, atol=0)
    for other in (numbers(4, 1), numbers(3, 2)):
        assert (numbers(3, 1) * other).mean().abs() < 0.02


def surrogate_and_batch(data, history):
    steps = steps_of(data, Frames.of(data, history))
    model = build_model("llt", steps.problem, dim=8, num_layers=1, heads=2)
    surrogate = Surrogate.fit(model, steps)
    source = surrogate.source(steps, data.split("train"))
    return surrogate, source.batch(torch.arange(source.num_items))


@pytest.mark.parametrize("history", [1, 2])
def test_the_target_leads_from_the_disturbed_frame_to_the_true_one(history):
    surrogate, batch = surrogate_and_batch(timed(), history)
    disturbed = Noise(surrogate, 0.5, 7)(batch, torch.tensor([3]))
    channels, Cu = surrogate.frames.last_channels, batch.u.shape[-1]
    z = (disturbed.a - batch.a)[..., channels]
    assert (disturbed.a - batch.a)[..., : channels.start].abs().max() == 0
    size = z.unflatten(-1, (history, Cu)).flatten(0, 2).std(0)
    torch.testing.assert_close(size, 0.5 * surrogate.normalizer.u_std, rtol=0.3, atol=0)
    last = slice(channels.stop - Cu, channels.stop)
    torch.testing.assert_close(
        disturbed.a[..., last] + disturbed.u, batch.a[..., last] + batch.u, rtol=1e-5, atol=1e-5
    )


def test_there_is_no_noise_where_a_field_does_not_exist():
    surrogate, batch = surrogate_and_batch(flow((7, 9, 7, 8, 6), times=4), 1)
    disturbed = Noise(surrogate, 0.5, 7)(batch, torch.tensor([0]))
    z = (disturbed.a - batch.a)[..., surrogate.frames.last_channels]
    off = ~batch.masks["surface"]
    assert z[..., 0][off].abs().max() == 0 and z[..., 0][~off].abs().min() > 0
    assert (disturbed.a - batch.a)[..., -2:].abs().max() == 0  # parameters
