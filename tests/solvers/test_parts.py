"""Finished samples: taken again exactly as they were solved, or solved again."""

import json
import random
import warnings
import zipfile
from dataclasses import asdict
from io import BytesIO

import numpy as np
import pytest

from llt.errors import DataError
from llt.solvers.base import Solution
from llt.solvers.generate import generate
from llt.solvers.parts import Parts
from tests.solvers.test_generate import job, pressures

JOB = {"problem": "heat", "seed": 0, "settings": {}, "version": 1}


def solution(scale=1.0):
    return Solution(
        points=scale * np.arange(12.0).reshape(6, 2),
        inputs={},
        outputs={"u": scale * np.ones((3, 6))},
        times=np.arange(3.0),
        masks={"inside": np.arange(6) > 2},
        parameters={"power": 4.0},
        info={"redraws": 0.0},
    )


@pytest.fixture
def parts(tmp_path):
    parts = Parts(tmp_path / "parts", JOB)
    parts.claim(range(0))
    for index in range(4):
        parts.write(index, solution())
    return parts


def older(parts, *indices):
    """As older versions wrote them: without a checksum, and nothing in the record about it."""
    parts.record.write_text(json.dumps(JOB))
    for index in indices:
        unsigned(parts.path(index))


def unsigned(path):
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files if name != "checksum"}
    np.savez(path, **arrays)


def test_what_is_read_is_what_was_written(parts):
    found, expected = parts.read(1), solution()
    for name in ("points", "times"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found.outputs["u"], expected.outputs["u"])
    np.testing.assert_array_equal(found.masks["inside"], expected.masks["inside"])
    assert (found.parameters, found.info) == ({"power": 4.0}, {"redraws": 0.0})
    assert parts.claim(range(6)) == [4, 5]


def flipped(content):
    middle = len(content) // 3
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGES = {
    "truncated": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "zeroed": lambda content: bytes(len(content)),
    "flipped": flipped,
    "text": lambda content: b"not a part",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_part_is_solved_again_with_a_word(parts, damage):
    path = parts.path(2)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.warns(UserWarning, match=r"damaged or of another job, made again: 000002.npz$"):
        assert parts.claim(range(4)) == [2]
    with pytest.raises(DataError, match=r"000002.npz: damaged or"):
        parts.read(2)


def test_a_part_of_another_job_or_sample_is_solved_again(parts, tmp_path):
    other = Parts(tmp_path / "other", JOB | {"seed": 1})
    other.write(1, solution())
    parts.path(1).write_bytes(other.path(1).read_bytes())
    parts.path(2).write_bytes(parts.path(3).read_bytes())
    with pytest.warns(UserWarning, match=r"000001.npz, 000002.npz$"):
        assert parts.claim(range(4)) == [1, 2]


def test_every_flipped_bit_is_noticed(parts):
    """Or it changes nothing: a time stamp of the archive."""
    content, rng = parts.path(0).read_bytes(), random.Random(0)
    expected, accepted = solution(), 0
    for _ in range(400):
        place = rng.randrange(len(content))
        changed = bytes([content[place] ^ (1 << rng.randrange(8))])
        parts.path(0).write_bytes(content[:place] + changed + content[place + 1 :])
        try:
            found = parts.read(0)
        except DataError:
            continue
        accepted += 1
        np.testing.assert_array_equal(found.points, expected.points)
        np.testing.assert_array_equal(found.outputs["u"], expected.outputs["u"])
        assert found.info == expected.info
    assert accepted < 200


def test_parts_of_older_versions_are_taken_if_they_are_complete(parts):
    older(parts, 0, 1, 2)
    np.savez(parts.path(3), points=np.zeros((6, 2)), **{"outputs.other": np.zeros(6)})
    with pytest.warns(UserWarning, match="made again: 000003.npz$"):
        assert parts.claim(range(4)) == [3]
    np.savez(parts.path(3), points=np.zeros((6, 2)))
    with pytest.raises(DataError, match="no outputs"):
        parts.read(3)


def test_parts_without_checksum_belong_to_nobody_where_the_record_is_gone(parts):
    older(parts, 0)
    parts.record.unlink()
    with pytest.warns(UserWarning, match="made again: 000000.npz$"):
        assert parts.claim(range(4)) == [0]
    assert json.loads(parts.record.read_text()) == JOB | {"signed": True}


def test_a_checksum_cannot_be_left_out(parts):
    unsigned(parts.path(0))
    with pytest.raises(DataError, match="damaged or of another job"):
        parts.read(0)


def member(shape, dtype="<f8", content=b""):
    header = BytesIO()
    about = {"shape": shape, "fortran_order": False, "descr": dtype}
    np.lib.format.write_array_header_1_0(header, about)
    return header.getvalue() + content


BOMBS = {
    "large": (member((10**15,)), zipfile.ZIP_STORED),
    "negative": (member((-1, -8), content=bytes(64)), zipfile.ZIP_STORED),
    "compressed": (member((2**27,), "|i1", bytes(2**27)), zipfile.ZIP_DEFLATED),
    "pickle": (member((1,), "|O", bytes(8)), zipfile.ZIP_STORED),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_sizes_are_not_believed_and_nothing_is_unpickled(parts, bomb):
    content, compression = BOMBS[bomb]
    older(parts)
    with zipfile.ZipFile(parts.path(0), "w", compression) as archive:
        archive.writestr("points.npy", content)
        archive.writestr("outputs.u.npy", member((0,)))
    with pytest.raises(DataError, match=r"it declares what it does not hold|compressed"):
        parts.read(0)


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b"[" * 10**5, b""])
def test_a_damaged_record_says_what_to_do(parts, content):
    parts.record.write_bytes(content)
    with pytest.raises(DataError, match=r"job.json: .*; remove .*parts and begin anew, w"):
        parts.claim(range(4))


def test_a_damaged_sample_never_ends_up_in_the_data(tmp_path):
    whole = pressures(generate(job(), 4, tmp_path / "whole"))
    generate(job(), 4, tmp_path / "parts")
    parts = Parts(tmp_path / "parts", asdict(job()))
    parts.path(1).write_bytes(flipped(parts.path(1).read_bytes()))
    with pytest.warns(UserWarning, match="made again: 000001.npz"):
        again = pressures(generate(job(), 4, tmp_path / "parts"))
    np.testing.assert_array_equal(again, whole)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        later = generate(job(), 4, tmp_path / "parts")
    parts.path(3).write_bytes(b"")  # after it was looked at
    with pytest.raises(DataError, match=r"000003.npz: damaged or cannot be read"):
        list(later)
