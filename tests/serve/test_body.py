"""Bodies as clients send them, right, wrong, and of any bytes at all."""

import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llt.errors import DataError
from llt.serve.body import MOST_JSON, read_body, write_body
from llt.serve.kinds import MEDIA, kind_of, wanted
from tests.serve.made import npz

numbers = st.floats(allow_nan=False, allow_infinity=False, width=32) | st.integers(-(2**31), 2**31)
names = st.text(min_size=1, max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(names, st.lists(numbers, min_size=1, max_size=5) | numbers, max_size=4))
def test_what_json_says_is_what_is_read(said):
    found = read_body(json.dumps(said).encode(), ".json")
    assert found.keys() == said.keys()
    for name, value in said.items():
        np.testing.assert_array_equal(found[name], value)


@given(json_values)
def test_json_of_any_shape_gives_numbers_or_one_line(value):
    try:
        found = read_body(json.dumps(value).encode(), ".json")
    except DataError as error:
        assert "\n" not in str(error)
        return
    assert isinstance(value, dict) and found.keys() == value.keys()
    assert all(array.dtype.kind in "fiub" for array in found.values())


@given(st.binary(max_size=200), st.sampled_from([".json", ".npz"]))
@settings(max_examples=60)
def test_bytes_of_any_kind_are_refused_in_one_line(body, kind):
    try:
        read_body(body, kind)
    except DataError as error:
        assert "\n" not in str(error) and "llt-serve-" not in str(error)


