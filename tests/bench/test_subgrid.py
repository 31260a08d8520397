"""What a thinned input cannot tell."""

import numpy as np
import pytest

from llt.bench.subgrid import guessed_permeability, subgrid_errors
from llt.cli import main
from llt.data import dataset_file
from llt.errors import DataError
from llt.generation import generate_file
from llt.solvers.darcy import Settings
from tests.conftest import darcy_like

SMALL = {"resolution": 33, "stored_resolution": 17}


@pytest.fixture(scope="module")
def darcy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("subgrid")
    generate_file("darcy", folder / "thin.h5", counts=(1, 1, 3), workers=1, settings=dict(SMALL))
    whole = SMALL | {"stored_resolution": 33}
    generate_file("darcy", folder / "whole.h5", counts=(1, 1, 3), workers=1, settings=whole)
    return folder


def test_an_input_that_is_not_thinned_tells_all(darcy):
    data = dataset_file.read(darcy / "whole.h5")
    assert subgrid_errors(data, data.split("test")).max() < 1e-6


def test_a_thinned_one_does_not(darcy):
    data = dataset_file.read(darcy / "thin.h5")
    errors = subgrid_errors(data, data.split("test"))
    assert errors.shape == (3,) and errors.min() > 1e-3 and errors.max() < 0.1


def test_the_guess_has_the_stored_values_where_they_are_known():
    settings = Settings(**SMALL)
    rng = np.random.default_rng(0)
    stored = np.where(rng.random((17, 17)) > 0.5, settings.high, settings.low)
    guess = guessed_permeability(stored, settings)
    assert guess.shape == (33, 33)
    assert (guess[::2, ::2] == stored).all()


def test_only_generated_darcy_files():
    data = darcy_like()
    with pytest.raises(DataError, match="expected a file of llt generate darcy"):
        subgrid_errors(data, data.split("test"))


def test_the_command_keeps_a_record(darcy, tmp_path, capsys):
    words = ["bench", "subgrid", str(darcy / "thin.h5"), "--samples", "2"]
    assert main([*words, "--out", str(tmp_path / "solvers/record.json")]) == 0
    assert "2 samples: mean 0.0" in capsys.readouterr().out
    assert main([*words, "--out", str(tmp_path / "solvers/record.json")]) == 2
