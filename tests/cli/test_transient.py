"""Time series of VTU files, by commands alone: prepare, train steps, evaluate, report, predict."""

import json

import numpy as np
import pytest

from llt.cli import main
from llt.training.settings import read_toml
from tests.heat import temperatures

pyvista = pytest.importorskip("pyvista")

SMALL = ["--set", "model.dim=8", "--set", "model.num_layers=1", "--set", "model.heads=2"]
TIMES = np.linspace(0, 0.02, 4)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Cases on meshes of different sizes, a file for every time."""
    folder = tmp_path_factory.mktemp("work")
    rng = np.random.default_rng(0)
    for i in range(6):
        mesh = pyvista.Plane(center=(0.5, 0.5, 0), i_resolution=4 + i, j_resolution=4)
        mesh = mesh.cast_to_unstructured_grid()
        (folder / "heat" / f"case{i}").mkdir(parents=True)
        for number, T in enumerate(temperatures(mesh.points[:, :2], TIMES, 1.0, 3, rng)):
            mesh.point_data["T"] = T
            mesh.save(folder / "heat" / f"case{i}" / f"t_{number}.vtu")
    return folder


def test_from_a_folder_of_time_steps_to_a_series_for_paraview(work, monkeypatch, capsys):
    monkeypatch.chdir(work)
    assert main(["prepare", "heat", "-o", "heat.h5", "--outputs", "T", "--time", "all"]) == 0
    train = ["train", "heat.h5", "--device", "cpu", *SMALL, "--set", "train.epochs=2"]
    capsys.readouterr()
    # both ways are told
    assert main([*train, "--out", "direct", "--set", "train.mode=eager"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "4 frames, each predicted from its time t; --set train.history=1 learns the step" in said
    assert main([*train, "--out", "steps", "--set", "train.history=1"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "4 frames, 1 apart; each predicted from the one before it, and rolled out" in said
    assert "train.noise=0.1" in said and "train.history=1" in said
    assert main(["inspect", "steps", "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["problem"].startswith("heat: geometry -> T")
    assert about["steps"] == "4 frames, 1 apart; each predicted from the one before it"
    # what begins with its weights goes on with steps
    assert main([*train, "--from", "steps", "--out", "again"]) == 0
    assert read_toml(work / "again" / "config.toml")["train"]["history"] == 1
    capsys.readouterr()
    assert main(["evaluate", "steps"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "rolled out over 3 frames from the first frame; one step from the true frames" in said
    assert main(["evaluate", "steps", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["times"]) == 3 and found["steps"]["one_step"] > 0
    assert main(["report", "steps"]) == 0
    assert "rollouts over time" in (work / "steps" / "report.html").read_text()
    assert main(["predict", "steps", "heat", "-o", "out"]) == 0
    reader = pyvista.PVDReader(work / "out" / "case3.pvd")
    assert reader.time_values == [0, 1, 2, 3]
    reader.set_active_time_value(3)
    mesh = reader.read()[0]
    assert mesh.n_points == 40 and {"T", "T_pred", "T_error"} <= {*mesh.point_data.keys()}
    # a new case that has its first state only
    words = ["predict", "steps", "heat/case0/t_0.vtu", "-o", "new.pvd", "--steps", "5"]
    assert main(words) == 0
    assert pyvista.PVDReader(work / "new.pvd").time_values == [0, 1, 2, 3, 4, 5]
    capsys.readouterr()
    for words, message in (
        (["predict", "direct", "heat", "-o", "no", "--steps", "2"], "has learned no steps"),
        (["predict", "steps", "heat.h5", "-o", "no.npz", "--time", "1"], "use --steps"),
        ([*train, "--out", "no", "--set", "train.history=4"], "heat has 4 frames"),
    ):
        assert main(words) == 2
        assert message in " ".join(capsys.readouterr().err.split())
    assert main(["predict", "steps", "heat.h5", "-o", "all.npz"]) == 0
    assert np.load(work / "all.npz")["times"].tolist() == [1, 2, 3]
