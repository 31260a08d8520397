"""`llt models` and `llt recipes`: what there is to choose from."""

import json

import pytest

from llt.cli import main
from llt.cli.comments import plain, settings_of
from llt.models import MODELS
from llt.presets import PRESETS
from llt.recipes import RECIPES
from llt.training.config import TrainConfig


def test_settings_are_read_with_their_comments():
    settings = {setting.name: setting for setting in settings_of(MODELS["llt"])}
    assert settings["alpha"].default == 0.7
    assert settings["alpha"].kind == "float"
    assert settings["alpha"].about == "weight of the global path; the local path has 1 - alpha"
    assert settings["dim"].about == "width"  # said nowhere beside it
    found = {setting.name: setting.about for setting in settings_of(TrainConfig)}
    assert [*found] == [*TrainConfig().to_dict()]
    assert found["lr"] == "peak"
    assert found["weight_decay"] == ""


def test_without_source_there_are_no_comments(monkeypatch):
    def missing(definition):
        raise OSError("could not get source code")

    monkeypatch.setattr("inspect.getsource", missing)
    assert {s.name: s.about for s in settings_of(MODELS["llt"])}["alpha"] == ""


@pytest.mark.parametrize(
    ("value", "word"),
    [(True, "true"), (1e-3, "0.001"), (3, "3"), ((7, (5, 3)), "[7,[5,3]]"), ("adamw", "adamw")],
)
def test_values_are_written_as_they_are_typed(value, word):
    from llt.training.settings import parse_value

    assert plain(value) == word
    assert TrainConfig(strides=()).to_dict()["strides"] == []
    read = parse_value(word)
    assert read == ([7, [5, 3]] if isinstance(value, tuple) else value)


def test_one_model_is_told_in_full(capsys):
    assert main(["models", "fno"]) == 0
    out = capsys.readouterr().out
    cls = MODELS["fno"]
    assert cls.paper in out
    assert cls.summary in out
    line = next(line for line in out.splitlines() if line.startswith("  modes"))
    assert line.split(maxsplit=2) == ["modes", "12", "of either sign, per axis"]
    assert "  darcy " in out
    assert "  elasticity " not in out  # it needs a grid
    assert main(["models", "fno", "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["settings"][0] == {"name": "dim", "kind": "int", "default": 32, "about": "width"}
    assert about["parameters"].keys() == {"plasticity", "airfoil", "pipe", "darcy"}


def test_an_unknown_model_is_refused(capsys):
    assert main(["models", "fnoo"]) == 2
    assert "unknown model 'fnoo'; did you mean fno" in capsys.readouterr().err


def test_recipes_and_presets_are_listed(capsys):
    assert main(["recipes", "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["recipes"].keys() == RECIPES.keys()
    assert about["presets"].keys() == PRESETS.keys()
    assert about["presets"]["pipe"]["train"] == {"schedule": "cosine"}
    assert main(["recipes"]) == 0
    out = capsys.readouterr().out
    assert "  pipe        model.dim=64 model.num_layers=6 train.schedule=cosine\n" in out
    assert RECIPES["paper"] in out
