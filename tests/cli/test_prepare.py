"""`llt inspect FOLDER` and `llt prepare`: what a user reads, and that a plan can be edited."""

import json

import pytest

from llt.cli import main
from llt.data import dataset_file
from tests.data.folder.made import case, write, write_cases


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_cases(tmp_path / "plates", 5)
    (tmp_path / "plates" / "notes.txt").write_text("")
    return tmp_path / "plates"


def test_from_a_folder_over_an_edited_plan_to_a_dataset(folder, tmp_path, capsys):
    assert main(["inspect", "plates", "-o", "plan.toml"]) == 0
    lines = {line[:16].strip(): line[16:].strip() for line in capsys.readouterr().out.splitlines()}
    assert lines["cases"] == "5: c0, c1, c2, c3, c4; 5 looked at"
    assert lines["not read"] == "notes.txt"
    assert lines["points"] == "18 to 22"
    assert lines["point field U"].endswith("2 components, in 5 of 5")
    assert "which are to be learned?" in lines["question"]
    plan = tmp_path / "plan.toml"
    text = plan.read_text()
    assert 'outputs = ["T", "U", "k"]' in text
    plan.write_text(text.replace('["T", "U", "k"]', '["T", "U"]').replace("[]", '["k"]', 1))
    assert main(["inspect", "plates", "-o", "plan.toml"]) == 2  # what was edited is not replaced
    capsys.readouterr()
    words = ["prepare", "plates", "-o", "set.h5", "--plan", "plan.toml", "--workers", "1"]
    assert main(words) == 0
    said = capsys.readouterr().err
    assert "outputs     T, U (U_x, U_y)" in said
    assert "5 samples: 3 train, 1 val, 1 test" in said
    data = dataset_file.read(tmp_path / "set.h5")
    assert data.problem.describe() == "plates: k, speed -> T, U_x, U_y on a 2-D point set"
    assert main(["inspect", "set.h5"]) == 0
    assert "prepared from plates" in capsys.readouterr().out


def test_inspect_as_json_and_with_one_output(tmp_path, capsys):
    write_cases(tmp_path, 3, U=None, k=None)
    assert main(["inspect", str(tmp_path), "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["proposal"]["outputs"] == "T"


def test_warnings_and_bad_cases_stand_in_the_inspection(folder, capsys):
    write(folder, "c1", **case(1, points=case(1)["points"] * 1000))
    (folder / "c4.npz").write_bytes(b"broken")
    assert main(["inspect", "plates"]) == 0
    out = capsys.readouterr().out
    assert "bad c4" in out
    assert "other units?" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "which are to be learned? pass --outputs T,U,k"),
        (["--outputs", "T", "--cells"], "T is at points, not at cells"),
        (["--outputs", "T", "--axes", "abc"], "choose from xyz"),
        (["--outputs", "T", "--plan", "none.toml"], "none.toml: no such file"),
        (["--outputs", "T", "--params", "none.csv"], "none.csv: no such file"),
    ],
)
def test_questions_and_mistakes_are_one_line(folder, capsys, words, message):
    assert main(["prepare", "plates", "-o", "set.h5", *words]) == 2
    said = capsys.readouterr().err.splitlines()
    assert message in said[-1]
    assert not folder.with_name("set.h5").exists()


def test_an_empty_folder_and_the_draft_of_a_file(tmp_path, capsys):
    assert main(["inspect", str(tmp_path)]) == 2
    assert "no case that can be read; it is empty" in capsys.readouterr().err
    write_cases(tmp_path / "c", 3)
    words = ["prepare", str(tmp_path / "c"), "-o", str(tmp_path / "s.h5"), "--outputs", "T"]
    assert main([*words, "--workers", "1"]) == 0
    assert main(["inspect", str(tmp_path / "s.h5"), "-o", str(tmp_path / "plan.toml")]) == 2
    assert not (tmp_path / "plan.toml").exists()
