"""The commands as a user types them, from nothing to a report; and what bad input says."""

import json
import os
import signal
import subprocess
import sys

import h5py
import numpy as np
import pytest

from llt.cli import main

SETTINGS = ["--set", "resolution=25", "--set", "stored_resolution=13"]
TINY = ["--set", "model.dim=8", "--set", "model.num_layers=1", "--set", "train.epochs=3"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def data(folder):
    path = folder / "darcy.h5"
    assert (
        main(["generate", "darcy", "-o", str(path), "--num", "8,2,4", "--workers", "1", *SETTINGS])
        == 0
    )
    return path


@pytest.fixture(scope="module")
def run(folder, data):
    path = folder / "run"
    assert main(["train", str(data), "--out", str(path), "--device", "cpu", *TINY]) == 0
    return path


def test_generate_leaves_one_file_with_provenance(data):
    assert [p.name for p in data.parent.glob("darcy.h5*")] == ["darcy.h5"]
    with h5py.File(data) as f:
        assert f["outputs/pressure"].shape == (14, 13, 13)
        about = json.loads(f.attrs["provenance"])
    assert about["source"] == "generated"
    assert about["seed"] == 0
    assert about["settings"]["resolution"] == 25


def test_generate_one_number_is_split(folder):
    path = folder / "split.h5"
    assert (
        main(["generate", "darcy", "-o", str(path), "--num", "14", "--workers", "1", *SETTINGS])
        == 0
    )
    with h5py.File(path) as f:
        assert [len(f[f"splits/{k}"]) for k in ("train", "val", "test")] == [10, 2, 2]


def test_evaluate_json_is_one_object(run, capsys):
    assert main(["evaluate", str(run), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["split"] == "test"
    assert len(result["per_sample"]) == 4
    assert result["relative_l2"] == pytest.approx(np.mean(result["per_sample"]))
    assert result["seconds_per_sample"] > 0


def test_evaluate_at_other_resolutions(run, capsys):
    args = ["evaluate", str(run), "--json", "--resolutions", "7,13,25", "--samples", "4"]
    assert main(args) == 0
    result = json.loads(capsys.readouterr().out)
    rows = {row["resolution"]: row["relative_l2"] for row in result["resolutions"]}
    assert rows.keys() == {7, 13, 25}
    # the samples are solved again from their seeds: at the training resolution, the same error
    assert rows[13] == pytest.approx(result["relative_l2"], rel=1e-4)


def test_evaluate_another_file_of_the_problem(run, data, capsys):
    assert main(["evaluate", str(run), "--json", "--data", str(data), "--split", "val"]) == 0
    assert json.loads(capsys.readouterr().out)["split"] == "val"


def test_report_is_self_contained(run, capsys):
    assert main(["report", str(run)]) == 0
    page = (run / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 5
    assert "http" not in page.replace("http-equiv", "")
    for word in ("Best case", "Worst case", "config.toml", "smallest validation error", "seed 0"):
        assert word in page


def test_inspect_file_and_run(data, run, capsys):
    assert main(["inspect", str(data)]) == 0
    assert "permeability -> pressure on a 2-D 13x13" in capsys.readouterr().out
    assert main(["inspect", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "llt"


@pytest.mark.parametrize("kinds", [("npz", "h5"), ("h5", "npz")], ids="-to-".join)
def test_predict_npz_and_hdf5(run, data, folder, kinds, capsys):
    source, target = (folder / f"{kinds[0]}.{kind}" for kind in kinds)
    with h5py.File(data) as f:
        a, points = f["inputs/permeability"][:3], f["points"][()]
    if kinds[0] == "npz":
        np.savez(source, permeability=a, points=points)
    else:
        with h5py.File(source, "w") as f:
            f["inputs/permeability"], f["points"] = a, points
    assert main(["predict", str(run), str(source), "-o", str(target), "--force"]) == 0
    if kinds[1] == "npz":
        with np.load(target) as archive:
            pressure = archive["pressure"]
    else:
        with h5py.File(target) as f:
            pressure = f["pressure"][()]
    assert pressure.shape == (3, 13, 13)
    assert np.isfinite(pressure).all()


def test_predict_takes_a_dataset_file(run, data, folder):
    assert main(["predict", str(run), str(data), "-o", str(folder / "all.npz")]) == 0
    with np.load(folder / "all.npz") as archive:
        assert archive["pressure"].shape == (14, 13, 13)


def test_doctor_is_healthy(capsys):
    assert main(["doctor", "--json"]) == 0
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert set(checks.values()) == {"ok"}


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == "0.1.0"


def test_import_published_files(folder, capsys):
    from tests.data.test_published import DARCY_FILES, fields, savemat

    for name in DARCY_FILES:
        savemat(folder / name, fields(30, 0))
    out = folder / "published.h5"
    args = ["import", "darcy", str(folder), "-o", str(out), "--set", "resolution=5"]
    assert main(args) == 0
    assert "sha256" in capsys.readouterr().err


def test_interrupted_training_says_how_to_go_on(folder, data):
    """SIGTERM from outside: the state is saved, the message names the next command."""
    out = folder / "stopped"
    command = [sys.executable, "-m", "llt.cli", "train", str(data), "--out", str(out), *TINY,
               "--set", "train.epochs=100000", "--device", "cpu"]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not (out / "metrics.jsonl").exists() and process.poll() is None:
        pass
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert f"go on with: llt train --resume {out}" in err
    assert (out / "state.safetensors").is_file()


def bad_calls(folder, data, run):
    text = folder / "text.h5"
    text.write_text("no")
    wrong = folder / "wrong.npz"
    np.savez(wrong, conductivity=np.ones((13, 13)))
    return {
        "missing file": (["train", "none.h5"], "none.h5: no such file"),
        "not hdf5": (["train", str(text)], "text.h5: not an HDF5 file or damaged"),
        "no file": (["train"], "give a dataset file, or --resume RUN"),
        "unknown model": (
            ["train", str(data), "--model", "ltl", "--out", str(folder / "x")],
            "unknown model 'ltl'",
        ),
        "unknown preset": (
            ["train", str(data), "--preset", "darcyy"],
            "unknown preset 'darcyy'; did you mean darcy",
        ),
        "unknown setting": (
            ["train", str(data), "--set", "train.epoch=3", "--out", str(folder / "x")],
            "did you mean epochs",
        ),
        "model setting": (
            ["train", str(data), "--set", "model.dims=3", "--out", str(folder / "x")],
            "did you mean dim",
        ),
        "unknown option": (["train", str(data), "--devise", "cpu"], "No such option: --devise"),
        "unknown command": (["trian"], "Did you mean 'train'"),
        "unknown device": (
            ["train", str(data), "--device", "gpu", "--out", str(folder / "x")],
            "unknown device 'gpu'",
        ),
        "existing run": (["train", str(data), "--out", str(run), *TINY], "already exists"),
        "existing file": (["generate", "darcy", "-o", str(data)], "already exists"),
        "unknown problem": (["generate", "darci", "-o", "x.h5"], "did you mean darcy"),
        "bad number": (["generate", "darcy", "-o", "x.h5", "--num", "many"], "--num many"),
        "bad solver setting": (
            ["generate", "darcy", "-o", "x.h5", "--set", "resolution=1"],
            "resolution=1",
        ),
        "no run": (["evaluate", "nowhere"], "nowhere: no such run or checkpoint"),
        "bad split": (["evaluate", str(run), "--split", "tst"], "did you mean test"),
        "bad resolution": (["evaluate", str(run), "--resolutions", "8"], "choose from"),
        "wrong field": (
            ["predict", str(run), str(wrong), "-o", str(folder / "p.npz")],
            "unknown field 'permeability'",
        ),
        "no such folder": (["import", "darcy", "nowhere", "-o", "x.h5"], "nowhere: no such folder"),
        "resume nothing": (["train", "--resume", str(folder)], "not a run folder"),
        "nothing to inspect": (["inspect", "nowhere"], "nowhere: no such file or folder"),
    }


def test_bad_input_is_one_line_and_exit_code_2(folder, data, run, capsys):
    for case, (args, message) in bad_calls(folder, data, run).items():
        capsys.readouterr()
        assert main(args) == 2, case
        out, err = capsys.readouterr()
        assert err.startswith("llt: "), case
        assert message in err, (case, err)
        assert err.count("\n") == 1, (case, err)
        assert out == "", case


def test_checkpoint_of_another_problem(run, folder, capsys, ragged_data):
    from llt.data import file

    file.write(folder / "other.h5", ragged_data)
    assert main(["evaluate", str(run), "--data", str(folder / "other.h5")]) == 2
    assert "was trained on darcy: permeability -> pressure" in capsys.readouterr().err


def test_unwritable_folder_is_exit_code_1(folder, data, capsys):
    """A file stands where a folder is needed: nothing can be written below it."""
    blocker = folder / "blocker"
    blocker.write_text("here")
    assert main(["train", str(data), "--out", str(blocker / "run"), "--device", "cpu", *TINY]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Not a directory" in err
    assert blocker.read_text() == "here"


def test_full_disk_is_exit_code_1_and_loses_nothing(run, data, folder, capsys):
    """/dev/full refuses every byte, as a full disk does."""
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("no /dev/full here")
    from llt import files

    before = (run / "report.html").read_bytes() if (run / "report.html").exists() else None

    def to_full_disk(path, text):
        with open("/dev/full", "w") as file:  # noqa: PTH123
            file.write(text)

    original = files.write_text
    try:
        import llt.evaluate.report as report

        report.write_text = to_full_disk
        assert main(["report", str(run)]) == 1
    finally:
        report.write_text = original
    assert "No space left on device" in capsys.readouterr().err
    if before is not None:
        assert (run / "report.html").read_bytes() == before
