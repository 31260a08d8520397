"""The command in this process, without the time that a new one takes to begin."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from llt.cli import main
from llt.errors import LltError


def llt(*words: Any) -> str:
    """What it prints; its complaint is raised, without what it said of its work before."""
    out, complaint = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(complaint):
        code = main([str(word) for word in words])
    if code:
        said = complaint.getvalue()
        raise LltError(said[said.find("llt: ") :].strip())
    return out.getvalue()
