"""Sizes that a study matches to LLT's."""

from functools import partial

import pytest

from llt.bench.accuracy_tables import tier_table
from llt.bench.matched import parameters
from llt.bench.study_entries import entries
from llt.bench.study_file import read_study
from llt.bench.study_results import study_results
from llt.data import dataset_file
from llt.errors import LltError
from tests.bench.studies import cell, check_refused, name_of, records
from tests.bench.studies import study as recorded
from tests.conftest import darcy_like

STUDY = """
[data.darcy]
file = "darcy.h5"

[[group]]
problems = ["darcy"]
models = ["llt", "lno", "flare", "lsm"]
preset = "tiny"
epochs = 1

[[group]]
tier = 2
problems = ["darcy"]
models = ["llt"]
rivals = 2
preset = "tiny"
epochs = 2

[[group]]
tier = 2
problems = ["darcy"]
models = ["llt"]
rivals = 2
sizes = "matched"
preset = "tiny"
epochs = 2

[[group]]
tier = 3
problems = ["darcy"]
models = ["llt"]
rivals = 1
preset = "tiny"
epochs = 3
"""


def first(**errors):
    found = [cell(model, error, epochs=1) for model, error in errors.items()]
    return {name_of(entry): entry for entry in found}


@pytest.fixture
def study(tmp_path):
    dataset_file.write(tmp_path / "darcy.h5", darcy_like())

    def write(text=STUDY):
        (tmp_path / "study.toml").write_text(text)
        return tmp_path / "study.toml"

    return write


def second(found):
    return [c.name for c in found.cells if c.tier == 2]


def test_rivals_are_trained_in_both_sizes_and_llt_once(study):
    found = read_study(study()).grown(first(llt=0.1, lno=0.2, flare=0.3, lsm=0.4).get)
    assert second(found) == [
        "darcy-llt-best-2-seed-0",
        "darcy-lno-best-2-seed-0",
        "darcy-flare-best-2-seed-0",
        "darcy-lno-best-2-matched-seed-0",
        "darcy-flare-best-2-matched-seed-0",
    ]
    made = {c.name: c for c in found.cells}
    count = partial(parameters, problem=darcy_like().problem)
    ours = count("llt", settings=made["darcy-llt-best-2-seed-0"].contender.settings)
    for name in second(found)[3:]:
        contender = made[name].contender
        assert count(contender.model, settings=contender.settings) == pytest.approx(ours, rel=0.1)
        assert made[name].label == "matched"
    assert len(found.rivals) == 2  # one choice for each tier


def test_a_rival_without_such_a_size_is_left_out_and_named(study):
    found = read_study(study()).grown(first(llt=0.1, lno=0.2, flare=0.4, lsm=0.3).get)
    assert "darcy-lsm-best-2-seed-0" in second(found)
    assert "darcy-lsm-best-2-matched-seed-0" not in second(found)
    assert found.unmatched == [("darcy", "lsm")]


def test_a_model_that_is_asked_for_needs_such_a_size(study):
    head, tail = STUDY.rsplit('models = ["llt"]\nrivals = 2\nsizes', 1)
    with pytest.raises(LltError, match="no width of lsm on darcy comes within 10 % of LLT's") as e:
        read_study(study(f'{head}models = ["lsm"]\nrivals = 2\nsizes{tail}'))
    assert "study.toml" in str(e.value) and "\n" not in str(e.value)


def test_rivals_of_the_next_tier_are_the_best_in_sizes_of_the_literature(study):
    found = read_study(study()).grown(first(llt=0.1, lno=0.2, flare=0.3, lsm=0.4).get)
    errors = {name: 0.3 if "lno" in name else 0.2 for name in second(found)}
    errors["darcy-lno-best-2-matched-seed-0"] = 0.01
    results = {name: cell(name.split("-")[1], error, tier=2) for name, error in errors.items()}
    found = found.grown({**first(llt=0.1, lno=0.2, flare=0.3, lsm=0.4), **results}.get)
    assert [c.name for c in found.cells if c.tier == 3][1:] == ["darcy-flare-best-3-seed-0"]


BAD = {
    "name": ('"matched"', '"matchd"', "unknown sizes 'matchd'; did you mean matched"),
    "both": (
        'sizes = "matched"',
        'sizes = "matched"\nsettings."model.dim" = 8',
        'sizes = "matched" and model.dim = 8 exclude each other',
    ),
    "numbers": (
        'rivals = 2\nsizes = "matched"',
        'rivals = 3\nsizes = "matched"',
        "groups of tier 2 ask for 2 and for 3 rivals on darcy; make these the same",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said_in_one_line(study, case):
    there, instead, message = BAD[case]
    check_refused(study(STUDY.replace(there, instead)), message)


def seeds(model, *errors, **more):
    return [cell(model, error, tier=2, seed=seed, **more) for seed, error in enumerate(errors)]


def test_matched_models_are_ranked_with_llts_own_trainings():
    ours, lno = seeds("llt", 0.30, 0.31), seeds("lno", 0.10, 0.11)
    small, other = (seeds(m, e, e + 0.01, label="matched") for m, e in (("lno", 0.4), ("fno", 0.2)))
    found = study_results(records(recorded(*ours, *lno, *small, *other)))
    ranked = {(e.model, e.contest[4]): str(e.rank) for e in entries(found)}
    assert ranked[("llt", "")] == "2" and ranked[("lno", "")] == "1"
    matched = {model: rank for (model, label), rank in ranked.items() if label == "matched"}
    assert matched == {"fno": "1", "llt": "2", "lno": "3"}


def test_the_table_says_where_there_is_no_such_size():
    small = seeds("uno", 0.4, label="matched")
    pipe = seeds("llt", 0.1, data="pipe")
    record = recorded(*small, *pipe, unmatched=[["pipe", "uno"]])
    _, rows = tier_table(study_results(records(record)), 2)
    assert rows[0] == ("U-NO", "best, matched", "no size near LLT's", "0.40000 (1?)")
