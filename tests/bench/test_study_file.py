"""The accuracy study as a file."""

from pathlib import Path

import pytest

from llt.bench.study_file import Group, read_study
from llt.data import dataset_file
from llt.errors import LltError
from llt.models import MODELS
from llt.runtime.reading import read_toml_file
from tests.conftest import darcy_like, ragged

STUDY = """
[data.darcy]
file = "darcy.h5"
[data.points]
file = "points.h5"

[[group]]
problems = ["darcy", "points"]
models = ["llt", "fno"]
recipes = ["best", "paper"]
seeds = [0, 1]
epochs = 3
preset = "tiny"
[group.settings]
"train.batch_size" = 3
[group.only.fno]
"train.lr" = 0.005
"model.modes" = 2
"""


@pytest.fixture
def study(tmp_path):
    dataset_file.write(tmp_path / "darcy.h5", darcy_like())
    dataset_file.write(tmp_path / "points.h5", ragged())

    def write(text):
        (tmp_path / "study.toml").write_text(text)
        return tmp_path / "study.toml"

    return write


def test_every_combination_is_a_cell(study):
    found = read_study(study(STUDY))
    names = {cell.name for cell in found.cells}
    assert len(found.cells) == len(names) == 2 * 2 * 2 + 2 * 2
    assert "darcy-fno-paper-3-seed-1" in names and "points-llt-best-3-seed-0" in names
    assert found.unfit == [("points", "fno")]
    assert found.hashes["darcy"] == darcy_like().hash


def test_settings_are_those_of_recipe_group_and_model(study):
    cells = {cell.name: cell.contender for cell in read_study(study(STUDY)).cells}
    fno, llt = cells["darcy-fno-paper-3-seed-1"], cells["darcy-llt-best-3-seed-0"]
    assert (fno.train.lr, fno.train.seed, fno.train.batch_size, fno.train.epochs) == (
        0.005,
        1,
        3,
        3,
    )
    assert fno.settings["modes"] == 2 and fno.recipe == "paper"
    assert llt.train.lr == 1e-3 and llt.train.optimizer == "muon" and llt.settings["dim"] == 16


def test_groups_may_give_the_same_cell_but_not_two_of_one_name(study):
    again = STUDY[STUDY.index("[[group]]") :]
    assert len(read_study(study(STUDY + again)).cells) == 12
    other = again.replace('"train.batch_size" = 3', '"train.batch_size" = 2')
    with pytest.raises(LltError, match=r"two groups have a cell darcy-llt-best-3-seed-0; give one"):
        read_study(study(STUDY + other))
    labelled = other.replace("epochs = 3", 'epochs = 3\nlabel = "small"')
    assert "darcy-llt-best-3-small-seed-0" in {
        cell.name for cell in read_study(study(STUDY + labelled)).cells
    }


BAD = {
    "unknown model": ('"fno"]', '"fnoo"]', "unknown model 'fnoo'; did you mean fno"),
    "no data": ('"points"]', '"pipe"]', r"problem 'pipe' has no \[data.pipe\]"),
    "no file": ('"points.h5"', '"lost.h5"', "lost.h5: no such file"),
    "other data": ('"points.h5"', '"points.h5"\nhash = "0123"', "the study is of 0123"),
    "recipe": ('"paper"]', '"papper"]', "unknown recipe 'papper'; did you mean paper"),
    "entry": ("seeds", "sedes", "unknown entry of a group 'sedes'; did you mean seeds"),
    "section": ("[data.points]", "[dato.points]", "unknown section 'dato'"),
    "kind": ("epochs = 3", 'epochs = "3"', "epochs = '3' must be of type int"),
    "negative": ("epochs = 3", "epochs = -3", "epochs = -3 must not be negative"),
    "seed": ("seeds = [0, 1]", "seeds = [0, -1]", "must be numbers from 0 on"),
    "setting": ('"train.batch_size"', '"train.bach_size"', "unknown setting of train 'bach_size'"),
    "place": ('"train.batch_size"', '"batch_size"', "expected a name such as 'train.lr'"),
    "size": ('"model.modes" = 2', '"model.modes" = "x"', "modes='x' must be of type int"),
    "toml": ("[[group]]", "[[group]", "study.toml: "),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said_in_one_line(study, case):
    there, instead, message = BAD[case]
    path = study(STUDY.replace(there, instead, 1))
    with pytest.raises(LltError, match=message) as caught:
        read_study(path)
    assert "study.toml" in str(caught.value) and "\n" not in str(caught.value)


def test_the_study_of_the_project_has_all_models():
    content = read_toml_file(Path(__file__).parents[2] / "benchmarks/accuracy.toml")
    first, *_ = [Group.of(given) for given in content["group"]]
    assert {*first.models} == {*MODELS}
    assert {*first.problems} == {*content["data"]}
