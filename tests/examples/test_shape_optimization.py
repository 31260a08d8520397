"""A few steps of the example: the solver confirms what the gradients promise."""

import importlib
from pathlib import Path

import pytest
import torch

import llt

FOLDER = Path(__file__).parents[2] / "examples" / "shape_optimization"


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("optimize")


def test_gradients_lead_to_less_stress(example):
    start, end = example.optimize(llt.load("pretrained:elasticity"), steps=8, seed=0)
    assert end.solved < 0.8 * start.solved
    assert end.predicted == pytest.approx(end.solved, rel=0.05)
    assert end.area == pytest.approx(start.area, rel=0.05)


def test_the_area_is_that_of_the_void(example):
    theta = torch.zeros(10)  # a circle of radius 0.3
    assert example.area(theta).item() == pytest.approx(torch.pi * 0.3**2)
