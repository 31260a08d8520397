"""Other resolutions: which can be asked, and that thinning keeps values at their points."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from llt.errors import ConfigError
from llt.evaluation import resolution
from llt.evaluation.resolution import check_resolutions, errors_by_resolution, resolution_job
from llt.solvers.base import Solution
from tests.conftest import darcy_like


def generated():
    settings = {"resolution": 25, "stored_resolution": 9, "tau": 3.0}
    return replace(darcy_like(), provenance={"source": "generated", "settings": settings})


def test_samples_are_solved_again_on_the_finest_grid():
    assert resolution_job(generated()) == {"resolution": 25, "stored_resolution": 25, "tau": 3.0}


def test_only_data_that_can_be_solved_again_have_other_resolutions():
    with pytest.raises(ConfigError, match="other resolutions need generated data on a square grid"):
        check_resolutions(darcy_like(), [5])


def test_resolutions_must_divide():
    check_resolutions(generated(), [5, 7, 9, 13, 25])
    with pytest.raises(ConfigError, match=r"resolution 8 .* of 25; choose from \[5, 7, 9, 13, 25"):
        check_resolutions(generated(), [7, 8])


def test_thinned_fields_stay_at_their_points(monkeypatch):
    """Fields that are functions of the coordinates must be so after thinning."""
    axis = np.linspace(0, 1, 25)
    y, x = np.meshgrid(axis, axis, indexing="ij")
    points = np.stack([x, y], axis=-1)
    fields = {"inputs": {"permeability": x + 2 * y}, "outputs": {"pressure": x - y}}
    asked = []

    def remember(surrogate, data, indices):
        asked.append(data)
        return np.array([0.1, 0.3])[indices], np.ones((2, 1))

    monkeypatch.setattr(resolution, "split_errors", remember)
    solutions = [Solution(points=points, **fields)] * 2
    rows = errors_by_resolution(SimpleNamespace(), generated(), solutions, [5, 13])
    assert rows == [
        {"resolution": 5, "relative_l2": pytest.approx(0.2), "samples": 2},
        {"resolution": 13, "relative_l2": pytest.approx(0.2), "samples": 2},
    ]
    for n, data in zip((5, 13), asked, strict=True):
        assert data.problem.grid == (n, n)
        px, py = data.points.T
        assert (px.max(), py.max()) == (1, 1)
        np.testing.assert_allclose(data.inputs[1, :, 0], px + 2 * py, atol=1e-6)
        np.testing.assert_allclose(data.outputs[1, :, 0], px - py, atol=1e-6)
