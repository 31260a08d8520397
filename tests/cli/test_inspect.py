"""What `llt inspect` says about a dataset file."""

import json
from pathlib import Path

from llt.cli import main
from llt.data import dataset_file
from llt.data.dataset import Dataset
from tests.data.kinds import flow


def test_fields_units_masks_and_numbers(tmp_path, capsys, monkeypatch):
    data = flow((5, 7, 4, 9, 6), times=3)
    dataset_file.write(tmp_path / "flow.h5", data)
    monkeypatch.setattr(Dataset, "load", None)  # the file may be larger than memory
    assert main(["inspect", str(tmp_path / "flow.h5"), "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    samples = [data.sample(i) for i in range(5)]
    surface = [s.outputs[:, s.masks["surface"], 0] for s in samples]
    low, high = min(z.min() for z in surface), max(z.max() for z in surface)
    assert about["output pressure"] == f"{low:.4g} to {high:.4g} Pa on surface"
    speed = data.parameters[:, 0]
    assert about["parameter speed"] == f"{speed.min():.4g} to {speed.max():.4g} m/s"
    assert about["derived drag"].endswith(f"{data.derived.max():.4g}")
    share = sum(s.masks["surface"].sum() for s in samples) / 31
    assert about["mask surface"] == f"{share:.1%} of the points"
    assert about["version"] == 2
    assert about["times"] == "3, 0 to 2"
    assert about["hash"] == data.hash


def test_numbers_are_for_people_and_whole_in_json(capsys):
    assert main(["inspect", "pretrained:darcy", "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    error = about["weights"]["val_error"]
    assert main(["inspect", "pretrained:darcy"]) == 0
    out = capsys.readouterr().out
    assert f"epoch 196, val_error {error:.6g}\n" in out and str(error) not in out


def test_files_of_version_1(capsys):
    path = Path(__file__).parents[1] / "data" / "version1.h5"
    assert main(["inspect", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == 1
