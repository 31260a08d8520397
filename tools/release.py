"""What comes before and after the checks of `make release`. Nothing is pushed or uploaded.

python tools/release.py ready    is the tree ready to be released?
python tools/release.py tag      tag it; say what is left to do
"""

from __future__ import annotations

import re
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

ROOT = Path(__file__).parents[1]


def sections(changelog: str) -> list[tuple[str, str]]:
    """Heading and text of every version, newest first."""
    parts = re.split(r"^## (.+)\n", changelog, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


def obstacles(version: str, changelog: str, status: str, tags: list[str]) -> list[str]:
    """Why this tree cannot be released as this version."""
    found = []
    if changed := [line[3:] for line in status.splitlines()]:
        found.append(f"the tree has changes that are not committed: {', '.join(changed)}")
    if f"v{version}" in tags:
        found.append(f"v{version} exists: raise __version__ in llt/__init__.py")
    (first, left), *released = sections(changelog)
    if first != "Unreleased" or left:
        found.append("CHANGELOG.md: the first section must be an empty `Unreleased`")
    if not released or not re.fullmatch(
        rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", released[0][0]
    ):
        found.append(f"CHANGELOG.md: the second section must be `{version} - YYYY-MM-DD`")
    return found


def git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(task: str) -> int:
    sys.path.insert(0, str(ROOT))
    from llt import __version__ as version

    changelog = (ROOT / "CHANGELOG.md").read_text()
    tags = git("tag", "--list").split()
    if found := obstacles(version, changelog, git("status", "--porcelain"), tags):
        print("\n".join(found), file=sys.stderr)
        return 1
    if task == "tag":
        git("tag", "--annotate", f"v{version}", "--message", f"LLT {version}")
        print(f"tagged v{version}; dist/ has the wheel and the source distribution")
        print("nothing was pushed or uploaded: docs/releasing.md says how")
    return 0


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", choices=("ready", "tag"))
    sys.exit(main(parser.parse_args().task))
