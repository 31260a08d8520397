"""Files written sample by sample: in little memory, safely, and read back in little memory."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from llt.data import dataset_file, hdf5
from llt.data.dataset import Sample
from llt.data.dataset_writer import DatasetWriter
from llt.data.splits import Splits
from llt.errors import DataError
from llt.problem import ELASTICITY, PLASTICITY
from tests.data.kinds import flow

HERE = Path(__file__).parent
LARGE = """
import sys
import numpy as np
import torch
from pathlib import Path
from llt.data import dataset_file
from llt.data.dataset_writer import DatasetWriter
from llt.data import normalizer
from llt.data.sample import Sample
from llt.data.splits import Splits
from llt.problem import CAR
from llt.training.trial import peak_memory

size = 40_000
x = np.zeros((size, 3), np.float32)  # which takes little time to compress
zeros = np.zeros((size, 4), np.float32)
drag = np.zeros(1, np.float32)
cpu = torch.device("cpu")
normalizer.MOST_POINTS = 2**16


def write_and_read(path, num):
    with DatasetWriter(path, CAR) as writer:
        for i in range(num):
            u = zeros[: size - i]
            surface = {"surface": u[:, 0] == 0}
            writer.add(Sample(x[: len(u)] + np.float32(i), u, u, masks=surface, derived=drag))
        writer.finish(Splits.consecutive(num - 2, 1, 1))
    data = dataset_file.read(path)
    for i in range(num):
        data.sample(i)
    normalizer.Normalizer.fit(data)
    return data.num_bytes


