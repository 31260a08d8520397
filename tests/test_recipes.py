"""Recipes: what they set, for which problems and models."""

from dataclasses import replace

import pytest
import torch

from llt.errors import ConfigError
from llt.models import MODELS, build_model, needs
from llt.presets import PRESETS
from llt.problem import DARCY, ELASTICITY, PROBLEMS, Problem
from llt.recipes import FEW, RECIPES, recipe_preset

OWN = Problem(name="own", space_dim=3, inputs=("a",), outputs=("u",))


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_paper_is_the_preset_of_the_problem(problem):
    assert recipe_preset("paper", problem) == PRESETS[problem.name]


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_best_stays_within_a_quarter_more_of_the_papers_parameters(problem):
    with torch.device("meta"):
        paper, best = (
            sum(p.numel() for p in build_model("llt", problem, **preset.model).parameters())
            for preset in (recipe_preset("paper", problem), recipe_preset("best", problem))
        )
    assert best <= 1.25 * paper


@pytest.mark.parametrize("problem", [*PROBLEMS.values(), OWN], ids=lambda problem: problem.name)
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_every_recipe(model, recipe, problem):
    if needs(problem) - MODELS[model].supports:
        pytest.skip("the model is not for such problems")
    preset = recipe_preset(recipe, problem, model)
    with torch.device("meta"):
        network = build_model(model, problem, **preset.model)
    train = preset.train
    assert train.optimizer != "muon" or network.matrices()
    assert not train.derivative or problem.grid or network.max_neighbors
    assert not train.augment or problem.symmetries


def test_best_uses_what_the_problem_offers():
    darcy, own = recipe_preset("best", DARCY), recipe_preset("best", OWN)
    assert darcy.train.augment

    assert not own.train.augment

    assert recipe_preset("best", ELASTICITY).model["radius"] > 2


def test_outputs_that_are_coordinates_are_told_from_their_mean():
    for name, problem in PROBLEMS.items():
        assert recipe_preset("best", problem).train.mean_field == (name == "plasticity")
        assert not recipe_preset("paper", problem).train.mean_field
    scattered = replace(PROBLEMS["plasticity"], grid=None)  # where points do not correspond
    assert not recipe_preset("best", scattered).train.mean_field


def test_few_samples_are_given_the_mean_field():
    many, few = (recipe_preset("best", DARCY, num_train=num) for num in (FEW, FEW - 1))
    assert many == recipe_preset("best", DARCY)
    assert few.train == replace(many.train, mean_field=True, batch_size=2)
    assert few.model == many.model
    points = recipe_preset("best", ELASTICITY, num_train=20)
    assert (points.train.batch_size, points.train.mean_field) == (1, False)
    assert points.model["radius"] < recipe_preset("best", ELASTICITY).model["radius"]
    assert recipe_preset("best", OWN, num_train=20).model["dim"] == 64
    assert "dim" not in recipe_preset("best", OWN, "galerkin", num_train=20).model
    assert recipe_preset("paper", DARCY, num_train=20) == recipe_preset("paper", DARCY)


def test_sizes_of_another_preset_are_trained_by_the_recipe():
    preset = recipe_preset("best", DARCY, preset="tiny")
    assert preset.model["dim"] == PRESETS["tiny"].model["dim"]
    assert (preset.train.epochs, preset.train.optimizer) == (2, "muon")


@pytest.mark.parametrize("name", ["car", "demo", "tiny", "darcy"])
@pytest.mark.parametrize("model", ["llt", "galerkin"])
def test_a_users_problem_may_have_any_name(name, model):
    assert recipe_preset("paper", replace(OWN, name=name), model) == recipe_preset(
        "paper", OWN, model
    )


def test_unknown_recipe():
    with pytest.raises(ConfigError, match="unknown recipe 'papr'; did you mean paper"):
        recipe_preset("papr", DARCY)
