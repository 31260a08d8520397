"""What is measured: grids of exactly N points, presets of each model."""

import pickle

import pytest
import torch

from llt.bench.case import (
    MODELS,
    PAPER_PROBLEMS,
    default_problems,
    matched_case,
    models_case,
    near_square,
    problem_case,
)
from llt.errors import ConfigError
from llt.presets import find_preset


@pytest.mark.parametrize(
    ("num_points", "grid"),
    [(4096, (64, 64)), (8192, (64, 128)), (65_536, (256, 256)), (4, (2, 2)), (15, (3, 5))],
)
def test_grids_have_exactly_the_points_asked_for(num_points, grid):
    assert near_square(num_points) == grid


@pytest.mark.parametrize("num_points", [4099, 2, 0, -4])
def test_numbers_that_fill_no_grid_are_refused(num_points):
    with pytest.raises(ConfigError, match=f"{num_points} points fill no grid"):
        near_square(num_points)


def test_matched_models_have_the_same_sizes():
    case = matched_case(8192)
    assert case.problem.grid == (64, 128)
    assert case.settings["llt"] == case.settings["transolver"]
    assert case.settings["llt"] == {"dim": 128, "num_layers": 8, "heads": 8}


def test_cars_are_measured_where_they_fit():
    assert default_problems(torch.device("cpu")) == PAPER_PROBLEMS
    assert default_problems(torch.device("cuda")) == (*PAPER_PROBLEMS, "car")


@pytest.mark.parametrize("name", PAPER_PROBLEMS)
def test_problems_have_the_paper_s_points_and_each_model_its_preset(name):
    case = problem_case(name)
    points = {"elasticity": 972, "plasticity": 3131, "airfoil": 11271, "pipe": 16641, "darcy": 7225}
    assert case.num_points == points[name]
    assert case.settings == {model: find_preset(name, model).model for model in MODELS}


@pytest.mark.parametrize("make", [problem_case, models_case])
def test_cases_can_be_sent_to_the_processes_that_measure(make):
    case = make("elasticity")
    assert pickle.loads(pickle.dumps(case)) == case
