"""Arrays as people have them become datasets, and come back from their files."""

import numpy as np
import pytest
import torch

from llt.data import dataset_file
from llt.data.dataset import Dataset
from llt.data.splits import Splits
from llt.errors import DataError

S, H, W, N, T = 10, 4, 3, 7, 2
rng = np.random.default_rng(0)
GRID = rng.random((S, H, W))


def case(points, shape, when=()):
    """Points, and a field of each kind."""
    return {
        "points": points,
        "inputs": {"load": rng.random((S, *shape))},
        "outputs": {"u": rng.random((S, *when, *shape)), "v": rng.random((S, *when, *shape))},
        "parameters": {"angle": rng.random(S)},
    }


def ragged(when=()):
    sizes = [N + i for i in range(S)]
    return {
        "points": [rng.random((n, 2)) for n in sizes],
        "inputs": {"load": [rng.random(n) for n in sizes]},
        "outputs": {name: [rng.random((*when, n)) for n in sizes] for name in ("u", "v")},
        "parameters": {"angle": rng.random(S)},
    }


TIMES = {"times": np.linspace(0, 1, T)}
CASES = {
    "shared grid": case(rng.random((H, W, 2)), (H, W)),
    "grids": case(rng.random((S, H, W, 2)), (H, W)),
    "shared grid in space": case(rng.random((H, W, 5, 3)), (H, W, 5)),
    "grids in space": case(rng.random((S, H, W, 5, 3)), (H, W, 5)),
    "shared points": case(rng.random((N, 3)), (N,)),
    "point sets": case(rng.random((S, N, 3)), (N,)),
    "as many points as samples": case(rng.random((S, S, 2)), (S,)),
    "as many rows as samples": case(rng.random((S, S, 2)), (S, S)),
    "ragged": ragged(),
    "timed grid": case(rng.random((H, W, 2)), (H, W), (T,)) | TIMES,
    "timed point sets": case(rng.random((S, N, 2)), (N,), (T,)) | TIMES,
    "timed ragged": ragged((T,)) | TIMES,
}


def changed(value, change):
    """The same arrays in another form."""
    if isinstance(value, dict):
        return {key: changed(part, change) for key, part in value.items()}
    return [change(part) for part in value] if isinstance(value, list) else change(value)


FORMS = {
    "float64": lambda z: z,
    "float32": lambda z: z.astype(np.float32),
    "lists": lambda z: z.tolist(),
    "tensors": torch.tensor,
    "with gradients": lambda z: torch.tensor(z, requires_grad=True),
    "fortran": np.asfortranarray,
}


@pytest.mark.parametrize("kind", CASES)
def test_arrays_come_back_sample_by_sample(kind, tmp_path):
    arrays = CASES[kind]
    data = Dataset.from_arrays("plate", **arrays, units={"u": "mm", "angle": "rad"})
    again = dataset_file.read(data.save(tmp_path / "plate.h5"))
    assert again.hash == data.hash and again.problem == data.problem
    assert data.problem.input_names == ("load",) and data.problem.output_names == ("u", "v")
    assert [f.unit for f in (*data.problem.outputs, *data.problem.parameters)] == ["mm", "", "rad"]
    shared = "shared" in kind or kind in ("timed grid", "as many rows as samples")
    for i in range(S):
        sample = again.sample(i)
        points = arrays["points"] if shared else arrays["points"][i]
        np.testing.assert_allclose(sample.points, points.reshape(-1, points.shape[-1]), rtol=1e-6)
        n = len(sample.points)
        for channel, name in enumerate(("u", "v")):
            u = arrays["outputs"][name][i]
            np.testing.assert_allclose(sample.outputs[..., channel].ravel(), u.ravel(), rtol=1e-6)
        load = arrays["inputs"]["load"][i]
        np.testing.assert_allclose(sample.inputs[..., 0], load.reshape(n), rtol=1e-6)
        assert sample.parameters == pytest.approx([arrays["parameters"]["angle"][i]])


def test_grids_are_told_from_point_sets():
    grids = {kind: Dataset.from_arrays("p", **CASES[kind]).problem.grid for kind in CASES}
    assert grids == dict.fromkeys(CASES) | {
        "shared grid": (H, W),
        "grids": (H, W),
        "shared grid in space": (H, W, 5),
        "grids in space": (H, W, 5),
        "timed grid": (H, W),
        "as many rows as samples": (S, S),
    }


@pytest.mark.parametrize("kind", ["shared grid", "ragged"])
@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_the_same_numbers_are_the_same(kind, form):
    arrays = CASES[kind]
    data = Dataset.from_arrays("plate", **changed(arrays, FORMS[form]))
    assert data.hash == Dataset.from_arrays("plate", **arrays).hash


def test_bfloat16_is_taken_as_it_is():
    arrays = changed(CASES["grids"], lambda z: torch.tensor(z, dtype=torch.bfloat16))
    data = Dataset.from_arrays("plate", **arrays)
    load = arrays["inputs"]["load"].float().numpy()
    np.testing.assert_array_equal(data.inputs[..., 0], load.reshape(S, -1))


def test_a_field_may_have_an_axis_of_length_one():
    arrays = CASES["grids"]
    more = arrays | {"outputs": changed(arrays["outputs"], lambda z: z[..., None])}
    assert Dataset.from_arrays("p", **more).hash == Dataset.from_arrays("p", **arrays).hash


