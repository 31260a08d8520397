"""Small training sets: what is in them, what is measured, and that nothing is measured twice."""

from dataclasses import replace

import numpy as np
import pytest

from llt.bench import small
from llt.bench.record import load_record
from llt.bench.small import Budget, Cell, Study, contender, default_entries, measure, subset
from llt.data import dataset_file
from llt.data.splits import Splits
from llt.errors import ConfigError, DataError
from llt.presets import Preset
from llt.problem import DARCY, ELASTICITY, PIPE
from llt.training.config import TrainConfig
from tests.conftest import darcy_like, ragged

SIZES = {
    "llt": {"dim": 8, "num_layers": 1, "heads": 2},
    "fno": {"dim": 4, "modes": 2, "num_layers": 1},
    "geofno": {"dim": 4, "modes": 2, "num_layers": 2, "latent": 4},
    "transolver": {"dim": 8, "num_layers": 1, "heads": 2, "slices": 4},
}


@pytest.fixture(autouse=True)
def tiny_models(monkeypatch):
    def tiny(recipe, problem, model="llt", preset=None, *, num_train):
        return Preset(model=SIZES[model], train=TrainConfig(batch_size=2))

    monkeypatch.setattr(small, "recipe_preset", tiny)
    monkeypatch.setattr("sys.argv", ["llt", "bench", "small"])


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, data in (("darcy", darcy_like()), ("points", ragged(12))):
        paths.append(tmp_path / f"{name}.h5")
        dataset_file.write(paths[-1], data)
    return paths


def study(tmp_path, files, **budget):
    return Study(tmp_path / "small", files, Budget(**{"seconds": 0.2, "test": 1, **budget}))


def silent(name, cell):
    pass


def test_a_set_has_the_first_samples_of_every_split():
    data = darcy_like(num=40)  # 36 to train on, 2 to validate on, 2 to test on
    part = subset(data, 24, 1)
    assert {name: len(part.splits[name]) for name in ("train", "val", "test")} == {
        "train": 24,
        "val": 2,
        "test": 1,
    }
    for name in ("train", "val", "test"):
        for ours, theirs in zip(part.split(name), data.split(name), strict=False):
            np.testing.assert_array_equal(part.sample(ours).outputs, data.sample(theirs).outputs)
    assert part.provenance["first_samples_of"] == data.hash
    with pytest.raises(DataError, match="darcy: 37 samples asked for, split train has 36"):
        subset(data, 37, 1)


def test_a_quarter_as_many_are_for_validation():
    data = replace(darcy_like(num=40), splits=Splits.consecutive(28, 10, 2))
    assert len(subset(data, 28, 1).split("val")) == 7
    assert len(subset(data, 8, 1).split("val")) == 5


def test_fourier_models_are_those_that_fit_the_mesh():
    assert default_entries(DARCY)[1] == ("fno", "paper", "demo")
    assert default_entries(ELASTICITY)[1] == ("geofno", "paper", "demo")


def test_large_grids_are_mostly_trained_on_coarser_ones_with_the_recipe_best():
    cell = Cell(data="pipe", samples=20, model="llt", recipe="best", preset="demo")
    entry = contender(cell, PIPE)
    assert entry.train.strides[:2] == ((1, 1), (2, 2)) and entry.settings["spacing"]
    entry = contender(replace(cell, model="fno"), PIPE)
    assert len(entry.train.strides) == 8 and "spacing" not in entry.settings
    entry = contender(replace(cell, recipe="paper"), PIPE)
    assert not entry.train.strides
    entry = contender(replace(cell, data="elasticity"), ELASTICITY)
    assert not entry.train.strides


def test_every_cell_is_kept_with_what_it_stands_on(tmp_path, files, monkeypatch):
    monkeypatch.setattr("llt.bench.pilot.seconds_per_epoch", lambda entry, data: 0.05)
    found = study(tmp_path, files)
    cells = found.plan([3, 4], [])
    assert len(cells) == 2 * 2 * 5
    told = []
    record = found.run(cells[:2], 1, lambda name, cell: told.append(name))
    assert told == ["darcy-3-llt-best-demo", "darcy-3-fno-paper-demo"]
    stored = load_record(tmp_path / "small/record.json")
    assert stored.to_dict() == record.to_dict()
    assert stored.study == "small"
    assert stored.settings == {"seconds": 0.2, "threads": 1, "test": 1}
    assert stored.data["darcy"] == {"hash": dataset_file.read(files[0]).hash}
    cell = stored.results["cells"]["darcy-3-llt-best-demo"]
    assert (cell["data"], cell["samples"], cell["model"], cell["recipe"]) == (
        "darcy",
        3,
        "llt",
        "best",
    )
    assert (cell["val_samples"], cell["test_samples"]) == (2, 1)
    assert cell["settings"]["train"]["epochs"] == 4  # in 0.2 s
    assert cell["steps"] == 4 * (3 // 2)
    assert cell["mean_field_error"] > 0
    assert cell["test_error"] > 0
    assert (tmp_path / "small/small.png").stat().st_size > 5000


def test_cells_that_are_there_are_not_measured_again(tmp_path, files):
    first = study(tmp_path, files[:1])
    first.run(first.plan([3], [("fno", "paper", "demo")]), 1, silent)
    again = study(tmp_path, files)
    cells = again.plan([3], [])
    assert [cell.name for cell in cells[:2]] == ["darcy-3-llt-best-demo", "darcy-3-fno-best-demo"]
    assert len(cells) == 4 + 5
    record = again.run(cells[:1], 1, silent)
    assert list(record.results["cells"]) == ["darcy-3-fno-paper-demo", "darcy-3-llt-best-demo"]
    assert record.data.keys() == {"darcy", "points"}


def test_a_record_made_otherwise_is_refused(tmp_path, files):
    first = study(tmp_path, files)
    first.run(first.plan([3], [("llt", "best", "")])[:1], 1, silent)
    with pytest.raises(ConfigError, match=r"was made with seconds 0.2, not 1; choose another"):
        study(tmp_path, files, seconds=1)
    dataset_file.write(files[0], darcy_like(seed=1))
    with pytest.raises(ConfigError, match="was made of another darcy; choose another --out"):
        study(tmp_path, files)


def test_what_cannot_be_measured_is_refused_first(tmp_path, files):
    with pytest.raises(ConfigError, match="two of the files have the same name"):
        study(tmp_path, [files[0], files[0]])
    with pytest.raises(ConfigError, match="--seconds 0: expected more than 0"):
        Budget(seconds=0)
    with pytest.raises(ConfigError, match="fno"):
        study(tmp_path, files).plan([3], [("fno", "paper", "")])  # points have no grid


def test_a_stopped_training_goes_on_with_its_own_epochs(tmp_path, files, monkeypatch):
    out = tmp_path / "small"
    dataset_file.write(out / "darcy-3.h5", subset(darcy_like(), 3, 1))
    cell = Cell(data="darcy", samples=3, model="llt", recipe="best")
    first = measure(cell, out, Budget(seconds=0.1))
    (out / cell.name / "evaluation.json").unlink()
    monkeypatch.setattr(small, "fit_time", None)
    again = measure(cell, out, Budget(seconds=0.1))
    assert again["curve"] == first["curve"]
    assert again["test_error"] == first["test_error"]
