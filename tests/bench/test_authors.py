"""Transolver's authors' code, measured from a checkout; a stand-in of the same form serves here."""

from dataclasses import replace

import pytest
import torch

from llt.bench.authors import NAME, build_authors, checkout, fingerprint
from llt.bench.case import problem_case
from llt.bench.comparison import compare
from llt.bench.cost import ExecutionMode, measure, measure_cases
from llt.errors import ConfigError
from llt.problem import find_problem
from tests.bench.sizes import QUICK, row, tiny

MODEL = """
import torch
from einops import rearrange, repeat
from timm.models.layers import trunc_normal_


class Model(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.settings = settings
        inside = settings["space_dim"] + settings["fun_dim"]
        self.map = torch.nn.Linear(inside, settings["out_dim"])
        trunc_normal_(self.map.weight)

    def forward(self, x, fx, T=None):
        self.seen = fx, T
        z = x if fx is None else torch.cat((x, fx), -1)
        heads = torch.stack((z[..., :1], z[..., 1:2]), 1)
        return self.map(torch.cat((rearrange(heads, "b h n d -> b n (h d)"), z[..., 2:]), -1))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    import sys

    models = tmp_path / "PDE-Solving-StandardBenchmark" / "model"
    models.mkdir(parents=True)
    for name in ("Physics_Attention", "Transolver_Irregular_Mesh", "Transolver_Structured_Mesh_2D"):
        (models / f"{name}.py").write_text(MODEL)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    imported = ("model", "timm", "einops")
    for name in [name for name in sys.modules if name.partition(".")[0] in imported]:
        del sys.modules[name]


def test_their_network_has_the_settings_of_ours(folder):
    settings = {"dim": 64, "reference_points": 8}
    network = build_authors(folder, find_problem("darcy"), settings).network
    assert network.settings == {
        "space_dim": 2,
        "n_layers": 8,
        "n_hidden": 64,
        "n_head": 8,
        "Time_Input": False,
        "mlp_ratio": 1,
        "fun_dim": 1,
        "out_dim": 1,
        "slice_num": 64,
        "ref": 8,
        "unified_pos": True,
        "H": 85,
        "W": 85,
    }


@pytest.mark.parametrize("name", ["elasticity", "plasticity"])
def test_it_is_asked_as_its_authors_ask_it(folder, name):
    problem = find_problem(name)
    model = build_authors(folder, problem, {})
    x, a = torch.rand(3, 5, 2), torch.rand(3, 5, problem.in_channels)
    t = torch.rand(3) if problem.timed else None
    assert model(x, a, t=t).shape == (3, 5, problem.out_channels)
    fields, time = model.network.seen
    assert (fields is None) == (problem.in_channels == 0)
    assert (time is None) if t is None else time.shape == (3, 1)


def test_it_is_measured_beside_ours_and_the_faster_counts(folder):
    protocol = replace(QUICK, authors=checkout(folder))
    rows = measure_cases([tiny()], protocol, lambda row: None)
    assert [(r.model, r.reason) for r in rows] == [
        ("llt", None),
        ("transolver", None),
        (NAME, None),
    ]
    assert protocol.to_dict()["authors"] == fingerprint(folder)
    rows = [
        row(ms=1.0),
        row(model="transolver", ms=4.0),
        row(model=NAME, ms=3.0),
    ]
    best = compare(rows)[-1].to_dict()
    assert (best["way"], best["speedup"], best["transolver_code"]) == ("best", 3.0, NAME)


def test_it_compiles_whole(folder):
    model = build_authors(folder, find_problem("elasticity"), {})
    x, a = torch.rand(3, 5, 2), torch.rand(3, 5, 0)
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(x, a), model(x, a))
    torch.compiler.reset()


def test_real_sizes_fit(folder):
    protocol = replace(QUICK, authors=checkout(folder), warmup=0, repetitions=1)
    case = replace(problem_case("elasticity"), num_points=30)
    assert measure(case, NAME, ExecutionMode("eager"), protocol).reason is None


def test_other_code_has_another_fingerprint(folder):
    before = fingerprint(folder)
    file = folder / "PDE-Solving-StandardBenchmark" / "model" / "Transolver_Irregular_Mesh.py"
    file.write_text(MODEL + "\n")
    assert fingerprint(folder) != before


def test_a_folder_without_their_code_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"no checkout of github\.com/thuml/Transolver"):
        checkout(tmp_path)
