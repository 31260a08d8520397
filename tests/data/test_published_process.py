"""A library that crashes takes its own process with it, not the command."""

import os
import sys
from pathlib import Path

import pytest

from llt.data.published.process import apart, call_apart
from llt.errors import DataError


def read(path):
    sys.stderr.write("a warning of many lines\n" * 3)
    if path.name == "damaged":
        os.abort()
    if path.name == "refused":
        raise DataError(f"{path}: no pressure")
    return path.name


def test_results_and_refusals_come_back_and_a_crash_is_one_line(capfd):
    with apart() as pool:
        assert call_apart(pool, read, Path("whole")) == "whole"
        with pytest.raises(DataError, match=r"^refused: no pressure$"):
            call_apart(pool, read, Path("refused"))
        with pytest.raises(DataError, match=r"^damaged: damaged; the library that reads it"):
            call_apart(pool, read, Path("damaged"))
    assert capfd.readouterr() == ("", "")
