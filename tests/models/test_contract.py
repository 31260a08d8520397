"""Properties every model must have, LLT and baselines alike."""

from pathlib import Path

import numpy as np
import pytest
import torch

from llt.data.neighbors import radius_graph
from llt.data.normalizer import Normalizer
from llt.errors import ConfigError, DataError
from llt.models import MODELS, build_model, needs
from llt.presets import find_preset
from llt.problem import Problem
from llt.surrogate import Surrogate, load

FIELDS = {"inputs": ("a",), "outputs": ("u", "v")}
CASES = {
    "grid-2d": Problem(name="grid2", space_dim=2, grid=(7, 9), **FIELDS),
    "grid-3d": Problem(name="grid3", space_dim=3, grid=(4, 5, 3), **FIELDS),
    "points-2d": Problem(name="points2", space_dim=2, **FIELDS),
    "points-3d": Problem(name="points3", space_dim=3, **FIELDS),
    "geometry-only": Problem(name="bare", space_dim=2, inputs=(), outputs=("u",), grid=(7, 9)),
    "timed": Problem(name="timed", space_dim=2, grid=(7, 9), timed=True, **FIELDS),
}


def build(name, case):
    torch.manual_seed(0)
    model = build_model(name, CASES[case], **find_preset("tiny", name).model)
    # layers that start at zero, or small, would hide what stands behind them
    with torch.no_grad():
        for parameter in model.parameters():
            if not parameter.any():
                parameter.normal_(std=0.1)
            elif parameter.ndim == 2 and parameter.square().mean() < 0.03**2:
                parameter.mul_(5)
    return model


def make_inputs(model, batch=2, num_points=None, seed=1):
    """Random inputs that fit the model's problem, as keyword arguments of forward."""
    problem, rng = model.problem, np.random.default_rng(seed)
    n = num_points or problem.num_points or 40
    x = rng.uniform(size=(batch, n, problem.space_dim)).astype(np.float32)
    inputs = {
        "x": torch.from_numpy(x),
        "a": torch.from_numpy(rng.normal(size=(batch, n, problem.in_channels)).astype(np.float32)),
    }
    if problem.timed:
        inputs["t"] = torch.from_numpy(rng.uniform(size=batch).astype(np.float32))
    if model.max_neighbors:
        graphs = [radius_graph(points, 0.4, model.max_neighbors) for points in x]
        inputs["neighbors"] = torch.from_numpy(np.stack(graphs))
    return inputs


def pick(inputs, rows):
    return {name: value[rows] for name, value in inputs.items()}


SUPPORTED = [
    (name, case)
    for name in sorted(MODELS)
    for case, problem in CASES.items()
    if needs(problem) <= MODELS[name].supports
]


@pytest.fixture(params=SUPPORTED, ids="-".join)
def model(request):
    return build(*request.param)


@pytest.fixture(params=[pair for pair in SUPPORTED if "points" in pair[1]], ids="-".join)
def point_model(request):
    return build(*request.param)


def test_output_shape(model):
    inputs = make_inputs(model)
    assert model(**inputs).shape == (*inputs["x"].shape[:2], model.problem.out_channels)


def test_every_parameter_receives_a_gradient(model):
    model(**make_inputs(model)).square().sum().backward()
    dead = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert dead == []


def test_samples_do_not_leak_into_each_other(model):
    model.eval()
    inputs = make_inputs(model)
    together = model(**inputs)
    for row in range(2):
        alone = model(**pick(inputs, slice(row, row + 1)))
        torch.testing.assert_close(together[row : row + 1], alone)


def test_every_input_matters(model):
    """Coordinates, fields and time all reach the output."""
    model.eval()
    inputs = make_inputs(model)
    before = model(**inputs)
    for name in inputs.keys() - {"neighbors"}:
        if inputs[name].numel():
            changed = inputs | {name: inputs[name] * 0.5}
            assert not torch.allclose(model(**changed), before), name


