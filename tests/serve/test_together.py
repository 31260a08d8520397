"""Requests that come together are predicted together, and each gets its own answer."""

import json
import logging
from pathlib import Path
from threading import Event, Thread

import numpy as np

from llt.serve.question import read_asked
from llt.serve.served import Served
from llt.surrogate import Surrogate
from tests.serve.made import ask, field, npz, refused, serving, unpacked
from tests.waiting import PATIENCE, until


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
        # they are counted when they have been answered
        until(lambda: b"llt_batch_size_sum 9.0\n" in ask(running.port, "/metrics").body)
        text = ask(running.port, "/metrics").body.decode()
    assert 'llt_batch_size_bucket{le="4"} 2\n' in text
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


def test_only_what_the_model_can_be_asked_at_once_is_of_one_kind(darcy):
    def kind(name="a", symmetrize=False, **arrays):
        served = Served(name=name, surrogate=darcy, folder=Path(), stamp=())
        arrays = {"permeability": field()} | arrays
        return read_asked(served, arrays, None, None, symmetrize).kind

    points = np.random.default_rng(0).random((9, 9, 2))
    kinds = [kind(), kind("b"), kind(symmetrize=True), kind(points=points)]
    assert len({*kinds}) == 4 and None not in kinds and kind() == kinds[0]
    assert kind(permeability=np.ones((2, 9, 9))) is None
