"""The dataset, its file and its splits: round trips, and a table of broken ones."""

import json
import pickle
from dataclasses import replace

import h5py
import numpy as np
import pytest

from llt.data import dataset_file
from llt.data.dataset import Sample
from llt.data.sample import checksum
from llt.data.splits import Splits
from llt.errors import DataError
from llt.problem import PROBLEMS, Problem
from tests.conftest import darcy_like, ragged
from tests.data.kinds import KINDS, flow, timed


@pytest.fixture(params=KINDS)
def data(request):
    return KINDS[request.param]()


def same_sample(old: Sample, new: Sample) -> None:
    for name in ("points", "inputs", "outputs", "parameters", "derived"):
        np.testing.assert_array_equal(getattr(old, name), getattr(new, name), err_msg=name)
        assert getattr(new, name).dtype == np.float32
    assert old.masks.keys() == new.masks.keys()
    for name, mask in old.masks.items():
        np.testing.assert_array_equal(mask, new.masks[name])
        assert new.masks[name].dtype == bool
    assert old.weights.keys() == new.weights.keys()
    for name, weights in old.weights.items():
        np.testing.assert_array_equal(weights, new.weights[name])
        assert new.weights[name].dtype == np.float32


def test_file_round_trip(data, tmp_path):
    path = tmp_path / "set.h5"
    records = {"redraws": np.arange(len(data)) % 3}
    data = replace(data, provenance={"source": "test", "seed": 3}, records=records)
    dataset_file.write(path, data)
    again = dataset_file.read(path)
    assert again.file is not None
    for read in (again, again.load(), pickle.loads(pickle.dumps(again))):
        assert read.problem == data.problem
        assert read.hash == data.hash
        assert read.provenance == data.provenance
        assert (read.ragged, read.shared_points) == (data.ragged, data.shared_points)
        assert read.num_bytes == data.num_bytes
        assert read.records.keys() == {"redraws"}
        np.testing.assert_array_equal(read.records["redraws"], records["redraws"])
        np.testing.assert_array_equal(read.counts, data.counts)
        for index in range(len(data)):
            same_sample(data.sample(index), read.sample(index))


def test_arrays_of_a_file_are_indexed_as_arrays_in_memory(data, tmp_path):
    dataset_file.write(tmp_path / "set.h5", data)
    stored = dataset_file.read(tmp_path / "set.h5")
    for name in ("points", "inputs", "outputs"):
        old, new = getattr(data, name), getattr(stored, name)
        assert (new.shape, new.ndim, len(new)) == (old.shape, old.ndim, len(old))
        for key in (0, slice(1, 3), np.array([len(old) - 1, 0]), slice(None)):
            np.testing.assert_array_equal(new[key], old[key])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "time" in kind])
def test_one_moment_of_a_timed_sample(kind, tmp_path):
    data = KINDS[kind]()
    dataset_file.write(tmp_path / "set.h5", data)
    stored = dataset_file.read(tmp_path / "set.h5")
    last = len(data.times) - 1
    for read in (data, stored, stored):  # checked as a whole when first read, then by parts
        moment, whole = read.sample(2, last), data.sample(2)
        np.testing.assert_array_equal(moment.outputs, whole.outputs[last])
        np.testing.assert_array_equal(
            moment.inputs, whole.inputs[last] if data.timed_inputs else whole.inputs
        )


def test_file_is_readable_with_h5py_alone(darcy_file, darcy_data):
    with h5py.File(darcy_file) as f:
        assert f["outputs/pressure"].shape == (12, 9, 9)
        assert f["points"].shape == (9, 9, 2)
        np.testing.assert_array_equal(f["outputs/pressure"][3].ravel(), darcy_data.outputs[3, :, 0])
        assert json.loads(f.attrs["problem"])["name"] == "darcy"


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=str)
def test_problem_survives_json(problem):
    assert Problem.from_dict(json.loads(json.dumps(problem.to_dict()))) == problem