@given(st.data())
@settings(max_examples=60)
def test_a_damaged_npz_is_read_right_or_refused(data):
    """A few bytes changed, or cut off: other numbers are found nowhere."""
    whole = npz(a=np.arange(6.0), b=np.array(2))
    body = bytearray(whole)
    for _ in range(data.draw(st.integers(0, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    body = body[: data.draw(st.integers(0, len(body)))] if data.draw(st.booleans()) else body
    try:
        found = read_body(bytes(body), ".npz")
    except DataError as error:
        assert "\n" not in str(error) and "llt-serve-" not in str(error)
        return
    for value in found.values():
        assert value.size in (6, 1) and value.ravel().tolist() in ([0, 1, 2, 3, 4, 5], [2])


@given(st.text(max_size=60), st.binary(max_size=60))
def test_any_content_type_is_a_kind_or_none(content_type, body):
    assert kind_of(content_type, body) in {"", *MEDIA}


@given(st.text(max_size=60))
def test_any_accept_is_a_kind_or_none(accept):
    assert wanted(accept, ".vtu", [".json", ".npz"]) in ("", ".vtu", ".json", ".npz")


BAD_JSON = {
    "cut off": (b'{"a": [1, 2', "not valid JSON"),
    "no UTF-8": (b'{"a": "\xff"}', "not valid JSON"),
    "a list": (b"[1, 2]", "holds list, expected an object"),
    "NaN": (b'{"a": [1, NaN]}', "JSON has no NaN"),
    "infinity": (b'{"a": -Infinity}', "JSON has no -Infinity"),
    "a name twice": (b'{"a": 1, "a": 2}', "has a name twice"),
    "text": (b'{"a": "1.5"}', "'a': expected numbers"),
    "text among numbers": (b'{"a": [1, "2"]}', "'a': expected numbers"),
    "nothing": (b'{"a": null}', "'a': expected numbers"),
    "rows of different lengths": (b'{"a": [[1], [2, 3]]}', "rows have different lengths"),
    "an object": (b'{"a": {"b": 1}}', "'a': expected numbers"),
    "a number beyond all": (b'{"a": ' + b"9" * 400 + b"}", "'a': expected numbers"),
    "digits without end": (b'{"a": ' + b"9" * 9999 + b"}", "not valid JSON"),
    "deep lists": (b'{"a": ' + b"[" * 99999 + b"}", "nested too deeply"),
    "deep numbers": (b'{"a": ' + b"[" * 70 + b"1" + b"]" * 70 + b"}", "nested too deeply"),
    "much": (b'{"a": [' + b"0," * (MOST_JSON // 2) + b"0]}", "send .npz"),
}


@pytest.mark.parametrize("kind", BAD_JSON)
def test_json_that_holds_no_numbers_is_refused(kind):
    body, message = BAD_JSON[kind]
    with pytest.raises(DataError, match=message) as caught:
        read_body(body, ".json")
    assert len(str(caught.value)) < 300


def test_long_and_many_texts_take_no_memory():
    """As one array, all of them would be as wide as the longest: 1 GiB here."""
    body = json.dumps({"a": ["x" * 2**18, *[""] * 2**10]}).encode()
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="'a': expected numbers"):
            read_body(body, ".json")
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


def zipped(name, content, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def test_a_pickle_is_left_unread(tmp_path):
    class Touch:
        def __reduce__(self):
            return Path.touch, (tmp_path / "executed",)

    found = read_body(npz(a=np.array([Touch()], object), b=np.ones(2)), ".npz")
    assert found.keys() == {"b"} and not (tmp_path / "executed").exists()


def test_a_bomb_is_refused_by_its_size(monkeypatch):
    monkeypatch.setenv("LLT_READ_LIMIT", "1M")
    body = npz(a=np.zeros(1))
    big = io.BytesIO()
    np.savez_compressed(big, a=np.zeros(2**22))
    assert len(big.getvalue()) < 2**16
    with pytest.raises(DataError, match="would take 32 MiB of memory"):
        read_body(big.getvalue(), ".npz")
    # one that lies: the directory says little, or the header says much
    lie = zipped("a.npy", np.lib.format.magic(1, 0) + body[30:])
    with pytest.raises(DataError):
        read_body(lie, ".npz")


def test_a_path_in_an_archive_leads_nowhere(tmp_path):
    file = io.BytesIO()
    np.save(file, np.ones(2))
    found = read_body(zipped("../../../../tmp/llt-escaped.npy", file.getvalue()), ".npz")
    assert [*found] == ["../../../../tmp/llt-escaped"] and not Path("/tmp/llt-escaped.npy").exists()


def test_an_answer_says_the_same_in_every_format():
    arrays = {"u": np.array([[1.5, -2.0]], np.float32), "bar": np.array(0.25)}
    said = json.loads(write_body(arrays, ".json", report={"run": "x"}))
    assert said == {"fields": {"u": [[1.5, -2.0]], "bar": 0.25}, "report": {"run": "x"}}
    found = read_body(write_body(arrays, ".npz"), ".npz")
    assert {name: value.tolist() for name, value in found.items()} == said["fields"]


def test_what_is_no_number_is_null():
    found = json.loads(write_body({"u": np.array([1.0, np.nan, np.inf])}, ".json"))
    assert found["fields"]["u"] == [1.0, None, None]


KINDS = {
    "npz": ("application/x-npz", b"", ".npz"),
    "json with a charset": ("Application/JSON; charset=utf-8", b"", ".json"),
    "json of curl": ("application/x-www-form-urlencoded", b' \n{"a": 1}', ".json"),
    "npz of curl": ("application/x-www-form-urlencoded", b"PK\3\4...", ".npz"),
    "hdf5 of nobody": ("", b"\x89HDF\r\n\x1a\n...", ".h5"),
    "vtu of nobody": ("", b'<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" >', ".vtu"),
    "legacy": ("application/octet-stream", b"# vtk DataFile Version 3.0", ".vtk"),
    "a pickle": ("application/octet-stream", b"\x80\x04\x95", ""),
    "html": ("text/html", b"{}", ""),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_is_of_the_type_it_says_or_else_begins_with(kind):
    content_type, body, expected = KINDS[kind]
    assert kind_of(content_type, body) == expected


def test_an_answer_is_of_the_first_type_that_is_accepted():
    possible = (".json", ".npz")
    assert wanted("", ".vtu", possible) == wanted("*/*", ".vtu", possible) == ".vtu"
    assert wanted("text/html, application/json;q=0.9", ".vtu", possible) == ".json"
    assert wanted("text/html", ".vtu", possible) == ""
    assert wanted("application/x-vtp", ".vtu", possible) == ""
