"""The examples run, smaller than they stand."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from llt.cli import main
from llt.data import dataset_file

pyvista = pytest.importorskip("pyvista")

EXAMPLES = Path(__file__).parents[1] / "examples"
SHORT = ["--preset", "tiny", "--device", "cpu"]


def commands(example):
    """The lines of its README that begin with llt."""
    text = (EXAMPLES / example / "README.md").read_text()
    block = re.findall(r"```\n(.*?)```", text, flags=re.DOTALL)[0]
    return [line.split() for line in block.splitlines() if line.startswith("llt ")]


def test_own_vtu_from_a_folder_to_files_for_paraview(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    script = EXAMPLES / "own_vtu" / "make_cases.py"
    subprocess.run([sys.executable, script, "--num", "8"], check=True)
    for words in commands("own_vtu"):
        extra = SHORT if words[1] == "train" else []
        less = ["0.01" if before == "--minutes" else word for before, word in pairwise(words)]
        assert main([*less, *extra]) == 0, words
    data = dataset_file.read(tmp_path / "plates.h5")
    assert data.problem.describe() == ("cases: load, poisson -> u_x, u_y, mises on a 2-D point set")
    assert data.problem.vectors == {"u": (0, 1)}
    assert len(set(data.counts)) > 1
    mises = [data.sample(i).outputs[:, 2].min() for i in range(len(data))]
    assert min(mises) > 0
    assert "test" in capsys.readouterr().out
    check_plate(tmp_path / "new" / "plate.vtu", tmp_path / "plate.vtu", {"u_pred", "mises_pred"})
    files = sorted((tmp_path / "predicted").iterdir())
    assert [file.stem for file in files] == [f"plate_{i}" for i in range(8)]
    added = {"u_pred", "mises_pred", "u_error", "mises_error"}
    for file in files:
        check_plate(tmp_path / "cases" / file.name, file, added)


def check_plate(own, out, added):
    """The same points, cells and arrays, and those that were added."""
    before, after = pyvista.read(own), pyvista.read(out)
    np.testing.assert_array_equal(after.points, before.points)
    np.testing.assert_array_equal(after.cells, before.cells)
    assert {*after.array_names} == {*before.array_names, *added}
    for name in before.array_names:
        np.testing.assert_array_equal(after[name], before[name])
    assert after["u_pred"].shape == (after.n_points, 3) and not after["u_pred"][:, 2].any()
    assert np.isfinite(after["mises_pred"]).all()