write_and_read(Path(sys.argv[1]), 6)  # what any file takes, and what is loaded once
before = peak_memory(cpu)
print(write_and_read(Path(sys.argv[1]), 120), peak_memory(cpu) - before)
"""


def test_neither_writing_nor_reading_holds_the_file_in_memory(tmp_path):
    command = [sys.executable, "-c", LARGE, str(tmp_path / "large.h5")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    size, used = map(int, done.stdout.split())
    assert size > 200e6
    assert used < size / 8


@pytest.mark.parametrize("times", [[0, 1, 1], [2, 1]])
def test_times_must_increase(tmp_path, times):
    with pytest.raises(DataError, match=r"plasticity: times must increase, \d is followed by 1"):
        DatasetWriter(tmp_path / "set.h5", PLASTICITY, times=np.array(times))


def test_samples_of_another_size_turn_the_file_ragged(tmp_path):
    """Late, when stacked arrays, a shared mesh and a shared mask are there already."""
    x = np.random.default_rng(0).random((8, 2))
    mask = np.arange(8) < 3
    path = tmp_path / "set.h5"
    sizes = [6, 6, 6, 8, 6]
    with DatasetWriter(path, ELASTICITY) as writer:
        for n in sizes:
            writer.add(Sample(x[:n], np.empty((n, 0)), x[:n, 1:], {"hole": mask[:n]}))
        writer.finish(Splits.consecutive(3, 1, 1))
    data = dataset_file.read(path)
    assert data.counts.tolist() == sizes
    for index, n in enumerate(sizes):
        np.testing.assert_array_equal(data.sample(index).points, x[:n].astype(np.float32))
        np.testing.assert_array_equal(data.sample(index).masks["hole"], mask[:n])
    with h5py.File(path) as file:
        assert set(file["outputs"]) == {"stress"}


def test_numbers_of_double_precision_have_the_hash_of_what_is_stored(tmp_path):
    data = flow()  # made from float64 numbers
    dataset_file.write(tmp_path / "set.h5", data)
    assert dataset_file.read(tmp_path / "set.h5").hash == data.hash


BAD_SAMPLES = {
    "no mask": (lambda s: Sample(s.points, s.inputs, s.outputs), "unknown mask 'surface'"),
    "too few rows": (
        lambda s: Sample(s.points, s.inputs[:-1], s.outputs, s.masks, s.parameters, s.derived),
        "flow: sample 1: inputs (6, 2), expected (7, 2)",
    ),
    "nan": (
        lambda s: Sample(s.points, s.inputs, s.outputs * np.nan, s.masks, s.parameters, s.derived),
        "flow: outputs 'pressure' holds NaN in sample 1",
    ),
    "no parameters": (
        lambda s: Sample(s.points, s.inputs, s.outputs, s.masks),
        "flow: parameters have shape (0,), expected (2,)",
    ),
    "no weights": (lambda s: replace(s, weights={}), "flow: sample 1 has points, "),
    "too few weights": (
        lambda s: replace(s, weights={"drag/pressure": np.ones(6)}),
        "flow: sample 1: weights 'drag/pressure' (6,) for 7 points",
    ),
    "nan weight": (
        lambda s: replace(s, weights={"drag/pressure": np.full(7, np.nan)}),
        "flow: sample 1: weights 'drag/pressure' hold NaN or infinity",
    ),
    "a mask more": (
        lambda s: Sample(
            s.points,
            s.inputs,
            s.outputs,
            s.masks | {"inlet": s.masks["surface"]},
            s.parameters,
            s.derived,
        ),
        "flow: sample 1 has points, ",
    ),
}


@pytest.mark.parametrize("fault", BAD_SAMPLES)
def test_bad_sample_is_refused_with_its_number_and_leaves_no_file(tmp_path, fault):
    change, message = BAD_SAMPLES[fault]
    data = flow()
    with (
        pytest.raises(DataError) as caught,
        DatasetWriter(tmp_path / "set.h5", data.problem) as writer,
    ):
        writer.add(data.sample(0))
        writer.add(change(data.sample(1)))
    assert message in str(caught.value)
    assert not [*tmp_path.iterdir()]


def test_unfinished_file_is_an_error(tmp_path):
    with (
        pytest.raises(DataError, match=r"set\.h5: writing ended without `finish`"),
        DatasetWriter(tmp_path / "set.h5", flow().problem) as writer,
    ):
        writer.add(flow().sample(0))
    assert not [*tmp_path.iterdir()]


def test_damaged_sample_is_found_when_it_is_read(tmp_path):
    path = tmp_path / "set.h5"
    dataset_file.write(path, flow())
    with h5py.File(path, "r+") as file:
        file["parameters/speed"][3] += 1
    data = dataset_file.read(path)
    data.sample(2)
    message = r"set\.h5: damaged: sample 3 has checksum [0-9a-f]{16}, written as [0-9a-f]{16}$"
    with pytest.raises(DataError, match=message):
        data.sample(3)
    with pytest.raises(DataError, match=message):
        data.load()


def test_unreadable_sample_is_named(tmp_path):
    path = tmp_path / "set.h5"
    dataset_file.write(path, flow())
    with h5py.File(path) as file:
        chunk = file["outputs/velocity"].id.get_chunk_info(0)
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset : chunk.byte_offset + chunk.size] = b"x" * chunk.size
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"set\.h5: sample 0 is damaged or cannot be read: "):
        dataset_file.read(path).sample(0)


@pytest.mark.parametrize(
    ("name", "hash_", "count"),
    [("version1.h5", "fb7946abb041e3a9", 25), ("version1_ragged.h5", "a3197f506a53588e", 20)],
)
def test_files_of_version_1_still_open(name, hash_, count):
    """With the hash that runs trained on them have kept."""
    data = dataset_file.read(HERE / name)
    assert (data.version, data.hash, len(data)) == (1, hash_, 6)
    assert data.sample(0).outputs.shape == (count, len(data.problem.outputs))
    assert data.sample(0).outputs.any()
    if "ragged" not in name:
        np.testing.assert_array_equal(data.records["redraws"], np.arange(6) % 3)
        assert data.provenance == {"source": "test", "seed": 3}


def test_damage_in_a_file_of_version_1(tmp_path):
    path = tmp_path / "old.h5"
    path.write_bytes((HERE / "version1.h5").read_bytes())
    with h5py.File(path, "r+") as file:
        file["inputs/permeability"][2, 1, 1] = 5
    with pytest.raises(DataError, match=r"old\.h5: contents have hash"):
        dataset_file.read(path)


class FullDisk:
    """A file that takes so many bytes, then fails like a full disk."""

    def __init__(self, raw, room):
        self.raw, self.room = raw, room

    def __getattr__(self, name):
        return getattr(self.raw, name)

    def write(self, data):
        if len(data) > self.room:
            raise OSError(28, "No space left on device")
        self.room -= len(data)
        return self.raw.write(data)


@pytest.mark.parametrize("room", [0, 100, 3000, 10000])
def test_failed_write_keeps_the_old_file(darcy_file, darcy_data, monkeypatch, capfd, room):
    before = darcy_file.read_bytes()
    assert len(before) > room
    patient = hdf5.PatientOutput
    monkeypatch.setattr(hdf5, "PatientOutput", lambda raw: patient(FullDisk(raw, room)))
    with pytest.raises(OSError, match="No space left"):
        dataset_file.write(darcy_file, darcy_data)
    assert darcy_file.read_bytes() == before
    assert [p.name for p in darcy_file.parent.iterdir()] == ["darcy.h5"]
    assert capfd.readouterr().err == ""


def test_a_long_writing_stops_soon_after_the_disk_is_full(tmp_path, monkeypatch):
    """Not only when the file is closed, which may be days later."""
    patient = hdf5.PatientOutput
    monkeypatch.setattr(hdf5, "PatientOutput", lambda raw: patient(FullDisk(raw, 100_000)))
    rng, added = np.random.default_rng(0), 0
    with (
        pytest.raises(OSError, match="No space left"),
        DatasetWriter(tmp_path / "set.h5", ELASTICITY) as writer,
    ):
        while added < 1000:
            x = rng.random((1000, 2), dtype=np.float32)
            writer.add(Sample(x, x[:, :0], x[:, :1]))
            added += 1
    assert added < 500
    assert not [*tmp_path.iterdir()]
