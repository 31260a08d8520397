"""What the runner of the accuracy study does before, between and after trainings, on tiny sizes."""

import json
import shutil
from contextlib import contextmanager

import pytest

from llt.bench import accuracy
from llt.bench.accuracy import AccuracyStudy
from llt.bench.accuracy_report import open_ends, progress
from llt.bench.record import load_record, write_record
from llt.bench.study_file import read_study
from llt.bench.study_training import measure
from llt.cli import main
from llt.data import dataset_file
from llt.errors import ConfigError, LostError
from llt.evaluation.metrics import evaluate
from tests.conftest import darcy_like

STUDY = """
records = "known/*.json"
[data.darcy]
file = "darcy.h5"

[[group]]
problems = ["darcy"]
models = ["fno"]
recipes = ["best", "paper"]
preset = "tiny"
epochs = 1

[[group]]
tier = 2
problems = ["darcy"]
models = ["fno"]
preset = "tiny"
epochs = 2
"""
BEST, PAPER, LONGER = (f"darcy-fno-{word}-seed-0" for word in ("best-1", "paper-1", "best-2"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    dataset_file.write(folder / "darcy.h5", darcy_like())
    (folder / "study.toml").write_text(STUDY)
    study = AccuracyStudy(read_study(folder / "study.toml"), folder / "out", "cpu")
    study.run(2, lambda cell, what: None)
    return study


@pytest.fixture
def folder(finished, tmp_path):
    """The study file and its data, without records yet."""
    for name in ("darcy.h5", "study.toml"):
        shutil.copy(finished.out.parent / name, tmp_path)
    return tmp_path


def elsewhere(finished, folder, **changes):
    """The study on another machine, which has the first one's record."""
    record = finished.record()
    record.results.update(changes)
    write_record(folder / "known/a.json", record)
    return AccuracyStudy(read_study(folder / "study.toml"), folder / "new", "cpu")


def must_not_train(cell, what):
    pytest.fail(f"{cell.name} {what}")


def test_errors_are_those_of_an_evaluation(finished):
    cell = finished.own(BEST)
    whole = evaluate(finished.out / BEST, device="cpu")
    assert cell["test_error"] == pytest.approx(whole.relative_l2, rel=1e-6)
    assert cell["worst"] == pytest.approx(whole.worst, rel=1e-6)
    assert cell["parameters"] == whole.parameters
    assert cell["best_val_error"] == whole.checkpoint["val_error"]


def test_budgets_share_the_time_of_a_step_and_nothing_else_is_timed(finished):
    alone = finished.record().results["alone"]
    assert alone.keys() == {"darcy-fno-best-1", "darcy-fno-best-2"}  # `paper` is in no figure
    assert alone["darcy-fno-best-2"] == pytest.approx(2 * alone["darcy-fno-best-1"])


def test_what_was_trained_elsewhere_is_timed(finished, folder):
    study = elsewhere(finished, folder, alone={})
    assert open_ends(study) == ["steps to be timed alone on the device after the trainings: 1"]
    told: list[tuple[str, str]] = []
    record = study.run(2, must_not_train, lambda cell, what: told.append((cell.name, what)))
    assert told == [(BEST, "its steps are timed")]
    assert record.results["alone"].keys() == {"darcy-fno-best-1", "darcy-fno-best-2"}
    assert load_record(study.out / "record.json").results["alone"] == record.results["alone"]
    assert record.results["cells"] == {} and open_ends(study) == []


def test_what_has_its_time_elsewhere_is_not_timed_again(finished, folder):
    record = elsewhere(finished, folder).run(1, must_not_train)
    assert record.results["alone"] == {}


def test_the_time_to_go_is_that_of_whole_cells_wherever_they_were_trained(finished, folder):
    cells = {BEST: finished.own(BEST) | {"training_seconds": 100.0, "overhead_seconds": 20.0}}
    study = elsewhere(finished, folder, cells=cells, open={})
    # of the other recipe as long as of this one; two epochs of 100 seconds; both begin and end
    assert progress(study, 1) == "1 done, 2 left; about 5 min 40 s to go"


def test_another_training_under_the_same_name_is_refused(finished, folder):
    cell = finished.own(BEST)
    cell["settings"]["model"]["modes"] = 5
    message = f"records: cell {BEST} was trained with model.modes=5, not 3; take it out"
    with pytest.raises(ConfigError, match=message):
        elsewhere(finished, folder, cells={BEST: cell})


def test_the_memory_is_that_of_the_training(finished, tmp_path):
    """Whoever only finds the errors has not seen it."""
    run = tmp_path / BEST
    shutil.copytree(finished.out / BEST, run)
    (run / "cell.json").unlink()
    (run / "memory.json").write_text('{"bytes": 12345}')
    (cell,) = (cell for cell in finished.file.cells if cell.name == BEST)
    measure(cell, finished.out.parent / "darcy.h5", run, "cpu")
    assert json.loads((run / "cell.json").read_text())["memory_bytes"] == 12345


def test_what_ends_while_all_is_stopped_is_on_record(finished, folder, monkeypatch):
    shutil.copytree(finished.out / BEST, folder / "out" / BEST)

    @contextmanager
    def asked_to_stop():
        yield [15]

    monkeypatch.setattr(accuracy, "requests_to_stop", asked_to_stop)
    study = AccuracyStudy(read_study(folder / "study.toml"), folder / "out", "cpu")
    with pytest.raises(KeyboardInterrupt):
        study.run(1, must_not_train)
    assert load_record(study.out / "record.json").results["cells"].keys() == {BEST}


def test_trainings_that_died_are_told_in_the_end(finished, folder, capfd):
    """The others go on, and what is done is kept."""
    shutil.copytree(finished.out / BEST, folder / "out" / BEST)
    (folder / "out" / PAPER).mkdir()
    (folder / "out" / PAPER / "mine.txt").write_text("not a run's")
    words = ["bench", "accuracy", str(folder / "study.toml"), "--out", str(folder / "out")]
    assert main([*words, "--device", "cpu"]) == LostError.exit_code
    told = capfd.readouterr().err
    assert f"1 of the trainings died: {PAPER}; the same command tries them again" in told
    assert load_record(folder / "out/record.json").results["cells"].keys() == {BEST, LONGER}