def test_saved_and_loaded_model_gives_the_same_numbers(model, tmp_path: Path):
    d, problem = model.problem.space_dim, model.problem
    normalizer = Normalizer(
        x_low=[0.0] * d,
        x_size=[1.0] * d,
        a_mean=[0.1] * problem.in_channels,
        a_std=[2.0] * problem.in_channels,
        u_mean=[0.3] * problem.out_channels,
        u_std=[0.7] * problem.out_channels,
        t_range=[0.0, 2.0],
    )
    radius = 0.4 if model.max_neighbors else None
    saved = Surrogate(model, normalizer, radius)
    saved.save(tmp_path / "checkpoint", epoch=3)
    loaded = load(tmp_path / "checkpoint")
    inputs = make_inputs(model)
    rest = {k: v for k, v in inputs.items() if k not in ("x", "a")}
    before = saved.predict_batch(inputs["x"], inputs["a"], **rest)
    after = loaded.predict_batch(inputs["x"], inputs["a"], **rest)
    assert torch.equal(before, after)


def test_padded_batch_equals_one_by_one(point_model):
    """Two point sets of different sizes, padded, against each alone."""
    point_model.eval()
    sets = [make_inputs(point_model, batch=1, num_points=n, seed=n) for n in (23, 40)]
    padded = {
        key: torch.cat(
            [
                torch.nn.functional.pad(
                    s[key], (0, 0, 0, 40 - s[key].shape[1]), value=-1 if key == "neighbors" else 7
                )
                for s in sets
            ]
        )
        for key in sets[0]
    }
    mask = torch.arange(40)[None] < torch.tensor([[23], [40]])
    together = point_model(**padded, mask=mask)
    for row, inputs in enumerate(sets):
        size = inputs["x"].shape[1]
        torch.testing.assert_close(together[row : row + 1, :size], point_model(**inputs))
    assert not together[0, 23:].any()


def test_order_of_points_does_not_matter(point_model):
    point_model.eval()
    inputs = make_inputs(point_model, batch=1)
    n = inputs["x"].shape[1]
    order = torch.randperm(n)
    place = torch.empty(n + 1, dtype=torch.int32)
    place[order] = torch.arange(n, dtype=torch.int32)
    place[-1] = -1
    shuffled = {k: v[:, order] for k, v in inputs.items()}
    if "neighbors" in inputs:
        shuffled["neighbors"] = place[shuffled["neighbors"].long()]
    torch.testing.assert_close(
        point_model(**shuffled), point_model(**inputs)[:, order], atol=1e-5, rtol=1e-4
    )


@pytest.mark.parametrize("name", sorted(MODELS))
def test_any_grid_size_works(name):
    model = build(name, "grid-2d").eval()
    x, a = torch.rand(1, 13 * 6, 2), torch.rand(1, 13 * 6, 1)
    assert model(x, a, grid=(13, 6)).shape == (1, 78, 2)
    with pytest.raises(DataError, match=r"78 points do not fill the grid \(7, 9\)"):
        model(x, a)


def test_unknown_model_names_the_near_ones():
    with pytest.raises(ConfigError, match="unknown model 'lll'"):
        build_model("lll", CASES["grid-2d"])


def test_unknown_setting_names_the_near_ones():
    with pytest.raises(ConfigError, match="unknown setting of model llt 'num_layer'; did you mean"):
        build_model("llt", CASES["grid-2d"], num_layer=3)


def test_an_integer_is_a_fine_float():
    assert build_model("llt", CASES["grid-2d"], dim=16, num_layers=1, alpha=1).blocks[0] is not None


def test_setting_of_the_wrong_type():
    with pytest.raises(ConfigError, match=r"model.dim='big' must be of type int"):
        build_model("llt", CASES["grid-2d"], dim="big")


def test_model_that_cannot_do_it_names_those_that_can():
    with pytest.raises(ConfigError, match=r"fno does not support unstructured.*these do: .*llt"):
        build_model("fno", CASES["points-2d"])


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_model_says_what_it_is(name):
    assert MODELS[name].summary
    assert len(MODELS[name].summary) < 90
    assert ":" in MODELS[name].paper
