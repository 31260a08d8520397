"""Runs that cannot stand side by side."""

from dataclasses import replace

import pytest

from llt.cli import main
from llt.errors import ConfigError
from llt.evaluation.comparison import Comparison
from tests.data.kinds import flow
from tests.evaluation.comparison.made import trained


def test_what_cannot_be_compared_is_refused_with_the_reason(found):
    second = found.second
    for name, value, reason in (
        ("data_hash", "abc", "trained on different data, of hash .* and abc"),
        ("split_hash", "abc", "their data are split differently, by hash .* and abc"),
        ("split", "val", "evaluated on different splits, test and val"),
        ("indices", [1], "evaluated on different samples of the data, 12 of them and 1 of them"),
        ("times", [{"t": 1.0}], "different times, 0 and 1 of them, as those of rollouts"),
    ):
        other = replace(second, evaluation=replace(second.evaluation, **{name: value}))
        with pytest.raises(ConfigError, match=f"short and .*cannot stand side by side: .*{reason}"):
            Comparison(found.first, other)


def test_other_problems_are_refused_in_one_line(runs, tmp_path, capsys):
    other = trained(tmp_path, flow((12,) * 5, own_points=False, grid=(4, 3)), "flow")
    assert main(["report", str(runs[0]), str(other)]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "they solve different problems, darcy: " in line
