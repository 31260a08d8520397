"""A surrogate is asked with arrays as people have them: by name, of one case or of many."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.data.dataset import Dataset
from llt.data.neighbors import radius_graph
from llt.errors import DataError
from llt.models import build_model
from llt.surrogate import Surrogate
from llt.surrogate.forward import forward

S, H, W = 5, 4, 3
rng = np.random.default_rng(0)
X = np.stack(np.meshgrid(np.linspace(0, 1, W), np.linspace(0, 2, H)), axis=-1)  # (H, W, 2)
A, PHI = rng.random((S, H, W)), rng.random(S)
SPLITS = {"train": range(S - 2), "val": [S - 2], "test": [S - 1]}


def fitted(data):
    torch.manual_seed(0)
    return Surrogate.fit(build_model("llt", data.problem, dim=8, num_layers=1, heads=2), data)


def plate(points=X, shape=(H, W), when=(), **more):
    return Dataset.from_arrays(
        "plate",
        points=points,
        inputs={"load": A.reshape(S, *shape)},
        outputs={"u": rng.random((S, *when, *shape)), "v": rng.random((S, *when, *shape))},
        parameters={"angle": PHI},
        splits=SPLITS,
        **more,
    )


@pytest.fixture(scope="module")
def surrogate():
    return fitted(plate())


@pytest.fixture(scope="module")
def timed():
    surrogate = fitted(plate(when=(2,), times=[0.0, 1.0]))
    torch.nn.init.normal_(surrogate.model.blocks[0].film.weight)  # else time changes nothing
    return surrogate


def answer(surrogate, case):
    """What the array of all channels gives for one case: (H, W, 2)."""
    a = np.stack([A[case], np.full((H, W), PHI[case])], axis=-1)
    return surrogate.predict(X, a)


def same(fields, u):
    assert fields.keys() == {"u", "v"}
    for channel, name in enumerate(("u", "v")):
        np.testing.assert_allclose(fields[name], u[..., channel], rtol=1e-5, atol=1e-6)


ONE = {
    "by name": lambda s: s.predict(X, {"load": A[1]}, parameters={"angle": PHI[1]}),
    "with an axis": lambda s: s.predict(X, {"load": A[1][..., None]}, parameters={"angle": PHI[1]}),
    "parameters among the inputs": lambda s: s.predict(X, {"load": A[1], "angle": PHI[1]}),
    "without points": lambda s: s.predict(a={"load": A[1], "angle": PHI[1]}),
    "axis, no points": lambda s: s.predict(a={"load": A[1][..., None], "angle": PHI[1]}),
    "tensors": lambda s: s.predict(
        torch.tensor(X, requires_grad=True), {"load": torch.tensor(A[1]), "angle": [PHI[1]]}
    ),
    "lists": lambda s: s.predict(X.tolist(), {"load": A[1].tolist(), "angle": float(PHI[1])}),
}


@pytest.mark.parametrize("way", ONE)
def test_names_in_give_names_out(surrogate, way):
    same(ONE[way](surrogate), answer(surrogate, 1))


MANY = {
    "all": lambda s: s.predict(np.stack([X] * S), {"load": A, "angle": PHI}),
    "shared points": lambda s: s.predict(X, {"load": A, "angle": PHI}),
    "with an axis": lambda s: s.predict(X, {"load": A[..., None], "angle": PHI}),
    "without points": lambda s: s.predict(a={"load": A, "angle": PHI}),
    "axis, no points": lambda s: s.predict(a={"load": A[..., None], "angle": PHI}),
}


@pytest.mark.parametrize("way", MANY)
def test_many_cases_are_each_their_own(surrogate, way):
    same(MANY[way](surrogate), np.stack([answer(surrogate, case) for case in range(S)]))


def test_an_array_gives_an_array(surrogate):
    u = answer(surrogate, 1)
    assert u.shape == (H, W, 2)
    angles = surrogate.predict(X, A[1][..., None], parameters={"angle": PHI[1]})
    np.testing.assert_array_equal(angles, u)
    both = np.stack([A, np.broadcast_to(PHI[:, None, None], A.shape)], axis=-1)
    for x in (X, None):
        np.testing.assert_allclose(surrogate.predict(x, both)[1], u, rtol=1e-5, atol=1e-6)


def test_one_case_with_many_parameters(surrogate):
    fields = surrogate.predict(X, {"load": A[1]}, parameters={"angle": PHI})
    assert fields["u"].shape == (S, H, W)
    one = surrogate.predict(X, {"load": A[1]}, parameters={"angle": PHI[3]})
    np.testing.assert_allclose(fields["v"][3], one["v"], rtol=1e-5, atol=1e-6)


def test_flat_fields_lie_on_the_training_mesh(surrogate):
    flat = surrogate.predict(a={"load": A.reshape(S, -1), "angle": PHI})
    grid = surrogate.predict(a={"load": A, "angle": PHI})
    np.testing.assert_allclose(flat["u"], grid["u"].reshape(S, -1), rtol=1e-5, atol=1e-6)


def test_a_shared_point_set_is_known_too():
    points = X.reshape(-1, 2)
    surrogate = fitted(plate(points, (H * W,)))
    given = {"load": A.reshape(S, -1), "angle": PHI}
    np.testing.assert_array_equal(
        surrogate.predict(a=given)["u"], surrogate.predict(points, given)["u"]
    )


def test_points_that_all_cases_share_have_one_graph(monkeypatch):
    points, asked = X.reshape(-1, 2), []
    surrogate = fitted(plate(points, (H * W,)))
    given = {"load": A.reshape(S, -1), "angle": PHI}
    apart = surrogate.predict(np.stack([points] * S), given)["u"]

    def counted(*arguments):
        asked.append(arguments)
        return radius_graph(*arguments)

    monkeypatch.setattr("llt.surrogate.core.radius_graph", counted)
    np.testing.assert_array_equal(surrogate.predict(points, given)["u"], apart)
    assert len(asked) == 1


def test_several_times_at_once(timed):
    given = {"load": A, "angle": PHI}
    alone = [timed.predict(X, given, t) for t in (0.0, 0.5, 1.0)]
    together = timed.predict(X, given, [0.0, 0.5, 1.0])
    assert together["u"].shape == (S, 3, H, W)
    for i, fields in enumerate(alone):
        np.testing.assert_allclose(together["u"][:, i], fields["u"], rtol=1e-5, atol=1e-6)
    assert not np.array_equal(alone[0]["u"], alone[2]["u"])
    one = timed.predict(X, {"load": A[0], "angle": PHI[0]}, np.array([0.5]))
    assert one["v"].shape == (1, H, W)
    np.testing.assert_allclose(one["v"][0], alone[1]["v"][0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("room", [64, 8, 4, 1])
def test_times_share_batches(timed, monkeypatch, room):
    """All times of as many cases as there is room for, or as many times of one."""
    times, sizes = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], []
    alone = [timed.predict(X, {"load": A, "angle": PHI}, t)["u"] for t in times]

    def watched(surrogate, cases, group=None):
        sizes.append(len(cases.x))
        return forward(surrogate, cases, group)

    monkeypatch.setattr("llt.prediction.batching.POINTS", room * H * W)
    monkeypatch.setattr("llt.surrogate.answering.forward", watched)
    u = timed.predict(X, {"load": A, "angle": PHI}, times)["u"]
    np.testing.assert_allclose(u, np.stack(alone, axis=1), rtol=1e-5, atol=1e-6)
    assert sizes == {64: [30], 8: [6] * 5, 4: [4, 2] * 5, 1: [1] * 30}[room]


def test_parameters_alone_are_enough():
    data = plate()
    bare = replace(data, problem=replace(data.problem, inputs=()), inputs=np.empty((S, H * W, 0)))
    surrogate = fitted(bare)
    fields = surrogate.predict(parameters={"angle": 0.3})
    same(fields, surrogate.predict(X, np.full((H, W, 1), 0.3)))


BAD = {
    "unknown name": (lambda s: s.predict(X, {"laod": A[0]}), "unknown input 'laod'; did you mean"),
    "missing name": (
        lambda s: s.predict(X, {"angle": 1.0}),
        "plate: no input 'load'; give load",
    ),
    "missing parameter": (
        lambda s: s.predict(X, {"load": A[0]}),
        "plate: no parameter 'angle'; give angle",
    ),
    "unknown parameter": (
        lambda s: s.predict(X, {"load": A[0]}, parameters={"angel": 1.0}),
        "unknown parameter 'angel'; did you mean angle",
    ),
    "nothing": (lambda s: s.predict(X), "plate: no inputs; give load, angle"),
    "shape": (
        lambda s: s.predict(X, {"load": A[0, :2], "angle": 1.0}),
        "input 'load' has shape (2, 3), expected (4, 3)",
    ),
    "parameters per point": (
        lambda s: s.predict(X, {"load": A[0], "angle": A[0]}),
        "parameter 'angle' has shape (4, 3), expected () or (4,)",
    ),
    "counts": (
        lambda s: s.predict(X, {"load": A, "angle": PHI[:3]}),
        "parameter 'angle' has shape (3,), expected () or (5,)",
    ),
    "empty batch": (lambda s: s.predict(X, {"load": A[:0], "angle": 1.0}), "there are no cases"),
    "empty parameters": (lambda s: s.predict(X, {"load": A[0], "angle": []}), "there are no cases"),
    "complex": (lambda s: s.predict(X, {"load": A[0] * 1j, "angle": 1.0}), "complex numbers"),
    "words": (lambda s: s.predict(X, {"load": A[0], "angle": "steep"}), "values of type <U5"),
    "a time": (
        lambda s: s.predict(X, {"load": A[0], "angle": 1.0}, 0.5),
        "t=0.5, but the problem has no times",
    ),
    "ragged": (
        lambda s: s.predict([X[0], X], {"load": A[0], "angle": 1}),
        "arrays of different shapes",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_what_does_not_fit_is_one_line(surrogate, fault):
    ask, message = BAD[fault]
    with pytest.raises(DataError, match="plate: ") as caught:
        ask(surrogate)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("t", [[], [[0.0]], np.nan, [0.0, np.inf]], ids=str)
def test_times_are_numbers(timed, t):
    with pytest.raises(DataError, match=r"expected a number or a list of numbers"):
        timed.predict(X, {"load": A, "angle": PHI}, t)


def test_points_may_only_be_left_out_where_all_samples_shared_them():
    surrogate = fitted(plate(X + 0.01 * rng.random((S, H, W, 2))))
    with pytest.raises(DataError, match="plate: no points; this surrogate needs coordinates"):
        surrogate.predict(a={"load": A[0], "angle": 1.0})
