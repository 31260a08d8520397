"""Build the source distribution and from it the wheel, of the tracked files alone; check both.

python tools/distribution.py dist
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from llt import __version__  # noqa: E402
from tools.artifacts import problems, tracked  # noqa: E402


def build(files: set[str], out: Path) -> str:
    """Whatever else lies in the tree stays out; gives what the tools have said."""
    with TemporaryDirectory() as folder:
        for name in files:
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, place)
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), folder]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout + done.stderr


def main(folder: str) -> int:
    out, files = Path(folder), tracked()
    for before in (*out.glob("llt-*.whl"), *out.glob("llt-*.tar.gz")):
        before.unlink()
    build(files, out)
    found = problems(out, files, __version__)
    print("\n".join(found) or f"{out}: wheel and source distribution of {__version__} are right")
    return 1 if found else 0


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder")
    sys.exit(main(parser.parse_args().folder))