def test_hash_sees_a_changed_number_and_a_changed_split(darcy_data):
    outputs = darcy_data.outputs.copy()
    outputs[3, 4, 0] += 1e-3
    assert replace(darcy_data, outputs=outputs).hash != darcy_data.hash
    assert replace(darcy_data, splits=Splits.consecutive(7, 3, 2)).hash != darcy_data.hash
    assert replace(timed(), times=np.linspace(0, 2, 6)).hash != timed().hash


def with_value(data, name, value):
    array = getattr(data, name).copy()
    array[3, ..., -1] = value
    return replace(data, **{name: array})


BROKEN_DATA = {
    "channels": (
        lambda: replace(darcy_like(), outputs=np.ones((12, 81, 2))),
        "darcy: channels of points, inputs, outputs are (2, 1, 2), not (2, 1, 1)",
    ),
    "points": (
        lambda: replace(darcy_like(), points=np.ones((80, 2))),
        "darcy: points (80, 2) do not fit outputs' samples (12, 81)",
    ),
    "no times": (
        lambda: replace(timed(), times=None),
        "plasticity: output times are needed exactly on timed problems",
    ),
    "times on an untimed problem": (
        lambda: replace(darcy_like(), times=np.ones(1)),
        "darcy: output times are needed exactly on timed problems",
    ),
    "too few times": (
        lambda: replace(timed(), times=np.linspace(0, 1, 5)),
        "plasticity: outputs (5, 6, 12, 4) for 5 times",
    ),
    "offsets": (
        lambda: replace(ragged(), offsets=ragged().offsets - 1),
        "points: offsets end at 287, outputs (288, 2)",
    ),
    "grid": (
        lambda: replace(darcy_like(), problem=replace(PROBLEMS["darcy"], grid=(9, 8))),
        "darcy: 81 points for the grid (9, 8)",
    ),
    "nan output": (
        lambda: with_value(darcy_like(), "outputs", np.nan),
        "darcy: outputs 'pressure' holds NaN in sample 3 (81 such values)",
    ),
    "infinite coordinate": (
        lambda: with_value(darcy_like(), "points", np.inf),
        "darcy: points 'y' holds infinity in row 3 (1 such values)",
    ),
    "no mask": (
        lambda: replace(flow(), masks={"volume": flow().masks["volume"]}),
        "flow: unknown mask 'surface'; choose from volume",
    ),
    "mask of other points": (
        lambda: replace(flow(), masks={"surface": np.ones(6, bool)}),
        "flow: mask 'surface' (6,) does not fit samples (5, 7)",
    ),
    "weights of another number": (
        lambda: replace(flow(), weights={"lift/pressure": np.ones((5, 7))}),
        "flow: weights of unknown number 'lift'; choose from drag",
    ),
    "weights of another output": (
        lambda: replace(flow(), weights={"drag/stress": np.ones((5, 7))}),
        "flow: weights of unknown output 'stress'; choose from pressure, velocity",
    ),
    "weights of other points": (
        lambda: replace(flow(), weights={"drag/pressure": np.ones((5, 6))}),
        "flow: weights 'drag/pressure' (5, 6) do not fit samples (5, 7)",
    ),
    "parameters": (
        lambda: replace(flow(), parameters=np.ones((5, 1))),
        "flow: parameters have shape (5, 1), expected (5, 2)",
    ),
    "nan parameter": (
        lambda: with_value(flow(), "parameters", np.nan),
        "flow: parameters 'angle' holds NaN in sample 3 (1 such values)",
    ),
    "ragged nan": (
        lambda: with_value(ragged(), "inputs", np.nan),
        "points: inputs 'load' holds NaN in row 3",
    ),
}


@pytest.mark.parametrize("fault", BROKEN_DATA)
def test_broken_data_is_named_with_its_fault(fault):
    make, message = BROKEN_DATA[fault]
    with pytest.raises(DataError) as caught:
        make()
    assert message in str(caught.value)


def edit(path, change):
    with h5py.File(path, "r+") as f:
        change(f)


def put(name, value):
    def change(f):
        del f[name]
        f[name] = value

    return change


