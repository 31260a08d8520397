"""The flat optimizer gives the numbers of torch.optim."""

import pytest
import torch
from torch import nn

from llt.training.config import TrainConfig
from llt.training.optimizer import FlatAdam, LossScale


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 8), nn.GELU(), nn.Linear(8, 2))


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
    flat = FlatAdam(ours, config, steps)
    losses(ours, lambda i: flat.step(torch.tensor([i])), flat.zero_grad, steps)

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
    flat = FlatAdam(model, TrainConfig(), 10)
    flat.flat.zero_()
    assert not any(p.any() for p in model.parameters())


def test_a_step_gives_the_norm_before_clipping():
    model = network()
    flat = FlatAdam(model, TrainConfig(clip=0.1), 10)
    (model[0].weight.sum() * 3).backward()
    assert flat.step(torch.tensor([0])).item() == pytest.approx(3 * 24**0.5)


def test_a_parameter_without_gradient_stays():
    model = network()
    flat = FlatAdam(model, TrainConfig(weight_decay=0.0), 10)
    before = model[2].bias.clone()
    model[0].weight.sum().backward()
    flat.step(torch.tensor([0]))
    assert torch.equal(model[2].bias, before)


def half_network(scale: LossScale | None) -> tuple[torch.nn.Module, FlatAdam]:
    model = network()
    return model, FlatAdam(model, TrainConfig(clip=0.1, lr=1e-2), 10, scale)


def test_a_scaled_loss_gives_the_same_update():
    results = []
    for scale in (None, LossScale(torch.device("cpu"), start=2.0**10)):
        torch.manual_seed(0)
        model, flat = half_network(scale)
        for index in range(3):
            flat.zero_grad()
            loss = model(torch.ones(1, 3)).square().sum()
            (loss if scale is None else loss * scale.value).backward()
            norm = flat.step(torch.tensor([index]))
        results.append((flat.flat.clone(), norm))
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a.squeeze(), b.squeeze(), rtol=1e-5, atol=1e-7)


def test_an_overflow_changes_nothing_but_the_scale():
    scale = LossScale(torch.device("cpu"), start=8.0)
    model, flat = half_network(scale)
    before = {name: tensor.clone() for name, tensor in flat.state().items()}
    (model(torch.ones(1, 3)).sum() * float("inf")).backward()
    flat.step(torch.tensor([0]))
    assert scale.value.item() == 4.0
    for name in ("flat", "first", "second"):
        assert torch.equal(flat.state()[name], before[name])


def test_the_scale_grows_after_calm_steps_and_is_part_of_the_state():
    scale = LossScale(torch.device("cpu"), start=8.0, patience=3)
    good, bad = torch.tensor(True), torch.tensor(False)
    for finite in (good, good, bad, good, good):
        scale.update(finite)
    assert scale.value.item() == 4.0 and scale.calm.item() == 2
    scale.update(good)
    assert scale.value.item() == 8.0 and scale.calm.item() == 0

    _, flat = half_network(LossScale(torch.device("cpu")))
    state = {name: tensor.clone() for name, tensor in flat.state().items()}
    state["scale"].fill_(2.0)
    flat.load_state(state)
    assert flat.scale is not None and flat.scale.value.item() == 2.0
