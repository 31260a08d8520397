"""The service as a whole: right answers, in every format, and a clear one to what is wrong."""

import json
import logging
import shutil
from dataclasses import replace
from pathlib import Path
from threading import Event, Semaphore, Thread

import numpy as np
import pytest

from llt import load
from llt.data.collate import collate
from llt.serve.metrics import Metrics
from llt.serve.question import read_asked, report
from llt.serve.served import Served, load_runs
from llt.surrogate import Surrogate
from llt.trust.distance import Distance
from tests.conftest import darcy_like, geometry_only, ragged
from tests.own_mesh.made import surrogate_of, write_table
from tests.serve.made import PATIENCE, ask, npz, refused, serving, tell, unpacked, until, untrained

NPZ, JSON = "application/x-npz", "application/json"


@pytest.fixture(scope="module")
def darcy():
    return untrained(darcy_like())


@pytest.fixture(scope="module")
def port(darcy):
    with serving({"darcy": darcy}) as running:
        yield running.port


@pytest.fixture(scope="module")
def ragged_port():
    with serving({"points": untrained(ragged())}) as running:
        yield running.port


def field(seed=0, n=9):
    return np.random.default_rng(seed).uniform(1, 2, (n, n))


def body(array):
    return json.dumps({"permeability": array.tolist()}).encode()


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


