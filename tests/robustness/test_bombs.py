"""Files that would take all memory are refused at once, in one line that names what would help."""

import json
import subprocess
import sys

import numpy as np
import pytest

from llt.data.arrays import read_arrays, write_arrays
from llt.errors import ConfigError, DataError
from llt.runtime import limits
from tests.robustness.bombs import BOMBS


@pytest.fixture(scope="module")
def measured():
    """All in one process of their own: memory that was ever used would hide what they take."""
    words = [sys.executable, "-m", "tests.robustness.bombs"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_expands(measured, name):
    found = measured[name]
    assert f"{name}." in found["message"]  # the file
    assert "\n" not in found["message"]
    assert found["bytes"] < 200 * 2**20
    assert found["seconds"] < 1


def test_the_limit_can_be_raised_and_lowered(tmp_path, monkeypatch):
    path = tmp_path / "question.npz"
    write_arrays(path, {"a": np.zeros(2**20, np.float32)})
    monkeypatch.setenv("LLT_READ_LIMIT", "3.9M")
    with pytest.raises(DataError, match=r"would take 4 MiB .* at most 3.9 MiB .* LLT_READ_LIMIT"):
        read_arrays(path)
    monkeypatch.setenv("LLT_READ_LIMIT", "5M")
    assert read_arrays(path)["a"].shape == (2**20,)
    monkeypatch.setenv("LLT_READ_LIMIT", "much")
    with pytest.raises(ConfigError, match=r"LLT_READ_LIMIT='much': expected a size as 500M, 8G"):
        read_arrays(path)


def test_files_may_expand_a_hundredfold_and_small_ones_more(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "SMALL", 2**10)
    path = tmp_path / "file"
    path.write_bytes(bytes(10))
    assert limits.read_limit(path) == 2**10
    path.write_bytes(bytes(100))
    assert limits.read_limit(path) == 10_000


def test_objects_are_not_unpickled(tmp_path):
    np.savez(tmp_path / "question.npz", a=np.array([print], object), b=np.ones(2))
    assert list(read_arrays(tmp_path / "question.npz")) == ["b"]
