"""Learning rates that a study chooses by itself, in its file and in records."""

import pytest

from llt.bench.accuracy_tables import study_problems, tiers
from llt.bench.rate_table import NONE_YET, rates
from llt.bench.record import write_record
from llt.bench.study_file import read_study
from llt.bench.study_results import study_results
from llt.data import dataset_file
from llt.errors import LltError
from tests.bench.studies import cell, check_refused, diverged, name_of, records
from tests.bench.studies import study as recorded
from tests.bench.test_published import cells
from tests.conftest import darcy_like, ragged

STUDY = """
records = "records/*.json"
[data.darcy]
file = "darcy.h5"
[data.other]
file = "darcy.h5"
[data.points]
file = "points.h5"

[[group]]
problems = ["darcy", "other", "points"]
models = ["llt", "lno", "fno"]
recipes = ["best", "paper"]
preset = "tiny"
epochs = 2

[[group]]
tier = 0
rates = [0.3, 1, 3]
problems = ["darcy"]
models = ["llt", "lno"]
preset = "tiny"
epochs = 1
"""
TRIALS = {
    name_of(entry): entry
    for entry in (
        cell("llt", 0.5, tier=0, epochs=1, rate=0.3),
        cell("llt", 0.1, tier=0, epochs=1, rate=1.0),
        cell("llt", 0.2, tier=0, epochs=1, rate=3.0),
        cell("lno", 0.3, tier=0, epochs=1, rate=0.3),
        cell("lno", 0.2, tier=0, epochs=1, rate=1.0, best_val_error=0.4),
        diverged("lno", tier=0, epochs=1, rate=3.0),
    )
}


@pytest.fixture
def study(tmp_path):
    dataset_file.write(tmp_path / "darcy.h5", darcy_like())
    dataset_file.write(tmp_path / "points.h5", ragged())

    def write(text):
        (tmp_path / "study.toml").write_text(text)
        return tmp_path / "study.toml"

    return write


def names(found, model, data="other"):
    return [c.name for c in found.cells if (c.data, c.contender.model, c.tier) == (data, model, 1)]


def test_trials_are_planned_with_their_rates(study):
    found = read_study(study(STUDY))
    trials = {c.name: c.contender.train for c in found.cells if c.tier == 0}
    assert {*trials} == {*TRIALS}
    train = trials["darcy-lno-best-1-rate-0.3-seed-0"]
    own = trials["darcy-lno-best-1-rate-1-seed-0"]
    assert train.optimizer == "muon"
    assert (train.lr, train.muon_lr) == pytest.approx((0.3 * own.lr, 0.3 * own.muon_lr))
    assert own.lr == 1e-3 and train.epochs == 1


def test_cells_wait_for_their_rate_and_no_others(study):
    found = read_study(study(STUDY))
    assert names(found, "lno") == [
        "other-lno-best-2-rate-open-seed-0",
        "other-lno-paper-2-seed-0",  # the recipe is everybody's
    ]
    assert names(found, "fno")[0] == "other-fno-best-2-seed-0"  # it was not tried
    assert names(found, "lno", "points")[0] == "points-lno-best-2-seed-0"  # not on such meshes
    waiting = {c.name for c in found.cells if c.rate is None}
    assert len(waiting) == 4 and all("-best-2-rate-open-" in name for name in waiting)
    unfinished = {name: found for name, found in TRIALS.items() if "rate-3" not in name}
    assert found.grown(unfinished.get) is found


def test_what_was_best_is_what_the_others_are_trained_with(study):
    found = read_study(study(STUDY)).grown(TRIALS.get)
    assert [(rate.model, rate.factor) for rate in found.rates] == [("llt", 1.0), ("lno", 0.3)]
    assert names(found, "lno")[0] == "other-lno-best-2-rate-0.3-seed-0"
    assert names(found, "llt")[0] == "other-llt-best-2-seed-0"
    made = {c.name: c for c in found.cells}["other-lno-best-2-rate-0.3-seed-0"]
    assert made.rate == 0.3 and made.contender.train.lr == pytest.approx(3e-4)


def test_each_model_is_trained_as_soon_as_its_own_rate_is_known(study):
    ours = {name: entry for name, entry in TRIALS.items() if entry["model"] == "llt"}
    found = read_study(study(STUDY)).grown(ours.get)
    assert names(found, "llt")[0] == "other-llt-best-2-seed-0"
    assert names(found, "lno")[0] == "other-lno-best-2-rate-open-seed-0"


def test_where_all_diverge_the_recipes_rate_is_taken(study):
    lost = {name: diverged(e["model"], tier=0, rate=e["rate"]) for name, e in TRIALS.items()}
    found = read_study(study(STUDY)).grown(lost.get)
    assert [rate.factor for rate in found.rates] == [1.0, 1.0]


def test_a_rate_that_a_group_gives_is_no_matter_of_choice(study):
    own = '[group.only.lno]\n"train.lr" = 5e-4\n\n[[group]]\ntier'
    found = read_study(study(STUDY.replace("[[group]]\ntier", own, 1))).grown(TRIALS.get)
    made = next(c for c in found.cells if c.name == "other-lno-best-2-seed-0")
    assert made.contender.train.lr == 5e-4


