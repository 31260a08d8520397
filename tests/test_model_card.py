"""A run folder can be published: its card, and what is left of it elsewhere."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
import yaml

import llt
from llt.cli import main
from llt.evaluation.kept import kept_evaluation
from llt.model_card import NAME, OURS, write_model_card
from llt.pretrained.card import TAGS, Card, metadata, read_card
from tests.conftest import darcy_like, ragged
from tests.pretrained.tiny import evaluated_run

PUBLISHED = ("best", "config.toml", "metrics.jsonl", "env.json", NAME)  # docs/sharing.md


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Of two outputs on points, with its report."""
    data = replace(ragged(), provenance={"source": "made up"})
    run = evaluated_run(tmp_path_factory.mktemp("secret-place"), data)
    assert main(["report", str(run), "--device", "cpu"]) == 0
    return run


def head(text):
    return yaml.safe_load(text.split("---\n")[1])


def test_its_metadata_are_those_of_the_evaluation(run):
    told = head((run / NAME).read_text())
    kept = kept_evaluation(run)
    assert told["library_name"] == "llt" and {"pde", "surrogate", "llt"} <= {*told["tags"]}
    (model,) = told["model-index"]
    (result,) = model["results"]
    assert model["name"] == "run"
    assert result["task"]["name"] == "points: load -> stress, strain on a 2-D point set"
    assert result["dataset"] == {
        "type": "llt-dataset",
        "name": "points",
        "split": "test",
        "args": {"hash": kept.data_hash, "split_hash": kept.split_hash},
    }
    values = {row["name"]: row["value"] for row in result["metrics"]}
    assert values == {
        "mean relative L2 error": kept.relative_l2,
        "relative L2 error of stress": kept.fields["stress"]["relative_l2"],
        "relative L2 error of strain": kept.fields["strain"]["relative_l2"],
    }


def test_metadata_hold_the_symmetrized_error_and_no_number_that_json_lacks():
    errors = {"split": "val", "relative_l2": float("nan"), "fields": {"u": {"relative_l2": 0.5}}}
    card = Card(
        problem="x: a",
        model="fno",
        parameters=1,
        data={"hash": "h", "split_hash": "s"},
        training={},
        errors=errors | {"symmetrized": {"relative_l2": 0.25}},
        weights={},
        limits="",
    )
    text = metadata(card, "é: 1")
    told = yaml.safe_load(text)
    (model,) = told["model-index"]
    (result,) = model["results"]
    assert model["name"] == "é: 1" and "é" in text
    assert told["tags"] == [*TAGS, "fno"] and "neural-operator" in TAGS
    assert result["dataset"]["split"] == "val"
    name = "mean relative L2 error, symmetrized"
    assert result["metrics"] == [{"type": "relative-l2", "name": name, "value": 0.25}]


def test_it_says_what_a_pack_says_and_no_place_on_the_machine(run, tmp_path):
    assert main(["pack", str(run), "-o", str(tmp_path / "packed")]) == 0
    own, packed = ((f / NAME).read_text() for f in (run, tmp_path / "packed"))
    rows = [{line for line in text.splitlines() if line[:2] == "| "} for text in (own, packed)]
    kinds = sorted(line.split(" | ")[0] for line in rows[0] ^ rows[1])
    assert kinds == ["| weights", "| weights"]  # their types; all else is the same
    card = read_card(tmp_path / "packed")
    assert head(packed)["model-index"][0]["results"] == head(own)["model-index"][0]["results"]
    for text in (own, packed):
        assert card.limits in text and 'llt.load("' in text
        assert "secret-place" not in text and str(tmp_path) not in text and "/" + "tmp" not in text


def test_names_that_mean_something_to_yaml_or_markdown_stay_what_they_are(tmp_path):
    data = darcy_like()
    name = 'a: "b" | #1 é {x}'
    data = replace(data, problem=replace(data.problem, name=name))
    run = evaluated_run(tmp_path, data)
    assert write_model_card(run, kept_evaluation(run))
    text = (run / NAME).read_text()
    assert head(text)["model-index"][0]["results"][0]["task"]["name"].startswith(name)
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert all(line.count("|") == 3 for line in table)


def test_a_card_of_ones_own_words_is_kept(run, tmp_path):
    copy = shutil.copytree(run, tmp_path / "copy")
    evaluation = kept_evaluation(copy)
    (copy / NAME).write_text("my words\n" + OURS + "\n")
    assert write_model_card(copy, evaluation)
    assert "my words" not in (copy / NAME).read_text()
    (copy / NAME).write_text("my words\n")
    assert not write_model_card(copy, evaluation)
    assert (copy / NAME).read_text() == "my words\n"


def test_what_is_published_of_a_run_predicts_elsewhere_and_names_no_place(run, tmp_path):
    for name in PUBLISHED:
        copy = shutil.copytree if (run / name).is_dir() else shutil.copyfile
        (tmp_path / "downloaded").mkdir(exist_ok=True)
        copy(run / name, tmp_path / "downloaded" / name)
    x, a = ragged().sample(0).points, ragged().sample(0).inputs
    u = [llt.load(place).predict(x, a) for place in (run, tmp_path / "downloaded")]
    np.testing.assert_array_equal(*u)
    for path in (tmp_path / "downloaded").rglob("*.*"):
        assert b"secret-place" not in path.read_bytes(), path
