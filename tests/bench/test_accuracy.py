"""The runner of the accuracy study, on tiny sizes."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from llt.bench.accuracy import AccuracyStudy
from llt.bench.accuracy_report import progress
from llt.bench.accuracy_tables import tier_table
from llt.bench.record import load_record, write_record
from llt.bench.study_file import read_study
from llt.cli import main
from llt.data import dataset_file
from llt.errors import BusyError
from llt.runtime.lock import claimed
from tests.conftest import darcy_like, ragged

STUDY = """
[data.darcy]
file = "darcy.h5"
[data.points]
file = "points.h5"

[[group]]
problems = ["darcy"]
models = ["llt"]
seeds = [0, 1]
preset = "tiny"

[[group]]
problems = ["darcy", "points"]
models = ["fno"]
preset = "tiny"
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("accuracy")
    dataset_file.write(folder / "darcy.h5", darcy_like())
    dataset_file.write(folder / "points.h5", ragged())
    (folder / "study.toml").write_text(STUDY)
    return folder / "study.toml"


@pytest.fixture(scope="module")
def finished(file):
    out = file.parent / "finished"
    study = AccuracyStudy(read_study(file), out, "cpu")
    told = []
    study.run(2, lambda cell, what: told.append((cell.name, what)))
    return study, told


def test_all_cells_are_trained_and_kept(finished):
    study, told = finished
    assert len(study.cells("done")) == 3
    assert sorted(what for _, what in told) == ["begins"] * 3 + ["done"] * 3
    cells = load_record(study.out / "record.json").results["cells"]
    cell = cells["darcy-fno-best-seed-0"]
    assert (cell["model"], cell["seed"], cell["recipe"], cell["epochs"]) == ("fno", 0, "best", 2)
    assert 0 < cell["test_error"] < cell["worst"] and cell["spread"] > 0 and cell["parameters"] > 0


def test_the_record_is_what_tables_and_figures_are_made_from(finished):
    study, _ = finished
    results = study.record().results
    titles, rows = tier_table(results, 1)
    assert titles == ["model", "trained", "Darcy, 2 epochs"]
    assert [row[0] for row in rows] == ["FNO", "LLT"]
    cells = results["cells"]
    errors = [cells[f"darcy-llt-best-seed-{seed}"]["test_error"] for seed in (0, 1)]
    assert rows[1][2].startswith(f"{sum(errors) / 2:.5f} ± ")
    assert results["unfit"] == [["points", "fno"]] and results["open"] == {}
    assert progress(study, 2) == "3 done"
    assert results["alone"].keys() == {"darcy-llt-best", "darcy-fno-best"}
    assert all(0 < seconds < 60 for seconds in results["alone"].values())


def test_what_is_done_is_not_touched_again(finished):
    study, _ = finished
    before = {path: path.stat().st_mtime_ns for path in study.out.glob("*/*")}
    study.run(2, lambda cell, what: pytest.fail(f"{cell.name} {what}"))
    assert {path: path.stat().st_mtime_ns for path in study.out.glob("*/*")} == before


def test_two_runners_do_not_share_a_folder(finished):
    study, _ = finished
    with claimed(study.out), pytest.raises(BusyError, match="in use by process"):
        study.run(1, lambda cell, what: None)


def test_a_cell_that_diverges_is_recorded_and_not_tried_again(file, tmp_path, capfd):
    data, _, fno = STUDY.split("[[group]]")
    text = f'{data}[[group]]{fno}[group.settings]\n"train.lr" = 1e20'
    (file.parent / "wild.toml").write_text(text)
    words = ["bench", "accuracy", str(file.parent / "wild.toml"), "--out", str(tmp_path)]
    words += ["--device", "cpu", "--jobs", "2", "--json"]
    assert main(words) == 0
    cells = json.loads(capfd.readouterr().out)["results"]["cells"]
    assert "epoch 1: the loss is" in cells["darcy-fno-best-seed-0"]["error"]
    assert "Traceback" not in capfd.readouterr().err
    assert main(words) == 0
    assert "begins" not in capfd.readouterr().err