def test_what_a_record_says_of_rates_holds(study, tmp_path):
    chosen = {"data": "darcy", "recipe": "best", "model": "lno", "factor": 3.0}
    write_record(tmp_path / "records/a.json", recorded(rates=[chosen]))
    found = read_study(study(STUDY)).grown(TRIALS.get)
    assert names(found, "lno")[0] == "other-lno-best-2-rate-3-seed-0"


def test_rivals_wait_for_cells_that_wait(study):
    text = STUDY.replace('["llt", "lno"]\n', '["llt", "lno", "fno"]\n')
    text += '\n[[group]]\ntier = 2\nrivals = 1\nproblems = ["other"]\nmodels = ["llt"]\n'
    found = read_study(study(text))
    done = {c.name: cell(c.contender.model, 0.1) for c in found.cells if c.rate is not None}
    found = found.grown({n: c for n, c in done.items() if "rate" not in n}.get)
    assert [entry.models for entry in found.rivals] == [None]


BAD = {
    "tier": ("tier = 0", "tier = 1", r"rates = \[0.3, 1, 3\] are tried in tier 0 and without"),
    "rivals": ("tier = 0", "tier = 0\nrivals = 1", "and without rivals, not in tier 0 with rivals"),
    "zero": ("[0.3, 1, 3]", "[0, 1, 3]", "must be positive numbers, times the recipe's"),
    "text": ("[0.3, 1, 3]", '["a"]', r"rates = \['a'\] must be positive numbers"),
    "twice": ("[0.3, 1, 3]", "[1, 1.0]", r"rates = \[1, 1.0\] must differ"),
    "both": (
        "rates = [0.3, 1, 3]",
        'rates = [0.3, 1, 3]\nonly.llt."train.lr" = 1e-3',
        r"rates = \[0.3, 1, 3\] and train.lr = 0.001 exclude each other",
    ),
    "two grids": (
        'problems = ["darcy"]',
        'problems = ["darcy", "other"]',
        "rates of llt are tried on darcy and other; for grids choose one of them",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said_in_one_line(study, case):
    there, instead, message = BAD[case]
    check_refused(study(STUDY.replace(there, instead)), message)


OPEN = {"data": "darcy", "recipe": "best", "model": "lno", "factor": None}


def test_a_choice_that_one_record_knows_holds_for_all():
    found = study_results(
        records(recorded(rates=[OPEN]), recorded(rates=[OPEN | {"factor": 0.3}]), recorded())
    )
    assert found["rates"] == [OPEN | {"factor": 0.3}]
    both = records(*(recorded(rates=[OPEN | {"factor": factor}]) for factor in (0.3, 3.0)))
    with pytest.raises(
        LltError, match="study-1: with the recipe best the rate of lno on darcy is "
    ):
        study_results(both)


def test_records_from_before_there_were_rates_are_read():
    old = recorded(cell("llt", 0.1))
    del old.results["rates"], old.results["unmatched"]
    for found in old.results["cells"].values():
        del found["rate"]
    assert study_results(records(old))["rates"] == []
    assert tiers(study_results(records(old))) == [1]


def test_of_a_training_with_several_rates_the_chosen_one_counts():
    before = recorded(cell("lno", 0.1), cell("lno", seed=1), cell("llt", 0.3))
    waiting = recorded(cell("lno", rate=None), cell("llt", rate=None))
    after = recorded(cell("lno", 0.2, rate=0.3), cell("lno", rate=0.3, seed=1))
    found = study_results(records(before, waiting, after))
    assert {(c["model"], c["test_error"]) for c in found["cells"].values()} == {
        ("lno", 0.2),
        ("llt", 0.3),
    }
    assert [*found["open"]] == ["darcy-lno-best-20-rate-0.3-seed-1"]


def test_trials_have_a_table_of_their_own_and_no_ranks():
    chosen = [OPEN | {"model": "llt", "factor": 1.0}, OPEN | {"factor": 0.3}, OPEN]
    chosen[2] = OPEN | {"model": "fno"}
    record = recorded(*TRIALS.values(), cell("fno", tier=0, rate=0.3, epochs=1), rates=chosen)
    titles, _, *rows = cells(rates(records(record)))
    assert titles == ["model", "tried on", "0.3 times", "1 times", "3 times", "chosen"]
    assert rows == [
        ["LLT", "Darcy, best", "0.55000", "0.11000", "0.22000", "1"],
        ["LNO", "Darcy, best", "0.33000", "0.40000", "diverged", "0.3"],
        ["FNO", "Darcy, best", "open", "", "", "open"],
    ]
    results = study_results(records(record))
    assert tiers(results) == [] and "Darcy" not in "".join(study_problems(records(record)))
    assert rates({}) == rates(records(recorded(cell("fno", tier=0)))) == NONE_YET


def test_a_table_says_where_all_rates_diverged():
    trials = [diverged("lno", tier=0, rate=rate) for rate in (0.3, 1.0)]
    record = recorded(*trials, rates=[OPEN | {"factor": 1.0}])
    assert cells(rates(records(record)))[2][2:] == ["diverged", "diverged", "1, as all diverged"]