def test_metrics_count_what_was_answered(darcy):
    with serving({"darcy": darcy}) as running:
        for _ in range(3):
            ask(running.port, body=body(field()))
        ask(running.port, body=b"{")
        ask(running.port, "/elsewhere/1")
        head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{"
        tell(running.port, head, half=True)
        until(lambda: 'status="499"' in ask(running.port, "/metrics").body.decode())
        text = ask(running.port, "/metrics").body.decode()
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    assert lines['llt_requests_total{path="/predict",status="200"}'] == "3"
    assert lines['llt_requests_total{path="/predict",status="400"}'] == "1"
    assert lines['llt_requests_total{path="/predict",status="499"}'] == "1"
    assert lines['llt_requests_total{path="other",status="404"}'] == "1"
    assert lines['llt_request_seconds_count{path="/predict"}'] == "5"
    assert lines['llt_request_seconds_bucket{path="/predict",le="+Inf"}'] == "5"
    assert lines["llt_batch_size_sum"] == "3.0" and lines["llt_waiting"] == "0.0"
    assert float(lines["process_resident_memory_bytes"]) > 2**20


def test_metrics_are_text_that_prometheus_reads():
    metrics = Metrics({"device": 'a"b\\c\nd'}, {"llt_waiting": lambda: 3.0})
    metrics.asked(4, 0.05)
    text = metrics.text()
    assert 'llt_info{device="a\\"b\\\\c\\nd"} 1\n' in text and "\nllt_waiting 3.0\n" in text
    assert 'llt_batch_size_bucket{le="2"} 0\n' in text
    assert 'llt_batch_size_bucket{le="4"} 1\n' in text
    assert 'llt_predict_seconds_bucket{le="0.05"} 1\n' in text


def together(running, surrogate, arrays):
    """Answers to requests of which all but the first wait while the model is busy with that."""
    worker, taken, found = running.service.worker, Event(), {}
    questions = worker._next

    def next_questions():
        batch = questions()
        taken.set()
        return batch

    def client(number):
        found[number] = ask(running.port, body=npz(permeability=arrays[number]))

    worker._next = next_questions
    ask(running.port, body=npz(permeability=arrays[0]))  # from now on it is ours that is called
    taken.clear()
    clients = [Thread(target=client, args=(number,)) for number in range(len(arrays))]
    with surrogate.alone():
        clients[0].start()
        assert taken.wait(PATIENCE)
        for one in clients[1:]:
            one.start()
        until(lambda: worker.waiting == len(arrays) - 1)
    for one in clients:
        one.join(PATIENCE)
    return [found[number] for number in range(len(arrays))]


def test_requests_that_come_together_are_predicted_together(darcy):
    """And each gets its own answer."""
    arrays = [1.3 + 0.1 * field(seed) for seed in range(8)]
    arrays[3] = 100 * arrays[3]
    with serving({"darcy": darcy}) as running:
        answers = together(running, darcy, arrays)
        text = ask(running.port, "/metrics").body.decode()
    assert 'llt_batch_size_bucket{le="4"} 2\n' in text and "llt_batch_size_sum 9.0" in text
    for array, found in zip(arrays, answers, strict=True):
        expected = darcy.predict(None, {"permeability": array})["pressure"]
        np.testing.assert_allclose(unpacked(found)["pressure"], expected, rtol=1e-5)
        warned = json.loads(found.headers["LLT-Report"])["warnings"]
        assert bool(warned) == (array is arrays[3])


def test_one_that_cannot_be_predicted_leaves_the_others_alone(darcy, monkeypatch):
    predict = Surrogate.predict

    def fragile(self, x, a, *args, **kwargs):
        if (np.asarray(a["permeability"]) == 1.25).any():
            raise RuntimeError("a case that breaks the model")
        return predict(self, x, a, *args, **kwargs)

    monkeypatch.setattr(Surrogate, "predict", fragile)
    monkeypatch.setattr(logging.getLogger("llt.serve"), "disabled", True)
    arrays = [field(0), field(1), np.full((9, 9), 1.25), field(3)]
    with serving({"darcy": darcy}) as running:
        answers = together(running, darcy, arrays)
        assert ask(running.port, "/health").status == 200
    assert [found.status for found in answers] == [200, 200, 500, 200]
    assert "a mistake of the service" in refused(answers[2], 500)


def test_an_answer_that_takes_too_long_is_given_up(darcy):
    with serving({"darcy": darcy}) as running:
        patient = running.service.settings
        running.service.settings = replace(patient, seconds=0.1)
        with darcy.alone():
            for _ in range(2):  # the first is being computed, the second has not begun
                line = refused(ask(running.port, body=body(field())), 504)
                assert "no answer within 0.1 s" in line
        running.service.settings = patient
        assert ask(running.port, body=body(field())).status == 200
        assert "llt_batch_size_sum 2.0\n" in ask(running.port, "/metrics").body.decode()


def test_a_run_that_is_damaged_while_it_is_served_is_answered_from_memory(darcy, tmp_path):
    darcy.save(tmp_path / "run" / "best")
    runs = load_runs([str(tmp_path / "run")], "cpu")
    with serving(runs) as running:
        before = ask(running.port, body=body(field())).body
        health = json.loads(ask(running.port, "/health").body)
        assert health == {"status": "ok", "runs": {"run": "as loaded"}}
        weights = tmp_path / "run/best/model.safetensors"
        weights.write_bytes(bytes(weights.stat().st_size))
        assert "files are changed" in json.loads(ask(running.port, "/health").body)["runs"]["run"]
        shutil.rmtree(tmp_path / "run")
        found = ask(running.port, "/health")
        assert found.status == 200 and "files are gone" in json.loads(found.body)["runs"]["run"]
        assert ask(running.port, body=body(field())).body == before


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


def test_limits_are_those_of_the_settings(darcy):
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{"
    with serving({"darcy": darcy}, max_body=100, seconds=0.2) as running:
        assert "may have 100 bytes" in refused(ask(running.port, body=b"x" * 101), 413)
        assert b"did not come within 0.2 s" in tell(running.port, head)
    with serving({"darcy": darcy}, concurrency=1) as running:
        client = Thread(target=ask, args=(running.port,), kwargs={"body": body(field())})
        with darcy.alone():
            client.start()
            until(lambda: ask(running.port, "/schema").status == 503)
            assert ask(running.port, "/health").status == 200
            assert ask(running.port, "/metrics").status == 200
        client.join(PATIENCE)


def test_a_prediction_that_takes_more_memory_than_there_is_is_refused(darcy, monkeypatch):
    def hungry(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(Surrogate, "predict", hungry)
    with serving({"darcy": darcy}) as running:
        assert "more memory than there is" in refused(ask(running.port, body=body(field())), 413)


def test_a_service_that_stops_says_so_to_those_who_wait(darcy):
    found = []
    with serving({"darcy": darcy}) as running:
        worker = running.service.worker

        def client():
            found.append(ask(running.port, body=body(field())))

        clients = [Thread(target=client) for _ in range(2)]
        with darcy.alone():
            for one in clients:
                one.start()
            until(lambda: worker.waiting)  # behind the one that is being asked, or both
            worker.stop(0)
            until(lambda: found)
        for one in clients:
            one.join(PATIENCE)
        assert "the service stops" in refused(found[0], 503)
        worker.stop(PATIENCE)
        health = ask(running.port, "/health")
        assert health.status == 500 and "start again" in json.loads(health.body)["status"]


def test_only_what_the_model_can_be_asked_at_once_is_of_one_kind(darcy):
    def kind(name="a", symmetrize=False, **arrays):
        served = Served(name=name, surrogate=darcy, folder=Path(), stamp=())
        arrays = {"permeability": field()} | arrays
        return read_asked(served, arrays, None, None, symmetrize).kind

    points = np.random.default_rng(0).random((9, 9, 2))
    kinds = [kind(), kind("b"), kind(symmetrize=True), kind(points=points)]
    assert len({*kinds}) == 4 and None not in kinds and kind() == kinds[0]
    assert kind(permeability=np.ones((2, 9, 9))) is None


def test_the_report_counts_cases_that_are_far_out(darcy):
    served = Served(name="a", surrogate=darcy, folder=Path(), stamp=())
    found = report(served, [Distance(0.5, "x"), Distance(2.0, "y")], [])
    assert (found["distance"], found["group"], found["unfamiliar"]) == (2.0, "y", 1)


def test_two_runs_of_one_name_are_refused(darcy, tmp_path):
    from llt.errors import ConfigError

    for folder in ("a/run", "b/run"):
        darcy.save(tmp_path / folder)
    with pytest.raises(ConfigError, match="another run is called 'run'"):
        load_runs([str(tmp_path / "a/run"), str(tmp_path / "b/run")], "cpu")


def test_the_model_answers_while_clients_are_slow_or_gone(port):
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{"
    assert b"ends before its body" in tell(port, head, half=True)
    whole = body(field())
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
    assert b'{"fields"' in tell(port, head % len(whole) + whole, half=True)
    assert ask(port, body=whole).status == 200


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    pyvista = pytest.importorskip("pyvista")
    cases = tmp_path_factory.mktemp("vtk") / "cases"
    cases.mkdir()
    for i in range(4):
        mesh = pyvista.ImageData(dimensions=(4 + i, 5, 1)).cast_to_unstructured_grid()
        mesh.point_data["p"] = mesh.points[:, 0] + i
        mesh.save(cases / f"c{i}.vtu")
    write_table(cases / "params.csv", ["speed"], [(f"c{i}", i) for i in range(4)])
    surrogate = surrogate_of(cases, outputs=("p",), table=str(cases / "params.csv"))
    return cases, surrogate


def test_a_mesh_comes_back_with_predictions_on_it(prepared, tmp_path):
    import pyvista

    cases, surrogate = prepared
    own = (cases / "c1.vtu").read_bytes()
    with serving({"vtk": surrogate}) as running:
        query = "/predict?param=speed=1.5&integrate=mean:p"
        found = ask(running.port, query, own, Content_Type="application/x-vtu")
        said = json.loads(ask(running.port, query, own, Accept=JSON).body)
        service = running.service
        patient, service.files = service.settings, Semaphore(1)
        assert ask(running.port, query, own).status == ask(running.port, query, own).status == 200
        service.settings = replace(patient, seconds=0.01)
        with service.files:
            busy = ask(running.port, query, own)
        assert "too many files" in refused(busy, 503) and busy.headers["Retry-After"] == "1"
        service.settings = patient
        assert "no value of speed" in refused(ask(running.port, body=own), 422)
        line = refused(ask(running.port, query, own[: len(own) // 2]), 422)
        assert line.startswith("case.vtu: ")
        broken = refused(ask(running.port, "/predict?param=sped=1", own), 400)
        assert "did you mean speed" in broken
        refused(ask(running.port, query, b"#", Content_Type="application/x-case"), 415)
    assert found.status == 200 and found.headers["Content-Type"] == "application/x-vtu"
    (tmp_path / "out.vtu").write_bytes(found.body)
    back, mesh = pyvista.read(tmp_path / "out.vtu"), pyvista.read(cases / "c1.vtu")
    expected = surrogate.predict(mesh.points[:, :2], None, parameters={"speed": 1.5})
    np.testing.assert_allclose(back["p_pred"], expected["p"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(said["fields"]["p_pred"], back["p_pred"], rtol=1e-6)
    report = json.loads(found.headers["LLT-Report"])
    assert report["integrals"]["mean:p"].keys() == {"predicted", "known"}
    assert report["errors"]["p"] > 0 and said["report"] == report
