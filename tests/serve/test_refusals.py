"""What is wrong in a question is told in one line, and good ones go on."""

import numpy as np
import pytest

from llt.errors import ConfigError
from llt.serve.served import load_runs
from tests.conftest import ragged
from tests.serve.made import ask, body, field, npz, refused, serving, untrained

JSON = "application/json"


@pytest.fixture(scope="module")
def ragged_port():
    with serving({"points": untrained(ragged())}) as running:
        yield running.port


@pytest.mark.parametrize("offsets", [[0.0, 20.0, 50.0], 3, [1, 50], [0, 60], [50, 0], [0]])
def test_cases_that_do_not_divide_the_points_are_refused(ragged_port, offsets):
    given = npz(points=np.zeros((50, 2)), load=np.zeros(50), offsets=np.array(offsets))
    assert "offsets do not divide the 50 points" in refused(ask(ragged_port, body=given), 422)


BAD = {
    "not json": (b"{", {}, 400, "not valid JSON"),
    "no npz": (b"PK\3\4 and then nothing", {}, 400, "body.npz: damaged or cannot be read"),
    "a wrong name": (b'{"k": 1}', {}, 422, "no input 'permeability'; give permeability"),
    "a wrong shape": (b'{"permeability": [1, 2]}', {}, 422, "is not on a 2-D grid"),
    "an endless number": (b'{"permeability": 1e999}', {}, 422, "permeability"),
    "no body": (b"", {"Content_Type": JSON}, 400, "not valid JSON"),
    "of no type": (b"\x80\x04\x95", {}, 415, "Content-Type is one of application/json"),
    "of another type": (b"{}", {"Content_Type": "text/html"}, 415, "unknown type"),
    "a mesh": (b"<VTKFile", {"Content_Type": "application/x-vtu"}, 415, "unknown type"),
    "compressed": (b"{}", {"Content_Encoding": "gzip"}, 415, "without Content-Encoding"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_wrong_is_told_in_one_line_and_good_ones_go_on(port, kind):
    words, headers, status, message = BAD[kind]
    assert message in refused(ask(port, body=words, method="POST", **headers), status)
    assert ask(port, body=body(field())).status == 200


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("tmie=1", "unknown option 'tmie'; did you mean time?"),
        ("symmetrize=perhaps", "expected true or false"),
        ("steps=-1", "expected a whole number"),
        ("steps=1", "is not for this model"),
        ("time=x", "expected a number"),
        ("param=a=1", "unknown option 'param'"),
        ("time=1&time=2", "there twice"),
        (f"time={'0' * 5000}", "is too long"),
        ("%3Cscript%3E=1", "unknown option '<script>'"),
    ],
)
def test_options_that_are_none_are_refused(port, query, message):
    found = ask(port, f"/predict?{query}", body(field()))
    assert message in refused(found, 400) and found.headers["Content-Type"] == JSON


def test_times_that_the_problem_has_not_are_refused(port):
    line = refused(ask(port, "/predict?time=1", body(field())), 422)
    assert "the problem has no times" in line


def test_paths_and_methods_that_are_none_are_refused_in_json(port):
    refused(ask(port, "/nothing"), 404)
    refused(ask(port, "/../../etc/passwd"), 404)
    assert refused(ask(port, "/predict"), 405) and refused(ask(port, "/", b"x"), 405)


def test_a_service_of_this_machine_answers_no_other_name(port):
    found = ask(port, "/health", Host="example.org")
    assert "this is 127.0.0.1" in refused(found, 403)
    assert found.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert refused(ask(port, body=b"{}", Origin="http://example.org"), 403)


def test_with_a_token_health_alone_is_answered_without_it(darcy):
    with serving({"darcy": darcy}, token="0123456789abcdef") as running:
        for path in ("/", "/metrics", "/schema", "/predict"):
            assert refused(ask(running.port, path), 401)
        assert ask(running.port, "/health").status == 200
        known = {"Authorization": "Bearer 0123456789abcdef", "Host": "example.org"}
        assert ask(running.port, "/metrics", **known).status == 200


def test_two_runs_of_one_name_are_refused(darcy, tmp_path):
    for folder in ("a/run", "b/run"):
        darcy.save(tmp_path / folder)
    with pytest.raises(ConfigError, match="another run is called 'run'"):
        load_runs([str(tmp_path / "a/run"), str(tmp_path / "b/run")], "cpu")
