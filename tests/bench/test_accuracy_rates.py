"""The runner of the accuracy study where rates are chosen first, on tiny sizes."""

import json
import shutil

import pytest

from llt.bench.accuracy import AccuracyStudy
from llt.bench.accuracy_report import progress
from llt.bench.record import load_record, write_record
from llt.bench.study_file import read_study
from llt.cli import main
from llt.data import dataset_file
from llt.training.settings import read_toml
from tests.conftest import darcy_like

STUDY = """
[data.darcy]
file = "darcy.h5"
[data.other]
file = "darcy.h5"

[[group]]
tier = 0
rates = [0.5, 1e20]
problems = ["darcy"]
models = ["fno"]
preset = "tiny"
epochs = 1

[[group]]
problems = ["darcy", "other"]
models = ["fno"]
preset = "tiny"
epochs = 2
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rates")
    dataset_file.write(folder / "darcy.h5", darcy_like())
    (folder / "study.toml").write_text(STUDY)
    return folder / "study.toml"


@pytest.fixture(scope="module")
def finished(file):
    study = AccuracyStudy(read_study(file), file.parent / "finished", "cpu")
    told = []
    study.run(2, lambda cell, what: told.append((cell.name, what, progress(study, 1))))
    return study, told


def test_trials_come_first_and_the_others_follow_in_the_same_run(finished):
    study, told = finished
    begun = [name for name, what, _ in told if what == "begins"]
    trials = [f"darcy-fno-best-1-rate-{rate}-seed-0" for rate in ("0.5", "1e+20")]
    assert begun[:2] == trials
    assert {*begun[2:]} == {f"{data}-fno-best-2-rate-0.5-seed-0" for data in ("darcy", "other")}
    ends = {name: what for name, what, _ in told}
    assert ends == dict.fromkeys(begun, "done") | {trials[1]: "failed"}
    assert progress(study, 1) == "3 done, 1 failed"


def test_what_was_chosen_is_on_record(finished):
    study, _ = finished
    results = load_record(study.out / "record.json").results
    assert results["rates"] == [
        {"data": "darcy", "recipe": "best", "model": "fno", "factor": 0.5},
    ]
    assert results["cells"]["other-fno-best-2-rate-0.5-seed-0"]["rate"] == 0.5
    train = read_toml(study.out / "other-fno-best-2-rate-0.5-seed-0/config.toml")["train"]
    assert (train["lr"], train["muon_lr"]) == (0.0005, 0.0015)
    # what only chose a rate is not timed
    assert results["alone"].keys() == {"darcy-fno-best-2-rate-0.5", "other-fno-best-2-rate-0.5"}


def test_the_same_command_finds_the_same_choice(file, finished):
    study, _ = finished
    again = AccuracyStudy(read_study(file), study.out, "cpu")
    assert progress(again, 1) == "3 done, 1 failed"
    again.run(1, lambda cell, what: pytest.fail(f"{cell.name} {what}"))


def test_the_plan_counts_what_waits_and_its_time(file, finished, tmp_path):
    plan = AccuracyStudy(read_study(file), tmp_path, "cpu")
    assert progress(plan, 1) == "2 left, 2 waiting; no time known yet"
    trial = "darcy-fno-best-1-rate-0.5-seed-0"
    shutil.copytree(finished[0].out / trial, tmp_path / trial)
    told = progress(plan, 1)
    assert told.startswith("1 done, 1 left, 2 waiting; about ")
    assert told.endswith(", 1 of an unknown length")  # nothing was trained on the other problem


def test_without_the_trials_problem_all_waits_and_that_is_said(file, finished, tmp_path, capsys):
    words = ["bench", "accuracy", str(file), "--out", str(tmp_path / "part"), "--only", "other"]
    assert main([*words, "--device", "cpu"]) == 0
    told = capsys.readouterr().err
    assert "1 waiting; no time known yet" in told and "begins" not in told
    assert (
        "rates are open until tier 0 of darcy is finished: models: 1; --only leaves it to other "
        "runs" in told
    )
    record = load_record(tmp_path / "part/record.json").results
    assert record["open"]["other-fno-best-2-rate-open-seed-0"]["rate"] is None
    (file.parent / "known").mkdir()
    write_record(file.parent / "known/a.json", trials_of(finished[0]))
    text = 'records = "known/*.json"\n' + file.read_text()
    (file.parent / "known.toml").write_text(text)
    words[2] = str(file.parent / "known.toml")
    assert main([*words, "--plan", "--json"]) == 0
    told = capsys.readouterr()
    assert "1 left; no time known yet" in told.err and "rates are open" not in told.err
    assert json.loads(told.out)["results"]["rates"][0]["factor"] == 0.5


def test_what_was_trained_before_the_choice_counts_no_more(file, finished, tmp_path):
    record = trials_of(finished[0])
    done = finished[0].record().results["cells"]["other-fno-best-2-rate-0.5-seed-0"]
    record.results["cells"]["other-fno-best-2-seed-0"] = done | {"rate": 1.0}
    (file.parent / "before").mkdir()
    write_record(file.parent / "before/a.json", record)
    text = 'records = "before/*.json"\n' + file.read_text()
    (file.parent / "before.toml").write_text(text)
    study = AccuracyStudy(read_study(file.parent / "before.toml"), tmp_path, "cpu")
    assert "other-fno-best-2-rate-0.5-seed-0" in {cell.name for cell in study.todo()}
    results = study.results()
    assert "other-fno-best-2-rate-0.5-seed-0" in results["open"]
    assert "other-fno-best-2-seed-0" not in results["cells"]


def trials_of(study):
    """A record of nothing but the first tier."""
    record = study.record()
    cells = {name: c for name, c in record.results["cells"].items() if c["tier"] == 0}
    record.results.update(cells=cells, alone={})
    return record


def test_tables_show_the_trials_first(file, finished, capsys):
    words = ["bench", "accuracy", str(file), "--out", str(finished[0].out), "--plan"]
    assert main(words) == 0
    told = capsys.readouterr()
    out = told.out + told.err
    assert out.index("Rates: validation errors") < out.index("Tier 1")
    assert "diverged" in out and "Tier 0" not in out
