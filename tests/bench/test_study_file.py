"""The accuracy study as a file."""

from itertools import product
from pathlib import Path

import pytest

from llt.bench.record import write_record
from llt.bench.study_file import read_study
from llt.data import dataset_file
from llt.errors import LltError
from llt.models import MODELS
from llt.problem import PROBLEMS
from tests.bench.studies import cell, diverged
from tests.bench.studies import study as recorded
from tests.conftest import darcy_like, ragged

ROOT = Path(__file__).parents[2]

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
    assert found.data["darcy"].hash == darcy_like().hash


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


def test_settings_of_the_study_are_those_of_all_groups_and_a_groups_own_count_more(study):
    common = '[settings]\n"train.batch_size" = 7\n"train.mode" = "fastest"\n'
    cells = read_study(study(common + STUDY)).cells
    assert {cell.contender.train.mode for cell in cells} == {"fastest"}
    assert {cell.contender.train.batch_size for cell in cells} == {3}
    plain = STUDY.replace('"train.batch_size" = 3', "")
    cells = read_study(study(common + plain)).cells
    assert {cell.contender.train.batch_size for cell in cells} == {7}


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
    "common settings": ("[data.darcy]", "settings = 3\n[data.darcy]", "settings = 3 must be a"),
    "kind": ("epochs = 3", 'epochs = "3"', "epochs = '3' must be of type int"),
    "negative": ("epochs = 3", "epochs = -3", "epochs = -3 must not be negative"),
    "negative rivals": ("epochs = 3", "rivals = -1", "rivals = -1 must not be negative"),
    "tier": ("epochs = 3", "tier = 0", "tier = 0 must be 1 or more"),
    "first tier": ("epochs = 3", "rivals = 1", "2 or more where rivals are asked for"),
    "no tier before": (
        "epochs = 3",
        "rivals = 1\ntier = 3",
        "tier 2 trains nothing there with best",
    ),
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


TIERS = """
[data.darcy]
file = "darcy.h5"

[[group]]
problems = ["darcy"]
models = ["llt", "fno", "lno", "flare"]
preset = "tiny"
epochs = 1
[[group]]
tier = 2
rivals = 2
problems = ["darcy"]
models = ["llt"]
preset = "tiny"
epochs = 2
[[group]]
tier = 3
rivals = 1
problems = ["darcy"]
models = ["llt"]
preset = "tiny"
epochs = 3
"""
FIRST = {
    f"darcy-{model}-best-1-seed-0": cell(model, error, epochs=1)
    for model, error in (("llt", 0.1), ("fno", 0.4), ("lno", 0.2), ("flare", 0.3))
}


def names(found, tier):
    return [cell.name for cell in found.cells if cell.tier == tier]


def test_rivals_are_open_until_the_tier_before_is_finished(study):
    found = read_study(study(TIERS))
    assert [(entry.tier, entry.data, entry.number) for entry in found.waiting] == [
        (2, "darcy", 2),
        (3, "darcy", 1),
    ]
    assert names(found, 2) == ["darcy-llt-best-2-seed-0"]
    unfinished = {**FIRST, "darcy-llt-best-2-seed-0": cell(error=0.1, epochs=2)}
    del unfinished["darcy-fno-best-1-seed-0"]
    assert found.grown(unfinished.get) is found


def test_rivals_are_trained_when_they_are_known_and_theirs_after_them(study):
    found = read_study(study(TIERS)).grown(FIRST.get)
    assert names(found, 2) == [f"darcy-{m}-best-2-seed-0" for m in ("llt", "lno", "flare")]
    assert [entry.tier for entry in found.waiting] == [3]
    second = {name: cell(name.split("-")[1], 0.1, epochs=2) for name in names(found, 2)}
    second["darcy-lno-best-2-seed-0"] = diverged("lno", epochs=2)
    found = found.grown((FIRST | second).get)
    assert names(found, 3) == [f"darcy-{m}-best-3-seed-0" for m in ("llt", "flare")]
    assert found.waiting == []


def test_records_tell_results_and_rivals_which_then_stay(study, tmp_path):
    path = study('records = "records/*.json"\n' + TIERS)
    hashes = {"darcy": darcy_like().hash}
    write_record(tmp_path / "records/a.json", recorded(*FIRST.values(), hashes=hashes))
    assert names(read_study(path), 2)[1:] == [
        "darcy-lno-best-2-seed-0",
        "darcy-flare-best-2-seed-0",
    ]
    chosen = {"tier": 2, "data": "darcy", "number": 2, "models": ["fno", "lno"]}
    write_record(tmp_path / "records/b.json", recorded(rivals=[chosen]))
    assert names(read_study(path), 2)[1:] == [f"darcy-{m}-best-2-seed-0" for m in ("fno", "lno")]


def test_records_of_other_data_are_refused(study, tmp_path):
    path = study('records = "records/*.json"\n' + TIERS)
    write_record(tmp_path / "records/a.json", recorded(*FIRST.values()))
    with pytest.raises(LltError, match="a: its darcy is the data 0123456789abcdef") as caught:
        read_study(path)
    assert "study.toml" in str(caught.value) and "\n" not in str(caught.value)


def test_the_papers_problems_are_planned_without_their_data(study):
    text = TIERS.replace('file = "darcy.h5"', 'file = "lost.h5"\nhash = "0123"')
    found = read_study(study(text))
    assert not found.data["darcy"].is_here and found.data["darcy"].hash == "0123"
    assert len(names(found, 1)) == 4


def test_the_study_of_the_project_has_all_models_on_all_problems():
    found = read_study(ROOT / "benchmarks/accuracy.toml")
    first = {(cell.data, cell.contender.model) for cell in found.cells if cell.tier == 1}
    assert first | {*found.unfit} == {*product(PROBLEMS, MODELS)}
    assert {entry.data for entry in found.rivals if entry.number == 3} == {*PROBLEMS}


def test_where_the_recipe_counts_steps_epochs_follow_from_the_data(study):
    text = STUDY.split("[[group]]")[0]
    group = '[[group]]\nproblems = ["points"]\nmodels = ["llt"]\n'
    steps = '[group.settings]\n"train.steps" = 100\n"train.batch_size" = 2\n'
    (found,) = read_study(study(f"{text}{group}{steps}")).cells
    assert found.contender.train.epochs == 50  # of two steps for five samples
