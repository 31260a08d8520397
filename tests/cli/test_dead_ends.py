"""Work that has been done is shown; what cannot be kept is refused before it is done."""

import json
import shutil
from dataclasses import replace

import h5py
import numpy as np
import pytest

import llt
from llt.cli import main
from llt.data import dataset_file
from llt.problem import Problem
from llt.solvers import generate
from llt.surrogate import Surrogate
from tests.conftest import geometry_only

SMALL = ["--set", "resolution=17", "--set", "stored_resolution=9", "--workers", "1", "--num", "3"]
TINY = ["model.dim=8", "model.num_layers=1", "model.heads=2", "train.epochs=1"]


@pytest.mark.parametrize("json_", [True, False])
def test_an_evaluation_that_cannot_be_kept_is_shown(darcy_file, tmp_path, capfd, json_):
    run = tmp_path / "run"
    settings = [word for setting in TINY for word in ("--set", setting)]
    assert main(["train", str(darcy_file), "--out", str(run), *settings]) == 0
    (run / "evaluation.json").mkdir()  # which no file can replace, whoever runs this test
    capfd.readouterr()
    with pytest.warns(UserWarning, match=r"evaluation.json: Is a directory; .* are not kept$"):
        assert main(["evaluate", str(run), *(["--json"] if json_ else [])]) == 0
    out = capfd.readouterr().out
    if json_:
        assert json.loads(out)["relative_l2"] > 0
    else:
        assert "relative L2" in out


@pytest.mark.parametrize("place", ["n" * 249, "file/a.h5", "/proc/a.h5"])
@pytest.mark.parametrize("command", ["generate", "predict"])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    tmp_path, capsys, monkeypatch, command, place
):
    def work(*args, **kwargs):
        raise AssertionError("the work was begun")

    monkeypatch.setattr(generate, "solve_one", work)
    monkeypatch.setattr("llt.surrogate.load", work)
    (tmp_path / "file").touch()
    out = str(tmp_path / place)
    words = ["darcy", *SMALL, "--force"] if command == "generate" else ["run", "x.npz"]
    assert main([command, *words, "-o", out]) == 1
    assert out.removesuffix("/a.h5") in (err := capsys.readouterr().err)
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "command",
    [
        ["predict", "pretrained:darcy", "x.npz", "-o", "out.xyz"],
        ["evaluate", "pretrained:darcy", "--samples", "-3"],
        ["demo", "--epochs", "0"],
    ],
    ids=lambda command: command[0],
)
def test_what_cannot_be_is_refused_before_the_work(tmp_path, capsys, monkeypatch, command):
    def work(*args, **kwargs):
        raise AssertionError("the work was begun")

    monkeypatch.chdir(tmp_path)
    for begun in ("read_arrays", "write_arrays"):
        monkeypatch.setattr(f"llt.data.arrays.{begun}", work)
    for begun in ("llt.evaluation.evaluate", "llt.generation.generate_file"):
        monkeypatch.setattr(begun, work)
    assert main(command) == 2
    assert (err := capsys.readouterr().err).count("\n") == 1
    assert command[-1] in err or command[-2] in err
    assert not [*tmp_path.iterdir()]


def test_a_job_that_was_stopped_at_its_very_end_is_done(tmp_path, capsys, monkeypatch):
    out, parts = tmp_path / "a.h5", tmp_path / "a.h5.parts"
    command = ["generate", "darcy", "-o", str(out), *SMALL]
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *args, **kwargs: None)
        assert main(command) == 0
    assert parts.is_dir()
    before = out.read_bytes()
    assert main([*command, "--resume"]) == 0
    assert out.read_bytes() == before
    assert not parts.exists()
    for other in (["--seed", "1"], ["--num", "4"], ["--set", "tau=4.0"]):
        assert main([*command, "--resume", *other]) == 2
        assert "a.h5: already exists" in capsys.readouterr().err
    out.write_bytes(b"something else")
    assert main([*command, "--resume"]) == 2
    assert "a.h5: already exists" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["points", "offsets", "times"])
def test_fields_are_not_called_as_what_stands_beside_them(tmp_path, name):
    x, u = np.random.rand(6, 2), np.random.rand(5, 6)
    message = f"a field cannot be called '{name}'; choose another name"
    for inputs, outputs in (({}, {name: u}), ({name: u}, {"u": u})):
        with pytest.raises(llt.LltError, match=message):
            llt.Dataset.from_arrays("mine", points=x, inputs=inputs, outputs=outputs)
    data = geometry_only()
    named = replace(data.problem, outputs=(name,))
    with pytest.raises(llt.LltError, match=message):
        dataset_file.write(tmp_path / "set.h5", replace(data, problem=named))
    with h5py.File(tmp_path / "own.h5", "w") as file:
        file["points"], file[f"outputs/{name}"] = x, u
    with pytest.raises(llt.LltError, match=message):
        llt.open(tmp_path / "own.h5")


@pytest.mark.parametrize("name", ["points", "offsets"])
def test_older_files_with_such_names_open_but_predict_overwrites_nothing(name):
    from llt.models import build_model
    from llt.predict import predict_arrays

    data = geometry_only()
    problem = replace(data.problem, outputs=(name,))
    assert Problem.from_dict(problem.to_dict()) == problem
    data = replace(data, problem=problem)
    surrogate = Surrogate.fit(build_model("llt", problem, dim=8, num_layers=1, heads=2), data)
    with pytest.raises(llt.LltError, match=f"the output '{name}' would take the place"):
        predict_arrays(surrogate, {"points": data.sample(0).points})
