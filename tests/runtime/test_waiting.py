"""Threads that wait for each other sleep soon, unless somebody has said otherwise."""

import os
import subprocess
import sys

import pytest

from llt.runtime.waiting import SPINS, VARIABLES


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [str(SPINS), None]),
        ({"GOMP_SPINCOUNT": "7"}, ["7", None]),
        ({"OMP_WAIT_POLICY": "ACTIVE"}, [None, "ACTIVE"]),
    ],
)
def test_spins_are_few_where_nothing_is_set(given, expected):
    environment = {k: v for k, v in os.environ.items() if k not in VARIABLES} | given
    code = f"import llt, os; print([os.environ.get(name) for name in {VARIABLES}])"
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(expected)
