"""The container: what goes in comes out, where the page expects it."""

import json

import numpy as np
import pytest

from llt.view.container import Parcel, to_json
from tests.view.asking import unpack


@pytest.mark.parametrize("label", ["", "a", "ä" * 7, "<b>" * 5])
def test_arrays_and_meta_come_back(label):
    arrays = {
        "points": np.arange(9, dtype=np.float32).reshape(3, 3),
        "triangles": np.array([[0, 1, 2]], np.uint32),
        "mask:a/b": np.array([1, 0, 1], np.uint8),
        "empty": np.empty((0, 2), np.uint32),
        "turned": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    }
    meta, found = unpack(Parcel({"label": label}, arrays).packed())
    assert meta == {"label": label}
    assert [*found] == [*arrays]
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_numbers_that_are_none_become_null():
    value = {"a": [float("nan"), np.float32("inf"), np.int64(3)], "b": np.array([1.5, np.nan])}
    assert json.loads(to_json(value)) == {"a": [None, None, 3], "b": [1.5, None]}
