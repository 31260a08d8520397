"""Fields of different units count the same; components of a vector keep their sizes."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.data.dataset import Dataset
from llt.models import build_model
from llt.surrogate import Surrogate
from llt.training.loss.relative_l2 import relative_l2
from llt.training.loss.units import Units

MODEL = {"dim": 8, "num_layers": 1, "heads": 2}


def fields(**outputs) -> Dataset:
    x = np.stack(np.meshgrid(np.linspace(0, 1, 6), np.linspace(0, 1, 5)), axis=-1)
    rng = np.random.default_rng(0)
    made = {name: size * rng.uniform(1, 2, (8, 5, 6)) for name, size in outputs.items()}
    return Dataset.from_arrays("own", points=x, outputs=made)


def units_of(data: Dataset, **settings) -> Units:
    return Units(Surrogate.fit(build_model("llt", data.problem, **MODEL), data, **settings))


@pytest.mark.parametrize("mean_field", [False, True])
def test_every_field_has_the_size_of_one(mean_field):
    data = fields(p=1e5, s=1e-3)
    u = units_of(data, mean_field=mean_field)(torch.from_numpy(data.outputs[data.split("train")]))
    assert u.square().mean((0, 1)).tolist() == pytest.approx([1, 1], rel=0.02)
    target = u[:1]
    wrong = relative_l2(target + torch.tensor([0.1, 0.0]), target).item()
    other = relative_l2(target + torch.tensor([0.0, 0.1]), target).item()
    assert wrong == pytest.approx(other)


def test_components_of_a_vector_have_one_size():
    units = units_of(fields(p=1e5, u_x=10.0, u_y=0.1))
    assert units.size[1] == units.size[2]
    assert units.size[0] > 1e4 * units.size[1]


@pytest.mark.parametrize("mean_field", [False, True])
def test_logarithms_are_measured_from_their_mean(mean_field):
    """In other units they are shifted, which must not change the loss."""
    data = fields(p=1e5, s=1.0)
    other = replace(data, outputs=data.outputs * np.array([1e-5, 1], np.float32))
    losses = []
    for each in (data, other):
        units = units_of(each, log=["p"], mean_field=mean_field)
        u = torch.from_numpy(each.outputs[each.split("train")]).log()
        losses.append(units(u)[..., 0])
    assert torch.allclose(losses[0], losses[1], atol=1e-3)
    assert losses[0].square().mean().item() == pytest.approx(1, rel=0.05)


def test_a_field_of_zeros_does_not_divide_by_zero():
    data = fields(p=0.0, s=1.0)
    assert units_of(data)(torch.from_numpy(data.outputs)).isfinite().all()
