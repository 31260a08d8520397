import tomllib

import pytest

from llt.errors import ConfigError
from llt.presets import PRESETS, find_preset
from llt.training.config import TrainConfig
from llt.training.settings import merge, parse_words, read_toml, to_toml


def test_words_are_read_as_toml_values():
    settings = parse_words(
        ["train.lr=1e-4", "model.dim=64", "train.augment=true", "train.mode=eager"]
    )
    assert settings == {
        "model": {"dim": 64},
        "train": {"lr": 1e-4, "augment": True, "mode": "eager"},
    }


def test_later_layers_win():
    merged = merge({"train": {"lr": 1, "epochs": 2}}, {"train": {"lr": 3}})
    assert merged["train"] == {"lr": 3, "epochs": 2}


def test_toml_round_trip():
    settings = {"model": {"name": "llt", "dim": 64}, "train": TrainConfig().to_dict()}
    assert tomllib.loads(to_toml(settings)) == settings


BAD_WORDS = {
    "train.lr": "expected SECTION.NAME=VALUE",
    "lr=3": "expected SECTION.NAME=VALUE",
    "trian.lr=3": "unknown section 'trian'; did you mean train",
}


@pytest.mark.parametrize("word", BAD_WORDS)
def test_bad_words(word):
    with pytest.raises(ConfigError, match=BAD_WORDS[word]):
        parse_words([word])


BAD_SETTINGS = {
    "unknown": ({"learning_rate": 1e-3}, "unknown setting of train 'learning_rate'"),
    "near": ({"epoch": 3}, "did you mean epochs"),
    "type": ({"epochs": 2.5}, r"train.epochs=2.5 must be of type int"),
    "bool": ({"augment": 1}, r"train.augment=1 must be of type bool"),
    "zero epochs": ({"epochs": 0}, r"train.epochs=0 must be at least 1"),
    "negative": ({"clip": -1.0}, r"train.clip=-1.0 must not be negative"),
    "average": ({"average": 1.0}, r"train.average=1.0 must be at least 0 and below 1"),
    "seed": ({"seed": 2**70}, r"train.seed=1180591620717411303424 must be below 2\^63"),
    "nan": ({"lr": float("nan")}, r"train.lr=nan must be positive"),
    "muon": ({"muon_lr": 0.0}, r"train.muon_lr=0.0 must be positive"),
    "derivative": ({"derivative": -0.1}, r"train.derivative=-0.1 must not be negative"),
    "schedule": ({"schedule": "one-cycle"}, "did you mean onecycle"),
}


@pytest.mark.parametrize("case", BAD_SETTINGS)
def test_bad_settings(case):
    settings, message = BAD_SETTINGS[case]
    with pytest.raises(ConfigError, match=message):
        TrainConfig.from_dict(settings)


def test_an_integer_is_a_fine_float():
    assert TrainConfig.from_dict({"lr": 1}).lr == 1.0


def test_defaults_are_the_papers_shared_settings():
    config = TrainConfig()
    assert (config.epochs, config.batch_size) == (500, 4)
    assert (config.optimizer, config.lr, config.weight_decay) == ("adamw", 1e-3, 1e-5)
    assert (config.schedule, config.clip) == ("onecycle", 0.1)
    assert not config.augment


def test_unknown_section_of_a_toml_file(tmp_path):
    (tmp_path / "mine.toml").write_text("[trian]\nlr = 1.0\n")
    with pytest.raises(
        ConfigError, match=r"mine.toml: unknown section 'trian'; did you mean train"
    ):
        read_toml(tmp_path / "mine.toml")


def test_missing_and_broken_toml(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        read_toml(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[train\n")
    with pytest.raises(ConfigError, match=r"bad.toml: .*line 1"):
        read_toml(tmp_path / "bad.toml")


def test_unknown_preset_names_the_near_ones():
    with pytest.raises(ConfigError, match="unknown preset 'darci'; did you mean darcy"):
        find_preset("darci")


def test_presets_are_the_papers_table():
    rows = {
        n: (p.model["dim"], p.model["num_layers"], p.train.batch_size) for n, p in PRESETS.items()
    }
    assert rows["elasticity"] == (128, 6, 1)
    assert rows["plasticity"] == (128, 4, 8)
    assert rows["airfoil"] == rows["pipe"] == (64, 6, 4)
    assert rows["darcy"] == (128, 8, 4)
    assert rows["car"] == (128, 8, 1)
    assert PRESETS["elasticity"].model["max_neighbors"] == 96
    assert PRESETS["car"].model["max_neighbors"] == 32
    assert PRESETS["pipe"].train.schedule == "cosine"
    assert PRESETS["car"].train.epochs == 200
    assert PRESETS["car"].train.weight_decay == 0
