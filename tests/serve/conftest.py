"""A service of one run, for the tests of a module."""

import pytest

from tests.conftest import darcy_like
from tests.serve.made import serving, untrained


@pytest.fixture(scope="module")
def darcy():
    return untrained(darcy_like())


@pytest.fixture(scope="module")
def port(darcy):
    with serving({"darcy": darcy}) as running:
        yield running.port