def test_inputs_may_change_with_time_and_stand_beside_others():
    arrays = CASES["timed grid"]
    inputs = {"moving": rng.random((S, T, H, W)), "still": GRID}
    data = Dataset.from_arrays("p", **arrays | {"inputs": inputs})
    assert data.inputs.shape == (S, T, H * W, 2)
    np.testing.assert_allclose(data.inputs[3, 1, :, 1], GRID[3].ravel(), rtol=1e-6)


@pytest.mark.parametrize("shared", [True, False])
def test_an_output_may_exist_on_some_points_only(shared, tmp_path):
    mask = GRID[0] > 0.5 if shared else GRID > 0.5
    arrays = CASES["shared grid"]
    u = np.where(mask, arrays["outputs"]["u"], np.nan)
    data = Dataset.from_arrays("p", **arrays | {"outputs": {"u": u}}, masks={"u": mask})
    sample = dataset_file.read(data.save(tmp_path / "p.h5")).sample(4)
    expected = (mask if shared else mask[4]).ravel()
    np.testing.assert_array_equal(sample.masks["u"], expected)
    np.testing.assert_allclose(sample.outputs[expected, 0], u[4].ravel()[expected], rtol=1e-6)
    assert data.problem.outputs[0].mask == "u"


def test_splits_are_drawn_by_a_seed_or_given():
    arrays = CASES["grids"]
    first, same, other = (
        Dataset.from_arrays("p", **arrays, seed=seed).splits.hash for seed in (0, 0, 1)
    )
    assert first == same != other
    parts = Dataset.from_arrays("p", **arrays).splits
    assert [len(parts[name]) for name in ("train", "val", "test")] == [8, 1, 1]
    given = {"train": range(5), "val": [5], "test": np.arange(S) >= 6}
    splits = Dataset.from_arrays("p", **arrays, splits=given).splits
    assert splits.hash == Splits.consecutive(5, 1, 4).hash


def with_(**changes):
    return lambda: Dataset.from_arrays("plate", **CASES["grids"] | changes)


BAD = {
    "rows of one field": (
        with_(outputs={"u": GRID, "v": GRID[:, :3]}),
        "plate: output 'v' has shape (3, 3) in sample 0, expected (4, 3)",
    ),
    "samples": (
        with_(inputs={"load": GRID[:9]}),
        "plate: input 'load' has 9 samples, expected 10",
    ),
    "output and points": (
        with_(outputs={"u": rng.random((S, 5, 5))}),
        "output 'u' has shape (10, 5, 5), expected (10, 4, 3) at points of shape (10, 4, 3, 2)",
    ),
    "a vector": (
        with_(outputs={"u": GRID, "velocity": rng.random((S, H, W, 2))}),
        "give the components of a vector as fields of their own",
    ),
    "coordinates first": (
        with_(points=rng.random((S, 2, H, W))),
        "at points of shape (10, 2, 4, 3); their last axis holds the coordinates",
    ),
    "one dimension": (with_(points=rng.random((S, N, 1))), "expected (..., 2) or (..., 3)"),
    "a surface": (with_(points=rng.random((5, S, H, W, 2))), "a grid in 2-D has 2 axes"),
    "parameters": (
        with_(parameters={"angle": GRID}),
        "parameter 'angle' has shape (10, 4, 3), expected (10,): one number for each sample",
    ),
    "no outputs": (with_(outputs={}), "plate: no outputs"),
    "nan": (with_(outputs={"u": GRID * np.nan}), "outputs 'u' holds NaN in sample 0"),
    "complex": (with_(inputs={"load": GRID * 1j}), "input 'load': complex numbers"),
    "words": (with_(inputs={"load": ["a"] * S}), "input 'load' 0: values of type <U1"),
    "scalar": (with_(inputs={"load": 3.0}), "input 'load' has 0 samples, expected 10"),
    "mixed": (
        with_(outputs={"u": [rng.random(i + 3) for i in range(S)]}),
        "output 'u' is a list of arrays of different shapes, points are one array",
    ),
    "a name": (with_(inputs={"a/b": GRID}), "a field cannot be called 'a/b'"),
    "a unit": (with_(units={"loda": "N"}), "units: unknown field 'loda'; did you mean load"),
    "a mask": (with_(masks={"load": GRID > 0}), "masks: unknown field 'load'"),
    "a split": (with_(splits={"trian": [0]}), "splits: unknown split 'trian'; did you mean train"),
    "no test": (with_(splits={"train": [0], "val": [1]}), "splits: no 'test'"),
    "overlap": (with_(splits={"train": [0], "val": [0], "test": [1]}), "splits overlap: sample 0"),
    "times": (
        lambda: Dataset.from_arrays("plate", **case(GRID[0], (H,), (3,)), times=[0, 2, 1]),
        "plate: times must increase, 2 is followed by 1",
    ),
    "two samples": (
        lambda: Dataset.from_arrays("p", points=GRID[:2, :, :2], outputs={"u": GRID[:2, :, 0]}),
        "2 samples: at least 3 are needed",
    ),
    "ragged points": (
        lambda: Dataset.from_arrays("p", points=[GRID[0], GRID], outputs={"u": [GRID, GRID]}),
        "points have shape (10, 4, 3) in sample 1, expected (points, 2) or (points, 3)",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_what_does_not_fit_is_told_in_one_line(fault):
    make, message = BAD[fault]
    with pytest.raises(DataError) as caught:
        make()
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_dataset_is_short_in_print():
    data = Dataset.from_arrays("plate", **CASES["ragged"])
    assert repr(data) == (
        "<Dataset plate: load, angle -> u, v on a 2-D point set; "
        "10 samples: 8 train, 1 val, 1 test>"
    )