def test_a_plan_says_what_is_left_and_does_nothing(file, tmp_path, capsys):
    words = ["bench", "accuracy", str(file), "--out", str(tmp_path / "new"), "--plan"]
    assert main(words) == 0
    assert "3 left; no time known yet" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


RIVALS = """
[data.darcy]
file = "darcy.h5"

[[group]]
problems = ["darcy"]
models = ["llt", "fno"]
preset = "tiny"
epochs = 1

[[group]]
tier = 2
problems = ["darcy"]
models = ["llt"]
rivals = 1
preset = "tiny"
epochs = 2
"""


def test_rivals_follow_in_the_same_run(file, tmp_path):
    (file.parent / "rivals.toml").write_text(RIVALS)
    study = AccuracyStudy(read_study(file.parent / "rivals.toml"), tmp_path, "cpu")
    record = study.run(2, lambda cell, what: None)
    assert "darcy-fno-best-2-seed-0" in record.results["cells"] and len(study.cells("done")) == 4
    chosen = {"tier": 2, "data": "darcy", "number": 1, "models": ["fno"]}
    assert record.results["rivals"] == [chosen]


def test_what_records_know_is_not_trained_again(file, finished, tmp_path):
    study, _ = finished
    (file.parent / "known").mkdir()
    write_record(file.parent / "known/a.json", study.record())
    (file.parent / "known.toml").write_text('records = "known/*.json"\n' + STUDY)
    again = AccuracyStudy(read_study(file.parent / "known.toml"), tmp_path / "new", "cpu")
    assert progress(again, 1) == "3 done"
    record = again.run(1, lambda cell, what: pytest.fail(f"{cell.name} {what}"))
    assert record.results["cells"] == {}  # it was not this run that found them
    assert again.results()["cells"] == study.record().results["cells"]


def test_cells_without_data_are_planned_and_refused(file, tmp_path, capsys):
    more = '[data.pipe]\nfile = "pipe.h5"\n' + STUDY.replace('["darcy", "points"]', '["pipe"]')
    (file.parent / "more.toml").write_text(more)
    words = ["bench", "accuracy", str(file.parent / "more.toml"), "--out", str(tmp_path / "new")]
    assert main([*words, "--plan"]) == 0
    told = capsys.readouterr().err
    assert "3 left" in told and "pipe.h5 is not here; cells of pipe that stay open: 1" in told
    assert main(words) == 2
    assert "pipe.h5: no such file; cells of pipe that need it: 1" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
    assert main([*words, "--plan", "--only", "darcy"]) == 0
    told = capsys.readouterr().err
    assert "2 left" in told and "not here" not in told
    assert main([*words, "--only", "darci"]) == 2
    assert "--only: unknown problem 'darci'; did you mean darcy?" in capsys.readouterr().err


def killed_and_finished(file, out, kills, rng):
    """Kill the command at random moments until it has ended by itself once; then compare."""
    words = [sys.executable, "-m", "llt", "bench", "accuracy", str(file), "--out", str(out)]
    seen = {}
    while True:
        process = subprocess.Popen(
            [*words, "--device", "cpu", "--jobs", "2"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        if kills:
            time.sleep(rng.uniform(1, 12))
            process.send_signal(signal.SIGKILL)
            kills -= 1
        code = process.wait()
        for path, content in seen.items():  # nothing finished is lost or made again
            assert path.stat().st_mtime_ns == content
        seen |= {path: path.stat().st_mtime_ns for path in out.glob("*/cell.json")}
        if code == 0 and not kills:
            return seen
        time.sleep(1.5)  # its workers notice that they are alone


def test_kills_lose_nothing(file, finished, tmp_path, request):
    kills = request.config.getoption("--fuzz", 200) // 100
    seen = killed_and_finished(file, tmp_path / "out", kills, random.Random(0))
    assert len(seen) == 3
    for path in seen:
        ours, theirs = (
            (folder / path.parent.name / "best/model.safetensors").read_bytes()
            for folder in (tmp_path / "out", finished[0].out)
        )
        assert ours == theirs