def poison(value):
    def change(f):
        f["inputs/permeability"][2, 1, 1] = value

    return change


BROKEN_FILES = {
    "wrong field name": (
        lambda f: f.move("outputs/pressure", "outputs/presure"),
        "unknown field 'pressure'; did you mean presure",
    ),
    "nan": (poison(np.nan), "inputs 'permeability' holds NaN in sample 2"),
    "infinity": (poison(np.inf), "inputs 'permeability' holds infinity in sample 2"),
    "shapes disagree": (
        put("inputs/permeability", np.ones((11, 9, 9))),
        "do not fit outputs' samples",
    ),
    "other grid": (put("outputs/pressure", np.ones((12, 9, 8))), "on grid"),
    "changed number": (poison(5.0), "sample 2 has checksum "),
    "split outside": (put("splits/test", [10, 12]), "split test: index 10 or 12 outside 0..11"),
    "split overlap": (put("splits/test", [0, 11]), "splits overlap: sample 0 is used twice"),
    "other format": (lambda f: f.attrs.modify("format", "x"), "not an llt dataset"),
    "newer version": (
        lambda f: f.attrs.modify("version", 9),
        "file version 9, this llt reads 1 and 2",
    ),
}


@pytest.mark.parametrize("fault", BROKEN_FILES)
def test_broken_file_is_named_with_its_fault(darcy_file, fault):
    change, message = BROKEN_FILES[fault]
    edit(darcy_file, change)
    with pytest.raises(DataError, match=r"darcy\.h5: ") as caught:
        dataset_file.read(darcy_file).load()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_fields_of_one_group_must_have_one_shape(tmp_path, ragged_data):
    dataset_file.write(tmp_path / "set.h5", ragged_data)
    edit(tmp_path / "set.h5", put("outputs/strain", np.ones(3)))
    with pytest.raises(DataError, match=r"set\.h5: fields of outputs differ in shape: \[\(3,\), "):
        dataset_file.read(tmp_path / "set.h5")


def test_missing_file(tmp_path):
    with pytest.raises(DataError, match=r"nope\.h5: no such file"):
        dataset_file.read(tmp_path / "nope.h5")


def test_not_hdf5(tmp_path):
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(DataError, match=r"text.h5: not an HDF5 file or damaged"):
        dataset_file.read(tmp_path / "text.h5")


def test_truncated_file(darcy_file):
    content = darcy_file.read_bytes()
    darcy_file.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"darcy.h5: damaged or cannot be read: .*truncated"):
        dataset_file.read(darcy_file)


def test_empty_split(darcy_data):
    data = replace(darcy_data, splits=Splits.consecutive(12, 0, 0))
    with pytest.raises(DataError, match="darcy: split 'val' is empty"):
        data.split("val")


def test_unknown_split(darcy_data):
    with pytest.raises(DataError, match="unknown split 'tset'; did you mean test"):
        darcy_data.split("tset")


DAMAGE = {
    "no splits": lambda f: f.pop("splits"),
    "no outputs": lambda f: f.pop("outputs"),
    "no version": lambda f: f.attrs.pop("version"),
    "neither format nor outputs": lambda f: (f.attrs.pop("format"), f.pop("outputs")),
    "no problem": lambda f: f.attrs.pop("problem"),
    "bad json": lambda f: f.attrs.modify("problem", "{"),
    "scalar points": put("points", 3.0),
}


@pytest.mark.parametrize("fault", DAMAGE)
def test_damage_of_any_kind_is_one_line(darcy_file, fault):
    edit(darcy_file, DAMAGE[fault])
    with pytest.raises(DataError, match=r"darcy\.h5: ") as caught:
        dataset_file.read(darcy_file)
    assert "\n" not in str(caught.value)


def test_weights_count_in_the_checksum_of_a_sample():
    sample = flow().sample(1)
    other = replace(sample, weights={"drag/pressure": 2 * sample.weights["drag/pressure"]})
    without = replace(sample, weights={})
    assert len({checksum(z) for z in (sample, other, without)}) == 3
