"""The pages of the examples: their commands run, on few cases or for a moment, as they stand."""

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

ROOT = Path(__file__).parents[1]
EXACT = ("inspect", "prepare")  # what is said of the data does not depend on the training
SHORT = ["--preset", "tiny", "--device", "cpu"]


def make_cases(example, *words):
    script = ROOT / "examples" / example / "make_cases.py"
    subprocess.run([sys.executable, script, *words], check=True)


def commands(page):
    """The commands of llt on a page, each with the lines that it is said to print."""
    text = (ROOT / "docs" / "examples" / f"{page}.md").read_text()
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
        for part in block.split("$ ")[1:]:
            line, *printed = part.splitlines()
            if line.startswith("llt "):
                yield line.split(), printed


def follow(page, capsys, *, exact=True):
    """All commands one after the other; gives what they say."""
    said = []
    for words, printed in commands(page):
        extra = SHORT if words[1] == "train" else []
        less = ["0.01" if before == "--minutes" else word for before, word in pairwise(words)]
        assert main([*less, *extra]) == 0, words
        told = capsys.readouterr()
        lines = (told.out + told.err).splitlines()
        if exact and words[1] in EXACT:
            assert printed and [line for line in lines if line in printed] == printed
        said += lines
    return "\n".join(said)


def test_own_vtu_from_a_folder_to_files_for_paraview(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_cases("own_vtu", "--num", "8")
    assert "test" in follow("own-vtu", capsys, exact=False)
    data = dataset_file.read(tmp_path / "plates.h5")
    assert data.problem.describe() == ("cases: load, poisson -> u_x, u_y, mises on a 2-D point set")
    assert data.problem.vectors == {"u": (0, 1)}
    assert len(set(data.counts)) > 1
    mises = [data.sample(i).outputs[:, 2].min() for i in range(len(data))]
    assert min(mises) > 0
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


def test_openfoam_cases_with_patches_units_and_error_bars(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_cases("openfoam")
    assert "flux:U:outlet" in follow("openfoam", capsys)
    data = dataset_file.read(tmp_path / "ducts.h5")
    assert data.problem.describe() == (
        "ducts: walls, rate, viscosity -> U_x, U_y, p on a 2-D point set"
    )
    assert [field.unit for field in data.problem.outputs] == ["m s^-1", "m s^-1", "m^2 s^-2"]
    assert len(set(data.counts)) > 1
    for sample in map(data.sample, range(3)):
        across = sample.masks["inlet"].sum()
        assert across == sample.masks["outlet"].sum() > 0
        assert sample.inputs.sum() == 2 * len(sample.points) / across  # above and below
        assert sample.points[sample.masks["outlet"], 0].min() > 0.95 * sample.points[:, 0].max()
    predicted = pyvista.read(tmp_path / "duct.vtu")
    assert {"U_pred", "p_pred", "U_bar", "p_bar"} <= {*predicted.cell_data.keys()}
    assert not {"U_error", "p_error"} & {*predicted.cell_data.keys()}  # it has yet to run
    assert predicted.n_cells == len(predicted["p_pred"]) and not predicted["U_pred"][:, 2].any()


def test_parameters_in_a_table_beside_numpy_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_cases("parameters")
    assert "parameters from new/cases.csv" in follow("parameters", capsys)
    data = dataset_file.read(tmp_path / "beams.h5")
    assert [(field.name, field.unit) for field in data.problem.parameters] == [
        ("load", "N/mm"),
        ("stiffness", "GPa"),
    ]
    with np.load(tmp_path / "heavy.npz") as heavy, np.load(tmp_path / "new/new_0.npz") as own:
        np.testing.assert_array_equal(heavy["points"], own["points"])
        assert {*heavy} == {"points", "u_pred", "stress_pred", "u_bar", "stress_bar"}
        assert heavy["u_pred"].shape == heavy["points"].shape
