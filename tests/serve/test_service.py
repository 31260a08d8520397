"""Right answers, in every format, with what is known of them; descriptions of what is served."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from llt import load
from llt.data.collate import collate
from llt.serve.question import report
from llt.serve.served import Served
from llt.trust.distance import Distance
from tests.conftest import geometry_only, ragged
from tests.serve.made import ask, body, field, npz, refused, serving, unpacked, untrained

NPZ, JSON = "application/x-npz", "application/json"


def test_npz_and_json_are_answered_alike_and_as_in_python(port, darcy):
    expected = darcy.predict(None, {"permeability": field()})["pressure"]
    found = unpacked(ask(port, body=npz(permeability=field()), Content_Type=NPZ))
    np.testing.assert_allclose(found["pressure"], expected, rtol=1e-5)
    assert found["points"].shape == (9, 9, 2)
    said = json.loads(ask(port, body=body(field()), Content_Type=JSON).body)
    np.testing.assert_allclose(said["fields"]["pressure"], expected, rtol=1e-5)
    np.testing.assert_allclose(said["fields"]["points"], found["points"])


def test_the_answer_is_of_the_type_that_is_accepted(port):
    found = ask(port, body=body(field()), Accept=NPZ)
    assert found.headers["Content-Type"] == NPZ and "pressure" in unpacked(found)
    found = ask(port, body=npz(permeability=field()), Accept="text/html, application/json;q=0.5")
    assert found.headers["Content-Type"] == JSON and "pressure" in json.loads(found.body)["fields"]
    assert "answers are" in refused(ask(port, body=body(field()), Accept="text/html"), 406)


def test_the_report_says_how_far_to_trust_an_answer(port):
    found = ask(port, body=body(100 * field()), Accept=NPZ)
    report = json.loads(found.headers["LLT-Report"])
    assert report["run"] == "darcy" and "permeability" in report["warnings"][0]
    said = json.loads(ask(port, body=body(100 * field())).body)
    assert said["report"] == report
    assert not json.loads(ask(port, body=body(1.3 + 0 * field())).body)["report"]["warnings"]


def test_bars_and_distances_come_with_weights_that_know_them():
    x = np.random.default_rng(0).random((40, 2))
    with serving({"elasticity": load("pretrained:elasticity")}) as running:
        found = ask(running.port, body=npz(points=x))
    arrays, report = unpacked(found), json.loads(found.headers["LLT-Report"])
    assert arrays["stress_bar"] == report["bars"]["stress"] > 0
    assert arrays["distance"][0] == pytest.approx(report["distance"]) and report["unfamiliar"] == 1


def test_options_are_those_of_llt_predict(port, darcy):
    expected = darcy.predict(None, {"permeability": field()}, symmetrize=True)["pressure"]
    found = unpacked(ask(port, "/predict?symmetrize=true", npz(permeability=field())))
    np.testing.assert_allclose(found["pressure"], expected, rtol=1e-4)


def test_a_name_that_means_nothing_is_told(port):
    line = refused(ask(port, body=b'{"permeabillity": 1}'), 422)
    assert "no input 'permeability'" in line and "did you mean permeability?" in line
    with_more = npz(permeability=field(), ponts=field())
    report = json.loads(ask(port, body=with_more).headers["LLT-Report"])
    assert "unknown field 'ponts'; did you mean points?" in report["warnings"][0]


def test_several_runs_are_asked_by_name(darcy):
    points = untrained(ragged())
    x, load_ = np.random.default_rng(0).random((30, 2)), np.ones(30)
    with serving({"darcy": darcy, "points": points}) as running:
        assert ask(running.port, "/predict/darcy", body(field())).status == 200
        found = unpacked(ask(running.port, "/predict/points", npz(points=x, load=load_)))
        line = refused(ask(running.port, "/predict", body(field())), 404)
        assert line == "several runs are served; ask /predict/NAME with one of darcy, points"
        assert "did you mean darcy" in refused(ask(running.port, "/predict/dracy", b"{}"), 404)
        assert refused(ask(running.port, "/predict/..%2f..%2fetc", b"{}"), 404)
        assert len(refused(ask(running.port, f"/predict/a%0Ab{'c' * 5000}", b"{}"), 404)) == 1000
        asked = json.dumps({"points": x.tolist(), "load": load_.tolist()}).encode()
        said = json.loads(ask(running.port, "/predict/points", asked).body)
    assert said["fields"].keys() >= {"strain", "stress"} and "points" not in said["fields"]
    expected = points.predict(x, {"load": load_})
    np.testing.assert_allclose(found["strain"], expected["strain"], rtol=1e-4, atol=1e-5)


def test_many_cases_of_different_sizes_come_back_together(darcy):
    points = untrained(ragged())
    x, offsets = np.random.default_rng(0).random((50, 2)), np.array([0, 20, 50])
    with serving({"points": points}) as running:
        given = npz(points=x, offsets=offsets, load=np.ones(50))
        found = unpacked(ask(running.port, body=given))
    expected = points.predict(x[20:], {"load": np.ones(30)})["stress"]
    np.testing.assert_allclose(found["stress"][20:], expected, rtol=1e-4, atol=1e-5)


def test_what_is_served_is_described(port):
    said = json.loads(ask(port, "/").body)
    assert said["runs"]["darcy"]["outputs"] == {"pressure": ""}
    assert "POST /predict/darcy" in said["paths"]
    described = json.loads(ask(port, "/schema").body)
    assert described["openapi"] == "3.1.0" and {"/predict", "/health"} <= {*described["paths"]}
    post = described["paths"]["/predict"]["post"]
    given = post["requestBody"]["content"][JSON]["schema"]
    assert given["required"] == ["permeability"] and {"points"} < {*given["properties"]}
    assert {"200", "413", "422", "503"} <= {*post["responses"]}


def test_units_are_in_the_description():
    from llt.problem import Field

    data = geometry_only()
    stress = replace(data.problem, outputs=(Field("stress", "MPa"),))
    samples = [data.sample(i) for i in range(len(data))]
    with serving({"e": untrained(collate(stress, samples, data.splits))}) as running:
        text = ask(running.port, "/schema").body.decode()
    assert "stress in MPa: (N,) points of a case, or (B, N) of many" in text


def test_the_report_counts_cases_that_are_far_out(darcy):
    served = Served(name="a", surrogate=darcy, folder=Path(), stamp=())
    found = report(served, [Distance(0.5, "x"), Distance(2.0, "y")], [])
    assert (found["distance"], found["group"], found["unfamiliar"]) == (2.0, "y", 1)
