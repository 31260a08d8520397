"""Weights by name, in Python and on the command line, and those that the package has."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import llt
from llt import pretrained
from llt.cli import main
from llt.errors import CheckpointError
from llt.packing import pack
from llt.pretrained import names, resolve
from llt.pretrained.card import read_card
from llt.problem import find_problem
from llt.solvers.generate import Job, make_settings, solve_one
from tests.conftest import darcy_like
from tests.pretrained.tiny import evaluated_run


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    data = replace(darcy_like(), provenance={"source": "made up"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LLT_COMMIT", "c0ffee")
        pack(evaluated_run(folder, data), folder / "home/tiny")
    return folder / "home"


@pytest.fixture
def at_home(home, monkeypatch):
    monkeypatch.setattr(pretrained, "HOME", home)
    return home


def test_names_are_folders(home, tmp_path):
    assert names(home) == ["tiny"]
    assert resolve(tmp_path / "run", home) == tmp_path / "run"
    assert resolve(Path("pretrained:tiny"), home) == home / "tiny"
    with pytest.raises(CheckpointError, match="unknown pretrained weights 'tinny'; did you mean t"):
        resolve(Path("pretrained:tinny"), home)
    with pytest.raises(CheckpointError, match="'quantum'; choose from tiny"):
        resolve(Path("pretrained:quantum"), home)
    with pytest.raises(CheckpointError, match="pretrained:tiny: there are no pretrained weights"):
        resolve(Path("pretrained:tiny"), tmp_path)


def test_python_loads_them_by_name(at_home):
    u = [
        llt.load(path).predict(darcy_like().points, darcy_like().inputs[0])
        for path in ("pretrained:tiny", at_home / "tiny")
    ]
    np.testing.assert_array_equal(*u)


def test_every_command_takes_their_name(at_home, tmp_path, capsys):
    data = at_home.parent / "set.h5"
    out = tmp_path / "out.npz"
    assert main(["predict", "pretrained:tiny", str(data), "-o", str(out), "--symmetrize"]) == 0
    with np.load(out) as archive:
        assert archive["pressure"].shape == (12, 9, 9)
    capsys.readouterr()
    assert main(["evaluate", "pretrained:tiny", "--data", str(data), "--json"]) == 0
    error = json.loads(capsys.readouterr().out)["relative_l2"]
    card = read_card(at_home / "tiny")
    assert error == pytest.approx(card.errors["relative_l2"], rel=2e-2)
    assert main(["inspect", "pretrained:tiny", "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["limits"] == card.limits
    assert about["data"]["hash"] == card.data["hash"]
    assert about["evaluation"]["relative_l2"] == card.errors["relative_l2"]
    assert main(["inspect", "pretrained:tiny"]) == 0


def test_bad_names_are_one_line(at_home, capsys):
    calls = {
        "evaluate pretrained:tinny": "unknown pretrained weights 'tinny'; did you mean tiny?",
        "inspect pretrained:": "unknown pretrained weights ''; choose from tiny",
        "evaluate pretrained:tiny": "data.json is missing; name the dataset with --data FILE",
        "pack pretrained:tiny -o x": "not a run folder",
    }
    for words, message in calls.items():
        assert main(words.split()) == 2
        err = capsys.readouterr().err
        assert message in err and err.count("\n") == 1


def remove(name):
    return lambda folder: (folder / name).unlink()


def drop_limits(folder):
    content = json.loads((folder / "card.json").read_text())
    del content["limits"]
    (folder / "card.json").write_text(json.dumps(content))


def misspell_error(folder):
    path = folder / "card.json"
    path.write_text(path.read_text().replace('"relative_l2"', '"reletive_l2"', 1))


DAMAGED = {
    "no weights": (remove("model.safetensors"), "model.safetensors: no such file"),
    "weights": (
        lambda folder: (folder / "model.safetensors").write_bytes(b"junk"),
        "model.safetensors: damaged",
    ),
    "config": (lambda folder: (folder / "config.json").write_text("{"), "config.json: not valid"),
    "card": (lambda folder: (folder / "card.json").write_text("{"), "card.json: not valid JSON"),
    "entry": (drop_limits, "card.json: missing or unknown: limits"),
    "error": (misspell_error, "card.json: errors lacks relative_l2"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_files_are_named_in_one_line(case, home, tmp_path, monkeypatch, capsys):
    damage, message = DAMAGED[case]
    damage(shutil.copytree(home / "tiny", tmp_path / "home/tiny"))
    monkeypatch.setattr(pretrained, "HOME", tmp_path / "home")
    assert main(["inspect", "pretrained:tiny"]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


def test_a_card_that_is_missing_is_named(home, tmp_path):
    with pytest.raises(CheckpointError, match=r"card.json: no such file"):
        read_card(tmp_path)


def check(folder):
    """Loads, predicts, and has a card that fits."""
    card, surrogate = read_card(folder), llt.load(folder)
    content = (folder / "model.safetensors").read_bytes()
    assert card.weights["sha256"] == hashlib.sha256(content).hexdigest()
    assert card.problem == surrogate.problem.describe()
    assert card.weights["deviation"] < card.errors["relative_l2"] / 4  # 16 bits cost no accuracy
    assert card.errors["split"] == "test" and card.errors["fields"]
    assert card.limits and card.data["provenance"] and card.training["commit"]
    text = (folder / "README.md").read_text()
    assert card.limits in text and card.data["hash"] in text
    problem, N = surrogate.problem, surrogate.problem.num_points or 50
    x = np.random.default_rng(0).random((N, problem.space_dim), np.float32)
    a = np.ones((N, problem.in_channels), np.float32)
    u = surrogate.predict(x, a, 0.5 if problem.timed else None)
    assert u.shape == (N, problem.out_channels) and np.isfinite(u).all()


def test_all_weights_of_the_package_are_complete(home):
    for folder in (home / "tiny", *(pretrained.HOME / name for name in names())):
        check(folder)


def test_all_weights_of_the_package_are_small():
    files = pretrained.HOME.glob("*/model.safetensors")
    assert sum(file.stat().st_size for file in files) < 16 * 2**20


@pytest.mark.parametrize("name", ["airfoil", "darcy", "elasticity", "pipe", "plasticity"])
def test_weights_of_the_package_know_new_samples(name):
    """A sample of a seed that nobody has trained on."""
    problem, surrogate = find_problem(name), llt.load(f"pretrained:{name}")
    words = {"stored_resolution": 85} if name == "darcy" else {}
    solved = solve_one(Job.of(name, 4321, make_settings(name, words)), 0)
    a = (
        np.stack([solved.inputs[key] for key in problem.input_names], -1)
        if problem.inputs
        else None
    )
    expected = np.stack([solved.outputs[key] for key in problem.output_names], -1)
    u = surrogate.predict(solved.points, a, solved.times)
    error = np.linalg.norm(u - expected) / np.linalg.norm(expected)
    assert error < 1.5 * read_card(pretrained.HOME / name).errors["worst"]
