"""The flat optimizer gives the numbers of torch.optim."""

import pytest
import torch
from torch import nn

from llt.training.config import TrainConfig
from llt.training.optimizer import Adam, FlatParameters, LossScale


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 8), nn.GELU(), nn.Linear(8, 2))


def adam(model, config, scale=None, steps=10):
    return Adam(FlatParameters(model, clip=config.clip, scale=scale), config, steps)


def losses(model, optimizer_step, zero_grad, steps):
    torch.manual_seed(1)
    for index in range(steps):
        x = torch.randn(5, 3)
        zero_grad()
        (model(x).square().sum() * 3).backward()
        optimizer_step(index)


@pytest.mark.parametrize("name", ["adam", "adamw"])
@pytest.mark.parametrize("clip", [0.0, 0.1, 1e6], ids=["off", "always", "never-reached"])
def test_equals_torch(name, clip):
    steps = 30
    config = TrainConfig(
        optimizer=name, lr=1e-2, weight_decay=0.1, clip=clip, schedule="onecycle", epochs=1
    )
    ours = network()
    optimizer = adam(ours, config, steps=steps)
    losses(ours, lambda i: optimizer.step(torch.tensor([i])), optimizer.parameters.zero_grad, steps)

    theirs = network()
    cls = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[name]
    optimizer = cls(theirs.parameters(), lr=1e-2, weight_decay=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=steps)

    def step(index):
        if clip:
            torch.nn.utils.clip_grad_norm_(theirs.parameters(), clip)
        optimizer.step()
        scheduler.step()

    losses(theirs, step, optimizer.zero_grad, steps)
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_parameters_are_views_of_one_vector():
    model = network()
    optimizer = adam(model, TrainConfig())
    optimizer.parameters.flat.zero_()
    assert not any(p.any() for p in model.parameters())


def test_a_step_gives_the_norm_before_clipping():
    model = network()
    optimizer = adam(model, TrainConfig(clip=0.1))
    (model[0].weight.sum() * 3).backward()
    assert optimizer.step(torch.tensor([0])).item() == pytest.approx(3 * 24**0.5)


def test_a_parameter_without_gradient_stays():
    model = network()
    optimizer = adam(model, TrainConfig(weight_decay=0.0))
    before = model[2].bias.clone()
    model[0].weight.sum().backward()
    optimizer.step(torch.tensor([0]))
    assert torch.equal(model[2].bias, before)


def half_network(scale: LossScale | None) -> tuple[nn.Module, Adam]:
    model = network()
    return model, adam(model, TrainConfig(clip=0.1, lr=1e-2), scale)


def test_a_scaled_loss_gives_the_same_update():
    results = []
    for scale in (None, LossScale(torch.device("cpu"), start=2.0**10)):
        torch.manual_seed(0)
        model, optimizer = half_network(scale)
        for index in range(3):
            optimizer.parameters.zero_grad()
            loss = model(torch.ones(1, 3)).square().sum()
            optimizer.parameters.scaled(loss).backward()
            norm = optimizer.step(torch.tensor([index]))
        results.append((optimizer.parameters.flat.clone(), norm))
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a.squeeze(), b.squeeze(), rtol=1e-5, atol=1e-7)


def test_an_overflow_changes_nothing_but_the_scale():
    scale = LossScale(torch.device("cpu"), start=8.0)
    model, optimizer = half_network(scale)
    before = {name: tensor.clone() for name, tensor in optimizer.state().items()}
    (model(torch.ones(1, 3)).sum() * float("inf")).backward()
    optimizer.step(torch.tensor([0]))
    assert scale.value.item() == 4.0
    for name in ("flat", "first", "second"):
        assert torch.equal(optimizer.state()[name], before[name])
