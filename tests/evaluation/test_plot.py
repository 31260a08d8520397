"""A first look at fields."""

import numpy as np
import pytest

import llt
from llt.errors import DataError


def grid(*shape):
    axes = [np.linspace(0, 1, n) for n in shape]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


@pytest.mark.parametrize(
    "points",
    [grid(6, 9), grid(6, 9).reshape(-1, 2), grid(3, 4, 5).reshape(-1, 3)],
    ids=["grid", "points", "space"],
)
def test_every_field_has_a_picture_and_its_name(points, tmp_path):
    u = np.sin(points.sum(axis=-1))
    figure = llt.plot(points, {"u": u, "material": (u > 0.5)[..., None]})
    names = [text.get_text() for part in figure.subfigs for text in part.texts]
    assert names == ["u", "material"]
    assert sum(bool(part.axes) for part in figure.subfigs) == 2
    figure.savefig(tmp_path / "fields.png")
    assert (tmp_path / "fields.png").stat().st_size > 5000


def test_what_does_not_fit_is_named():
    with pytest.raises(DataError, match=r"u of shape \(5,\): expected a value at each of 54"):
        llt.plot(grid(6, 9), {"u": np.ones(5)})
    with pytest.raises(DataError, match=r"points of shape \(4,\)"):
        llt.plot(np.ones(4), {"u": np.ones(4)})
