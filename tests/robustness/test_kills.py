"""Commands that are killed go on and end as if they had not been; a few kills of the campaign."""

import json
import os
import subprocess
import sys


def test_killed_commands_lose_nothing_and_end_the_same():
    """In a process of its own: what it forks must not have computed anything before."""
    command = [sys.executable, "-m", "tests.robustness.kills", "--kills", "6"]
    done = subprocess.run(
        command, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True
    )
    summary = json.loads(done.stdout)
    assert (done.returncode, [work["trouble"] for work in summary.values()]) == (
        0,
        [[]] * len(summary),
    )
    assert summary.keys() == {"generate", "train", "prepare", "append"}
    for work in summary.values():
        assert work["kills"] >= 6
        assert work["inside_writes"] >= 3
        assert work["lost"] == work["different"] == work["stuck"] == 0
