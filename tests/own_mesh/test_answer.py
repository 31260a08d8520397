"""Predictions as arrays of a file."""

from pathlib import Path

import numpy as np

from llt.data.folder.cases import Case
from llt.data.folder.plan import Plan, Source
from llt.data.folder.sample import Reader
from llt.data.formats import Mesh
from llt.own_mesh.answer import Answer, joined
from llt.own_mesh.question import FileQuestion

SOURCE = Source(name="p", channels=("p",), mask="wall")
PLAN = Plan(
    name="walls",
    location="points",
    axes="xy",
    grid=None,
    times=(),
    last=False,
    inputs=(),
    outputs=(SOURCE,),
    masks=("wall",),
    table="",
    columns=(),
    numbers=(),
)


def answer(bars=None, **patches):
    mesh = Mesh(
        points=np.random.default_rng(0).random((4, 2)),
        point_fields={"p": np.arange(4.0)},
        patches={name: np.array(mask, bool) for name, mask in patches.items()},
    )
    reader = Reader(Case(name="a", files=(Path("a.msh"),)), PLAN, mesh, [*patches])
    question = FileQuestion(
        points=reader.points, inputs={}, times=None, moments=(), reader=reader, first=mesh
    )
    return Answer(question, {"p": np.full(4, 2, np.float32)}, mesh, bars or {})


def test_an_output_of_a_patch_exists_there_alone():
    one = answer(wall=[0, 1, 1, 0])
    np.testing.assert_array_equal(one.arrays()["p_pred"], [np.nan, 2, 2, np.nan])
    np.testing.assert_array_equal(one.arrays()["p_error"], [np.nan, 1, 0, np.nan])
    assert one.squares("p") == (1, 5)


def test_without_the_patch_it_is_predicted_everywhere():
    np.testing.assert_array_equal(answer().arrays()["p_pred"], [2, 2, 2, 2])


def test_a_bar_stands_beside_every_value():
    assert "p_bar" not in answer().arrays()
    found = answer({"p": 0.25}, wall=[0, 1, 1, 0]).arrays()["p_bar"]
    np.testing.assert_array_equal(found, np.float32([np.nan, 0.25, 0.25, np.nan]))
    assert found.dtype == np.float32


def test_vectors_are_joined_as_the_files_have_them():
    source = Source(name="U", components=(0, 2), size=3, channels=("U_x", "U_y"))
    found = joined(source, {"U_x": np.array([[1.0, 2.0]]), "U_y": np.array([[3.0, 4.0]])})
    np.testing.assert_array_equal(found, [[1, 0, 3], [2, 0, 4]])
