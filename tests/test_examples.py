"""The examples run, smaller than they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyvista")

from llt.cli import main
from llt.data import dataset_file

EXAMPLES = Path(__file__).parents[1] / "examples"
SHORT = ["--preset", "tiny", "--set", "train.steps=2", "--device", "cpu"]


def commands(example):
    """The lines of its README that begin with llt."""
    text = (EXAMPLES / example / "README.md").read_text()
    block = re.findall(r"```\n(.*?)```", text, flags=re.DOTALL)[0]
    return [line.split() for line in block.splitlines() if line.startswith("llt ")]


def test_own_vtu_from_a_folder_to_an_evaluated_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    script = EXAMPLES / "own_vtu" / "make_cases.py"
    subprocess.run([sys.executable, script, "--num", "8"], check=True)
    for words in commands("own_vtu"):
        extra = SHORT if words[1] == "train" else []
        assert main([*words[1:], *extra]) == 0, words
    data = dataset_file.read(tmp_path / "plates.h5")
    assert data.problem.describe() == ("cases: load, poisson -> u_x, u_y, mises on a 2-D point set")
    assert data.problem.vectors == {"u": (0, 1)}
    assert len(set(data.counts)) > 1
    mises = [data.sample(i).outputs[:, 2].min() for i in range(len(data))]
    assert min(mises) > 0
    assert "test" in capsys.readouterr().out
