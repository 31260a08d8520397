"""A run becomes small weights whose card says what they are."""

import hashlib
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import llt
from llt.checkpoint import read_weights
from llt.cli import main
from llt.data import dataset_file
from llt.errors import CheckpointError, ConfigError
from llt.evaluation.metrics import question
from llt.packing import in_16_bits, pack
from llt.pretrained.card import read_card
from llt.runtime.checked import write_checked
from llt.surrogate import MEAN_FIELD, MESH
from tests.conftest import darcy_like, ragged
from tests.data.kinds import timed
from tests.pretrained.tiny import evaluated_run

GENERATED = {"source": "generated", "solver": "darcy", "solver_version": 2, "seed": 7}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    data = replace(darcy_like(), provenance=GENERATED | {"environment": {"device": "abacus"}})
    return evaluated_run(tmp_path_factory.mktemp("darcy"), data)


@pytest.fixture(scope="module")
def packed(run):
    card = pack(run, run.parent / "packed")
    return run.parent / "packed", card


@pytest.fixture
def copy(run, tmp_path):
    """Of the run, to be damaged."""
    return shutil.copytree(run, tmp_path / "copy")


def test_weights_are_in_16_bits_and_load_as_float32(run, packed):
    stored = load_file(packed[0] / "model.safetensors")
    exact = [stored.pop(name) for name in (MESH, MEAN_FIELD)]  # deviations may be amplified
    assert {values.dtype for values in exact} == {torch.float32}
    assert {values.dtype for values in stored.values()} <= {torch.half, torch.bfloat16}
    surrogate, own = llt.load(packed[0]), llt.load(run)
    assert {p.dtype for p in surrogate.model.parameters()} == {torch.float32}
    pairs = zip(surrogate.model.parameters(), own.model.parameters(), strict=True)
    for parameter, before in pairs:
        torch.testing.assert_close(parameter, before, rtol=2**-8, atol=1e-6)
    sizes = [(f / "model.safetensors").stat().st_size for f in (packed[0], run / "best")]
    assert sizes[0] < 0.65 * sizes[1]


def test_the_better_of_two_types_is_taken():
    assert in_16_bits(torch.tensor([1.0, 1 + 2**-10])).dtype == torch.float16
    assert in_16_bits(torch.tensor([1e5, 1.0])).dtype == torch.bfloat16  # too large for float16
    assert in_16_bits(torch.tensor([1e-9, 2e-9])).dtype == torch.bfloat16  # too small
    assert in_16_bits(torch.zeros(3)).dtype == torch.float16


def test_the_card_says_what_the_weights_are(run, packed):
    folder, card = packed
    assert read_card(folder) == card
    kept = json.loads((run / "evaluation.json").read_text())
    for name in ("split", "relative_l2", "worst", "mean_field_error", "fields", "symmetrized"):
        assert card.errors[name] == kept[name]
    assert card.errors["symmetrized"]["symmetries"] == 8
    assert card.data["hash"] == kept["data_hash"] and card.data["split_hash"] == kept["split_hash"]
    assert card.data["splits"] == {"train": 8, "val": 2, "test": 2}
    assert card.data["provenance"] == GENERATED
    assert card.training["recipe"] is None
    assert (card.training["seed"], card.training["epochs"]) == (3, 2)
    assert card.training["best_epoch"] == read_weights(run / "best")[1]["epoch"]
    env = json.loads((run / "env.json").read_text())
    for name in ("device", "commit", "llt", "date"):
        assert card.training[name] == env[name]
    assert card.parameters == sum(p.numel() for p in llt.load(run).model.parameters())
    content = (folder / "model.safetensors").read_bytes()
    assert card.weights["sha256"] == hashlib.sha256(content).hexdigest()
    assert sum(card.weights["types"].values()) == len(load_file(folder / "model.safetensors"))
    assert "regenerated data (darcy solver, version 2, seed 7)" in card.limits
    assert "8 samples" in card.limits and "not valid outside" in card.limits
    text = (folder / "README.md").read_text()
    for word in (card.limits, card.data["hash"], "seed 3, 2 epochs", card.problem):
        assert word in text


