"""What is released: built from the tracked files, complete, and at work outside of the tree."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

import llt
from tools.artifacts import problems, tracked
from tools.distribution import build
from tools.release import obstacles, sections

ROOT = Path(__file__).parents[1]
READY = "## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n### Added\n- This.\n"
WHEEL = f"llt-{llt.__version__}-py3-none-any.whl"


@pytest.fixture(scope="module")
def files():
    return tracked()


@pytest.fixture(scope="module")
def dist(tmp_path_factory, files):
    """The source distribution, and the wheel that it makes."""
    out = tmp_path_factory.mktemp("dist")
    assert "deprecated" not in build(files, out).lower()
    return out


@pytest.mark.slow
def test_wheel_and_source_distribution_hold_what_is_tracked_and_say_what_they_are(dist, files):
    assert problems(dist, files, llt.__version__) == []


@pytest.mark.slow
def test_what_is_missing_or_too_much_is_named(dist, files, tmp_path):
    shutil.copytree(dist, tmp_path, dirs_exist_ok=True)
    with ZipFile(dist / WHEEL) as good, ZipFile(tmp_path / WHEEL, "w") as bad:
        for name in good.namelist():
            if not name.endswith("report.css"):
                text = good.read(name)
                bad.writestr(name, text.replace(b"License-Expression: MIT", b"License: MIT"))
        bad.writestr("tests/conftest.py", "")
    found = problems(tmp_path, files, llt.__version__)
    assert found == [
        f"{WHEEL}: lacks llt/evaluation/report.css",
        f"{WHEEL}: holds tests/conftest.py, which is not tracked",
        f"{WHEEL}: license is None, expected MIT",
    ]


@pytest.mark.slow
def test_metadata_that_an_index_would_refuse_are_named(dist, files, tmp_path):
    name = f"llt-{llt.__version__}.tar.gz"
    shutil.copy(dist / WHEEL, tmp_path)
    with tarfile.open(dist / name) as good, tarfile.open(tmp_path / name, "w:gz") as bad:
        for entry in good:
            content = good.extractfile(entry).read() if entry.isfile() else b""
            if entry.name.endswith(f"{llt.__version__}/PKG-INFO"):
                content = content.replace(b"License-Expression: MIT", b"License-Expression: ?")
                entry.size = len(content)
            bad.addfile(entry, io.BytesIO(content))
    (line,) = problems(tmp_path, files, llt.__version__)
    assert line.startswith(name) and "license" in line


@pytest.mark.slow
def test_the_installed_wheel_works_outside_of_the_tree(dist, tmp_path):
    """In a folder of its own; only what it depends on comes from this environment."""
    place, work = tmp_path / "installed", tmp_path / "work"
    work.mkdir()
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-compile", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(place), str(dist / WHEEL)], check=True)
    known = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    known |= {"PYTHONPATH": str(place), "LLT_CACHE": str(tmp_path / "cache")}

    def asked(*words):
        run = subprocess.run(words, capture_output=True, text=True, cwd=work, env=known)
        assert run.returncode == 0, run.stderr
        return run.stdout

    assert asked(str(place / "bin/llt"), "--version").strip() == llt.__version__
    code = "import llt; llt.train; print(llt.__file__)"
    assert asked(sys.executable, "-c", code).strip() == str(place / "llt/__init__.py")
    doctor = asked(sys.executable, "-m", "llt", "doctor")
    assert "solver ok, model ok, files ok" in doctor
    assert str(place) in asked(sys.executable, "-m", "llt", "inspect", "pretrained:darcy")
    assert not list(work.iterdir())


def test_version_and_changelog_agree():
    """The newest released section is of this version; before the first release there is none."""
    text = (ROOT / "CHANGELOG.md").read_text()
    (first, _), *released = sections(text)
    assert first == "Unreleased"
    assert [heading.split(" - ")[0] for heading, _ in released[:1]] in ([], [llt.__version__])
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert settings["project"]["dynamic"] == ["version"]
    assert settings["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "llt.__version__"}


def test_a_tree_that_is_ready_has_no_obstacles():
    assert obstacles("0.2.0", READY, "", ["v0.1.0"]) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": " M llt/api.py\n"}, "changes that are not committed:\n M llt/api.py"),
        ({"tags": ["v0.2.0"]}, "v0.2.0 exists: raise __version__"),
        ({"changelog": READY.replace("0.2.0", "0.1.0")}, "must be `0.2.0 - YYYY-MM-DD`"),
        ({"changelog": READY.replace("2026-12-01", "soon")}, "must be `0.2.0 - YYYY-MM-DD`"),
        ({"changelog": READY.replace("\n\n", "\n- New.\n", 1)}, "an empty `Unreleased`"),
    ],
)
def test_what_is_in_the_way_of_a_release_is_said(change, message):
    given = {"version": "0.2.0", "changelog": READY, "status": "", "tags": []}
    (line,) = obstacles(**(given | change))
    assert message in line


def test_nothing_is_pushed_by_a_release():
    text = (ROOT / "Makefile").read_text() + (ROOT / "tools/release.py").read_text()
    for word in ("git push", '"push"', "twine upload"):
        assert word not in text
