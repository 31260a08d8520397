"""Files of surrogates that run without llt."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from llt.cli import main
from llt.data.frames import Frames
from llt.errors import ConfigError
from llt.export import EXAMPLE, Whole, describe, export, inputs
from llt.models import build_model
from llt.surrogate import Surrogate
from tests.conftest import darcy_like, geometry_only, ragged
from tests.data.kinds import bare_grid, timed

DOCS = Path(__file__).parents[1] / "docs"
KINDS = {
    "grid": (darcy_like, {}),
    "curved grid": (bare_grid, {}),
    "timed": (timed, {"mean_field": True}),
    "points": (ragged, {}),
    "points alone": (geometry_only, {}),
}


def surrogate_of(kind, model="llt", **sizes):
    data, settings = KINDS[kind]
    data = data()
    torch.manual_seed(0)
    sizes = sizes or {"dim": 8, "num_layers": 2, "heads": 2}
    return Surrogate.fit(build_model(model, data.problem, **sizes), data, **settings)


@pytest.mark.parametrize("kind", KINDS)
def test_pt2_says_what_the_surrogate_says(kind, tmp_path):
    surrogate = surrogate_of(kind)
    made = export(surrogate, tmp_path / "model.pt2")
    assert max(made.differences) < 1e-5
    assert len(made.differences) == 3
    extra = {"llt.json": ""}
    with made.path.open("rb") as file:
        loaded = torch.export.load(file, extra_files=extra).module()
    assert json.loads(extra["llt.json"]) == made.about == describe(surrogate)
    given = inputs(surrogate, (14, 9, 8), cases=3)  # three cases, another size
    with torch.no_grad():
        expected = Whole(surrogate)(*given)
        torch.testing.assert_close(loaded(*given), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["grid", "points"])
def test_what_is_exported_is_the_prediction(kind):
    surrogate = surrogate_of(kind)
    x, a, *_ = given = inputs(surrogate, EXAMPLE)
    expected = surrogate.predict(x[0].numpy(), a[0].numpy(), check=False)
    with torch.no_grad():
        found = Whole(surrogate)(*given)[0].numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["grid", "points"])
def test_onnx_says_what_the_surrogate_says(kind, tmp_path):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    surrogate = surrogate_of(kind, dim=8, num_layers=1, heads=2)
    made = export(surrogate, tmp_path / "model.onnx")
    assert max(made.differences) < 1e-5
    properties = {p.key: p.value for p in onnx.load(made.path).metadata_props}
    assert json.loads(properties["llt"]) == made.about


ALONE = """
import sys
sys.modules["llt"] = None  # as where it is not installed
import numpy as np, torch
path, points = sys.argv[1:]
x, a = torch.from_numpy(np.load(points)["x"]), torch.from_numpy(np.load(points)["a"])
if path.endswith("pt2"):
    u = torch.export.load(path).module()(x, a).detach().numpy()
else:
    import onnxruntime
    u = onnxruntime.InferenceSession(path).run(None, {"x": x.numpy(), "a": a.numpy()})[0]
np.save(path + ".npy", u)
"""


@pytest.mark.parametrize("suffix", ["pt2", "onnx"])
def test_files_are_read_where_llt_is_not(suffix, tmp_path):
    if suffix == "onnx":
        pytest.importorskip("onnxruntime")
    surrogate = surrogate_of("grid", dim=8, num_layers=1, heads=2)
    path = export(surrogate, tmp_path / f"model.{suffix}").path
    x, a = given = inputs(surrogate, (15, 12, 1))
    np.savez(tmp_path / "points.npz", x=x.numpy(), a=a.numpy())
    words = [sys.executable, "-c", ALONE, str(path), str(tmp_path / "points.npz")]
    subprocess.run(words, check=True, capture_output=True)
    with torch.no_grad():
        expected = Whole(surrogate)(*given).numpy()
    found = np.load(f"{path}.npy")
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()


def test_the_program_of_the_docs_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    surrogate = surrogate_of("points alone", dim=8, num_layers=1, heads=2)
    export(surrogate, tmp_path / "mine.onnx")
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "export.md").read_text(), flags=re.DOTALL)
    scope: dict = {}
    exec(code, scope)
    expected = surrogate.predict(scope["x"], check=False)
    assert np.abs(scope["u"][0] - expected).max() < 1e-5 * np.abs(expected).max()


def test_what_cannot_be_exported_is_said(tmp_path, monkeypatch):
    surrogate = surrogate_of("grid")
    with pytest.raises(ConfigError, match="unknown format 'h5'; choose from: pt2, onnx"):
        export(surrogate, tmp_path / "model.h5")
    steps = replace(surrogate, frames=Frames(1, timed().problem, (0.0, 1.0)))
    with pytest.raises(ConfigError, match="from frame to frame cannot be exported"):
        export(steps, tmp_path / "model.pt2")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ConfigError, match=r"ONNX needs onnxruntime: pip install 'llt\[export\]'"):
        export(surrogate, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_a_model_that_torch_cannot_trace_is_named(tmp_path, monkeypatch):
    surrogate = surrogate_of("grid")

    def forward(x, a, **mesh):
        return a * int(x.sum())

    monkeypatch.setattr(surrogate.model, "forward", forward)
    with pytest.raises(ConfigError, match=r"^llt cannot be exported: .+$"):
        export(surrogate, tmp_path / "model.pt2")


def test_command(tmp_path, capsys):
    run = tmp_path / "run"
    surrogate_of("points alone").save(run / "best", epoch=1, val_error=0.1)
    out = tmp_path / "model.pt2"
    assert main(["export", str(run / "best"), "-o", str(out)]) == 0
    assert "asks for x, neighbors; at three sizes" in capsys.readouterr().err
    assert main(["export", str(run / "best"), "-o", str(out)]) == 2
    assert "already exists" in capsys.readouterr().err
