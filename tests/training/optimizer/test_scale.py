"""The scale of the loss in fp16 training."""

import torch

from llt.training.optimizer import LossScale
from tests.training.optimizer.test_adam import half_network


def test_the_scale_grows_after_steps_without_overflow_and_is_part_of_the_state():
    scale = LossScale(torch.device("cpu"), start=8.0, patience=3)
    good, bad = torch.tensor(True), torch.tensor(False)
    for finite in (good, good, bad, good, good):
        scale.update(finite)
    assert scale.value.item() == 4.0 and scale.steps_since_overflow.item() == 2
    scale.update(good)
    assert scale.value.item() == 8.0 and scale.steps_since_overflow.item() == 0

    _, optimizer = half_network(scale)
    optimizer.state()["scale"].fill_(2.0)
    assert optimizer.parameters.scale is not None
    assert optimizer.parameters.scale.value.item() == 2.0
    assert optimizer.state()["steps_since_overflow"] is scale.steps_since_overflow
