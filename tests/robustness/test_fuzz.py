"""Damaged files of every kind: read as they were, or refused in one line that names them.

More trials: pytest tests/robustness/test_fuzz.py --fuzz 10000. All kinds run in one process of
their own, which forks a child for every trial.
"""

import json
import subprocess
import sys

import pytest

from tests.robustness.kinds import KINDS

FORMATS = dict.fromkeys((name for name in KINDS if name.startswith("format-")), 0.03)
SHARES = FORMATS | {
    "parts": 0.04,
    "array-parts": 0.04,
    "run": 0.03,
    "settings": 0.06,
    "stopped-run": 0.02,
    "trust": 0.02,
    "pack": 0.03,
    "run-shown": 0.04,
    **dict.fromkeys(("plan", "table-csv", "table-toml", "prepared-parts", "car"), 0.04),
}
SHARE = 0.15  # of the trials that are asked for; those that train or are many get fewer


@pytest.fixture(scope="module")
def reports(request):
    trials = request.config.getoption("--fuzz")
    words = [f"{name}={max(1, round(trials * SHARES.get(name, SHARE)))}" for name in KINDS]
    command = [sys.executable, "-m", "tests.robustness.campaign", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr[-2000:]
    return {report["kind"]: report for report in json.loads(done.stdout)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused_or_change_nothing(reports, kind):
    report = reports[kind]
    assert sum(report["outcomes"].values()) == report["trials"]
    assert not report["bad"], json.dumps(report["bad"][0], indent=1)
