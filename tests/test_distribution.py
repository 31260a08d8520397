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
from tools import distribution, release
from tools.artifacts import metadata_problems, problems, tracked
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
@pytest.mark.parametrize(
    ("line", "instead", "key"),
    [
        (f"Version: {llt.__version__}", "Version: 9.9", "version is 9.9"),
        ("License-File: LICENSE", "License-File: COPYING", "license files is ['COPYING']"),
        ("Requires-Python: >=3.11", "Requires-Python: >=3.9", "Python is >=3.9"),
        ("Classifier: ", "Classifier: Private :: ", "classifiers is ['Private"),
        ("Provides-Extra: dev", "Provides-Extra: more", "extras is {"),
        ("-Type: text/markdown", "-Type: text/plain", "description is text/plain"),
    ],
)
def test_metadata_that_say_something_else_than_the_project_are_named(dist, line, instead, key):
    with ZipFile(dist / WHEEL) as wheel:
        text = wheel.read(f"llt-{llt.__version__}.dist-info/METADATA").decode()
    assert line in text
    (found,) = metadata_problems(WHEEL, text.replace(line, instead, 1).encode(), llt.__version__)
    assert found.startswith(f"{WHEEL}: {key}")


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
        ({"status": " M llt/api.py\n"}, "changes that are not committed: llt/api.py"),
        ({"tags": ["v0.2.0"]}, "v0.2.0 exists: raise __version__"),
        ({"changelog": READY.replace("0.2.0", "0.1.0")}, "must be `0.2.0 - YYYY-MM-DD`"),
        ({"changelog": READY.replace("2026-12-01", "soon")}, "must be `0.2.0 - YYYY-MM-DD`"),
        ({"changelog": READY.replace("12-01", "12-01, maybe")}, "must be `0.2.0 - YYYY-MM-DD`"),
        ({"changelog": READY.replace("0.2.0", "0x2.0")}, "must be `0.2.0 - YYYY-MM-DD`"),
        ({"changelog": "## Unreleased\n"}, "must be `0.2.0 - YYYY-MM-DD`"),
        ({"changelog": READY.replace("Unreleased", "Next")}, "an empty `Unreleased`"),
        ({"changelog": READY.replace("\n\n", "\n- New.\n", 1)}, "an empty `Unreleased`"),
    ],
)
def test_what_is_in_the_way_of_a_release_is_said(change, message):
    given = {"version": "0.2.0", "changelog": READY, "status": "", "tags": []}
    (line,) = obstacles(**(given | change))
    assert message in line


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Ready to be released, and not the one that the tests are in."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "a@example.org")
    monkeypatch.setattr(release, "ROOT", tmp_path / "tree")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/CHANGELOG.md").write_text(READY.replace("0.2.0", llt.__version__))
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "All"]):
        release.git(*words)
    return tmp_path / "tree"


def test_a_tree_is_tagged_once_and_only_when_it_is_ready(repository, capsys):
    assert release.main("ready") == 0 and release.git("tag") == ""
    (repository / "new").touch()
    assert release.main("tag") == 1 and release.git("tag") == ""
    assert capsys.readouterr().err == "the tree has changes that are not committed: new\n"
    (repository / "new").unlink()
    assert release.main("tag") == 0
    assert release.git("cat-file", "-t", f"v{llt.__version__}") == "tag\n"  # annotated
    assert release.main("tag") == 1
    assert f"v{llt.__version__} exists" in capsys.readouterr().err


def test_a_folder_with_anything_else_is_no_distribution_and_loses_nothing(tmp_path, monkeypatch):
    for name in ("mine", "llt-0.0.1.tar.gz", WHEEL):
        (tmp_path / name).touch()
    monkeypatch.setattr(distribution, "build", lambda *_: "")
    assert distribution.main(str(tmp_path)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    for name in (WHEEL, WHEEL.replace("-py3-none-any.whl", ".tar.gz")):
        (tmp_path / name).touch()
    (line,) = problems(tmp_path, [], llt.__version__)
    assert line.startswith(f"{tmp_path}: holds {WHEEL}, llt-") and "mine, expected" in line


def test_nothing_is_pushed_by_a_release():
    text = (ROOT / "Makefile").read_text() + (ROOT / "tools/release.py").read_text()
    for word in ("git push", '"push"', "twine upload"):
        assert word not in text
