"""Cases of every format become samples: places, fields, vectors, patches, units, grids, times."""

import numpy as np
import pytest

pytest.importorskip("pyvista")
pytest.importorskip("meshio")

from llt.data.folder.choice import choice_of
from llt.preparation.prepare import prepare_folder
from tests.data.formats.cases import CASES

CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def prepared(folder, name, **said):
    """A dataset of three such cases, and the second of them."""
    made = []
    for subfolder in ("a", "b", "c"):
        (folder / "cases" / subfolder).mkdir(parents=True)
        made.append(CASES[name](folder / "cases" / subfolder))
    fields = {**(made[1].point_fields or made[1].cell_fields)}
    fields.pop("id", None)
    said = {"location": "points" if made[1].point_fields else "cells", **said}
    said["outputs"] = [*fields]
    data = prepare_folder(folder / "cases", folder / "set.h5", choice_of(said), workers=1)
    return data, made[1], fields


@pytest.mark.parametrize("name", [name for name in CASES if name != "stl"])
def test_every_format_becomes_samples(name, tmp_path):
    data, case, fields = prepared(tmp_path, name, time="last")
    sample, plan = data.sample(1), data.provenance["plan"]
    axes = ["xyz".index(axis) for axis in plan["axes"]]
    places = case.points if plan["location"] == "points" else case.centers
    np.testing.assert_allclose(sample.points, places[:, axes], **CLOSE)
    for source in plan["outputs"]:
        values = fields[source["name"]].reshape(len(places), -1)
        chosen = values[:, source["components"] or [0]]
        channels = [data.problem.output_names.index(channel) for channel in source["channels"]]
        np.testing.assert_allclose(sample.outputs[:, channels], chosen, **CLOSE)
        assert data.problem.outputs[channels[0]].unit == case.units.get(source["name"], "")
    if plan["location"] == "points":
        found = {key: [*np.flatnonzero(mask)] for key, mask in sample.masks.items()}
        assert found == {key: [*indices] for key, indices in case.patches.items()}
        assert data.problem.grid == case.grid


@pytest.mark.parametrize("name", ["vtkhdf-series", "openfoam", "ensight"])
def test_times_become_the_datasets(name, tmp_path):
    data, case, fields = prepared(tmp_path, name, time="all")
    np.testing.assert_allclose(data.times, case.times)
    first = next(iter(fields.values()))
    right = first.reshape(len(first), -1)[:, 0]
    np.testing.assert_allclose(data.sample(1).outputs[-1, :, 0], right, **CLOSE)