def test_the_command_says_what_it_wrote(run, tmp_path, capsys):
    out = tmp_path / "packed"
    assert main(["pack", str(run), "-o", str(out), "--limits", "for tests only"]) == 0
    card = read_card(out)
    assert card.limits == "for tests only"
    assert f"{card.weights['deviation']:.1e} from the run's predictions" in capsys.readouterr().err
    assert main(["pack", str(run), "-o", str(out)]) == 2
    assert "already exists; choose another -o" in capsys.readouterr().err


def test_the_deviation_is_that_of_predictions(run, packed):
    data, found = darcy_like(), []
    for sample in map(data.sample, data.split("test")):
        u, other = (llt.load(f).predict(*question(data, sample)) for f in (run, packed[0]))
        found.append(np.linalg.norm(other - u) / np.linalg.norm(u))
    assert packed[1].weights["deviation"] == pytest.approx(np.mean(found), rel=1e-3)
    assert packed[1].weights["samples"] == 2
    assert 0 < packed[1].weights["deviation"] < 5e-3


@pytest.mark.parametrize("kind", [ragged, timed])
def test_every_kind_of_data_is_packed(kind, tmp_path):
    run = evaluated_run(tmp_path, kind())
    card = pack(run, tmp_path / "packed", limits="for tests only")
    assert card.limits == "for tests only"
    assert bool(card.errors["symmetrized"]) == bool(kind().problem.symmetries)
    assert 0 < card.weights["deviation"] < 1e-2
    assert llt.load(tmp_path / "packed").problem == kind().problem


def test_the_recipe_is_named_where_the_run_names_it(copy, tmp_path):
    config = copy / "config.toml"
    config.write_text('recipe = "best"\n' + config.read_text())
    assert pack(copy, tmp_path / "packed").training["recipe"] == "best"
    assert "recipe best" in (tmp_path / "packed/README.md").read_text()


def lose(name):
    return lambda run: (run / name).unlink()


def change(name, **values):
    def edit(run):
        path = run / name
        write_checked(path, json.loads(path.read_text()) | values)

    return edit


BAD = {
    "no run": (lose("config.toml"), "copy: not a run folder, config.toml is missing"),
    "interrupted": (
        lambda run: (run / "state.safetensors").write_bytes(b""),
        "copy: training is not complete; llt train --resume",
    ),
    "not evaluated": (lose("evaluation.json"), "copy: not evaluated yet; llt evaluate"),
    "other weights": (
        change("evaluation.json", checkpoint={"epoch": 9}),
        "copy: evaluation.json is of other weights; llt evaluate",
    ),
    "no weights": (lose("best/model.safetensors"), "model.safetensors: no such file"),
    "data unknown": (change("data.json", splits=3), "data.json: damaged or cannot be read"),
    "no seed": (
        lambda run: (run / "config.toml").write_text(
            (run / "config.toml").read_text().replace("seed =", "sead =")
        ),
        "config.toml: damaged or cannot be read: 'seed'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_packed(case, copy, tmp_path):
    damage, message = BAD[case]
    damage(copy)
    with pytest.raises(CheckpointError) as caught:
        pack(copy, tmp_path / "packed")
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert not (tmp_path / "packed").exists()


def test_only_the_data_of_the_run_will_do(run, tmp_path):
    dataset_file.write(tmp_path / "other.h5", darcy_like(seed=5))
    with pytest.raises(CheckpointError, match=r"was evaluated on data \w+, .*other.h5 holds"):
        pack(run, tmp_path / "packed", data_path=tmp_path / "other.h5")


def test_nothing_is_replaced_unasked(packed, run, tmp_path):
    with pytest.raises(ConfigError, match=r"packed: already exists; choose another -o, or --force"):
        pack(run, packed[0])
    again = shutil.copytree(packed[0], tmp_path / "packed")
    assert pack(run, again, limits="none", force=True).limits == "none"
    (again / "notes.txt").touch()
    with pytest.raises(ConfigError, match=r"holds notes.txt, which is no part of a pack"):
        pack(run, again, force=True)
    assert read_card(again).limits == "none"
