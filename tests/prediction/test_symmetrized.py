"""Averaged over the group: the mean obeys every symmetry, on every kind of mesh and every way."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from llt.data.symmetries import Group
from llt.errors import DataError
from llt.predict import predict_arrays
from llt.prediction import cache
from llt.problem import Symmetry
from tests.conftest import darcy_like, geometry_only, ragged
from tests.data.kinds import timed
from tests.prediction.fake import captures_on_the_cpu
from tests.prediction.test_captured import make_surrogate

CPU = torch.device("cpu")
MIRROR = Symmetry(
    name="left-right",
    matrix=((-1.0, 0.0), (0.0, 1.0)),
    offset=(1.0, 0.0),
    input_signs=(-1.0,),
    output_signs=(1.0, -1.0),
)


def with_symmetry(data, **changes):
    symmetry = replace(MIRROR, **changes)
    return replace(data, problem=replace(data.problem, symmetries=(symmetry,)))


def own_meshes():
    data = darcy_like()
    wave = 0.02 * np.random.default_rng(0).random((12, 81, 2), np.float32)
    return replace(data, points=data.points + wave)


KINDS = {
    "shared grid": darcy_like,
    "own meshes": own_meshes,
    "point sets": geometry_only,
    "signs": lambda: with_symmetry(ragged()),
    "timed": lambda: with_symmetry(timed(), flip=(1,), output_signs=(-1.0, 1.0, -1.0, 1.0)),
}


@pytest.fixture(scope="module", params=KINDS)
def case(request):
    data = KINDS[request.param]()
    sample = data.sample(0)
    a = sample.inputs
    return make_surrogate(data), sample.points, a, 1.0 if data.times is not None else None


def slow_mean(surrogate, x, a, t, grid=None, **options):
    """Element by element through `predict`, as the formula says."""
    grid = grid or surrogate.problem.grid
    group = Group(surrogate.problem, grid, CPU)
    lead = grid or (len(x),)
    total = 0
    for g in range(group.size):
        choice = torch.tensor([g])
        moved_x = group.move_points(torch.tensor(x)[None], choice)
        moved_a = group.move_inputs(torch.tensor(a)[None], choice)
        inputs = (z.numpy().reshape(*lead, -1) for z in (moved_x, moved_a))
        u = surrogate.predict(*inputs, t, **options).reshape(1, len(x), -1)
        total = total + group.move_outputs_back(torch.from_numpy(u), choice)
    return total[0].numpy() / group.size


def test_the_mean_is_that_of_moved_cases(case):
    surrogate, x, a, t = case
    u = surrogate.predict(x, a, t, symmetrize=True)
    np.testing.assert_allclose(u, slow_mean(surrogate, x, a, t), rtol=1e-4, atol=1e-5)
    assert np.abs(u - surrogate.predict(x, a, t)).max() > 1e-3


def test_the_mean_obeys_every_symmetry(case):
    surrogate, x, a, t = case
    group = Group(surrogate.problem, surrogate.problem.grid, CPU)
    u = torch.from_numpy(surrogate.predict(x, a, t, symmetrize=True))[None]
    for g in range(group.size):
        choice = torch.tensor([g])
        moved_x = group.move_points(torch.tensor(x)[None], choice)[0].numpy()
        moved_a = group.move_inputs(torch.tensor(a)[None], choice)[0].numpy()
        there = surrogate.predict(moved_x, moved_a, t, symmetrize=True)
        expected = group.move_outputs(u, choice)[0]
        np.testing.assert_allclose(there, expected, rtol=1e-3, atol=1e-5)


def test_large_meshes_are_averaged_in_chunks(case):
    surrogate, x, a, t = case
    whole = surrogate.predict(x, a, t, symmetrize=True)
    chunks = surrogate.predict(x, a, t, symmetrize=True, chunk=10)
    np.testing.assert_allclose(chunks, whole, rtol=1e-4, atol=1e-5)


def test_captured_predictions_are_the_same(case, monkeypatch):
    surrogate, x, a, t = case
    eager = surrogate.predict(x, a, t, symmetrize=True)
    plain = surrogate.predict(x, a, t)
    graphs = captures_on_the_cpu(monkeypatch)
    many = np.stack([x, x]), np.stack([a, a])
    for _ in range(3):
        np.testing.assert_allclose(surrogate.predict(x, a, t, symmetrize=True), eager, rtol=1e-5)
        np.testing.assert_allclose(surrogate.predict(x, a, t), plain, rtol=1e-5)
        both = surrogate.predict(*many, t, symmetrize=True)
        np.testing.assert_allclose(both, np.stack([eager, eager]), rtol=1e-4, atol=1e-5)
    assert len(graphs) == 3


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("kind", KINDS)
def test_cuda_graphs_average_what_the_model_gives(kind, monkeypatch):
    data = KINDS[kind]()
    surrogate, sample = make_surrogate(data).to("cuda"), data.sample(0)
    t = 1.0 if data.times is not None else None
    monkeypatch.setattr(cache, "capture_on", lambda device: None)
    eager = surrogate.predict(sample.points, sample.inputs, t, symmetrize=True)
    monkeypatch.undo()
    for _ in range(4):
        found = surrogate.predict(sample.points, sample.inputs, t, symmetrize=True)
        assert np.linalg.norm(found - eager) < 2e-3 * np.linalg.norm(eager)
    assert len(surrogate._captures) == 1


def test_what_does_not_fit_at_once_is_asked_in_parts(case, monkeypatch):
    surrogate, x, a, t = case
    together = surrogate.predict(x, a, t, symmetrize=True)
    sizes, forward = [], surrogate.model.forward
    monkeypatch.setattr("llt.surrogate.forward.cases_per_batch", lambda points, neighbors=0: 1)
    monkeypatch.setattr(
        surrogate.model,
        "forward",
        lambda x, *args, **kw: sizes.append(len(x)) or forward(x, *args, **kw),
    )
    parts = surrogate.predict(x, a, t, symmetrize=True)
    assert sizes == [1] * (1 + len(surrogate.problem.symmetries))
    np.testing.assert_allclose(parts, together, rtol=1e-4, atol=1e-5)


def test_all_variants_of_one_case_are_one_batch(monkeypatch):
    surrogate = make_surrogate(darcy_like())
    sizes, forward = [], surrogate.model.forward
    monkeypatch.setattr(
        surrogate.model,
        "forward",
        lambda x, *args, **kw: sizes.append(len(x)) or forward(x, *args, **kw),
    )
    sample = darcy_like().sample(0)
    surrogate.predict(sample.points, sample.inputs, symmetrize=True)
    assert sizes == [8]


def test_other_resolutions_have_tables_of_their_own():
    surrogate, rng = make_surrogate(darcy_like()), np.random.default_rng(0)
    x, a = rng.random((12, 12, 2), np.float32), rng.random((12, 12, 1), np.float32)
    u = surrogate.predict(x, a, symmetrize=True)
    flat = x.reshape(-1, 2), a.reshape(-1, 1)
    expected = slow_mean(surrogate, *flat, None, grid=(12, 12)).reshape(u.shape)
    np.testing.assert_allclose(u, expected, rtol=1e-4, atol=1e-5)
    named = predict_arrays(surrogate, {"permeability": a[..., 0], "points": x}, symmetrize=True)
    np.testing.assert_array_equal(named["pressure"], u[..., 0])
    with pytest.raises(DataError, match=r"darcy: symmetry swap does not fit \(12, 7\)"):
        surrogate.predict(x[:, :7], a[:, :7], symmetrize=True)


def test_neighbors_are_searched_for_once(monkeypatch):
    """The graph stays: in exact arithmetic the moved points have the same one."""
    surrogate, calls = make_surrogate(geometry_only()), []
    from llt.surrogate import core as home

    search = home.radius_graph
    monkeypatch.setattr(home, "radius_graph", lambda *args: calls.append(1) or search(*args))
    x = np.random.default_rng(0).random((30, 2), np.float32)
    surrogate.predict(x, symmetrize=True)
    surrogate.predict(x, symmetrize=True, chunk=10)
    assert len(calls) == 2


def test_padded_batches_are_averaged_case_by_case():
    data = with_symmetry(ragged())
    surrogate = make_surrogate(data)
    part = surrogate.source(data, np.array([0, 3]))
    batch = part.batch(torch.arange(2))
    u = surrogate.predict_batch(
        batch.x, batch.a, neighbors=batch.neighbors, mask=batch.mask, symmetrize=True
    )
    for row, sample in enumerate(map(data.sample, (0, 3))):
        alone = surrogate.predict(sample.points, sample.inputs, symmetrize=True)
        np.testing.assert_allclose(u[row, : len(alone)], alone, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("chunk", [None, 10])
def test_a_problem_without_symmetries_says_so(chunk):
    data = ragged()
    sample = data.sample(0)
    with pytest.raises(DataError, match=r"points declares no symmetries: .* without symm"):
        make_surrogate(data).predict(sample.points, sample.inputs, symmetrize=True, chunk=chunk)
