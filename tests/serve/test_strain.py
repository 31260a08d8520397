"""Too slow, too large, too many, damaged or stopped: what is still answered, and how."""

import json
import shutil
from dataclasses import replace
from threading import Event, Thread

from llt.serve.served import load_runs
from llt.surrogate import Surrogate
from tests.serve.made import ask, body, field, refused, serving, tell
from tests.waiting import PATIENCE, until


def test_an_answer_that_takes_too_long_is_given_up(darcy, monkeypatch):
    begun = Event()
    with serving({"darcy": darcy}) as running:
        worker, patient = running.service.worker, running.service.settings
        answer = worker._answer

        def telling(*given):
            begun.set()
            answer(*given)

        def hasty():
            line = refused(ask(running.port, body=body(field())), 504)
            assert "no answer within 0.1 s" in line

        monkeypatch.setattr(worker, "_answer", telling)
        running.service.settings = replace(patient, seconds=0.1)
        with darcy.alone():
            until(lambda: hasty() or begun.is_set())  # that one is being computed
            hasty()  # this one has not begun
        running.service.settings = patient
        assert ask(running.port, body=body(field())).status == 200
        # it is counted when it has been answered
        until(lambda: b"llt_batch_size_sum 2.0\n" in ask(running.port, "/metrics").body)


def test_limits_are_those_of_the_settings(darcy):
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90\r\n\r\n{"
    with serving({"darcy": darcy}, max_body=100, seconds=0.2) as running:
        assert "may have 100 bytes" in refused(ask(running.port, body=b"x" * 101), 413)
        assert b"did not come within 0.2 s" in tell(running.port, head)
    with serving({"darcy": darcy}, concurrency=1) as running:
        # it may have to ask again, since the other question may come first
        client = Thread(
            target=until, args=(lambda: ask(running.port, body=body(field())).status == 200,)
        )
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


def test_the_model_answers_while_clients_are_slow_or_gone(port):
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{"
    assert b"ends before its body" in tell(port, head, half=True)
    whole = body(field())
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
    assert b'{"fields"' in tell(port, head % len(whole) + whole, half=True)
    assert ask(port, body=whole).status == 200


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


def test_a_service_that_stops_says_so_to_those_who_wait(darcy):
    found = []
    with serving({"darcy": darcy}) as running:
        worker = running.service.worker

        def client(n):
            found.append(ask(running.port, body=body(field(n=n))))

        # of two sizes: they cannot be asked together, so that one always waits
        clients = [Thread(target=client, args=(n,)) for n in (9, 11)]
        with darcy.alone():
            for one in clients:
                one.start()
            until(lambda: worker.waiting)  # the other may be being asked, or still to come
            worker.stop(0)
            until(lambda: found)
        for one in clients:
            one.join(PATIENCE)
        assert "the service stops" in refused(found[0], 503)
        worker.stop(PATIENCE)
        health = ask(running.port, "/health")
        assert health.status == 500 and "start again" in json.loads(health.body)["status"]
