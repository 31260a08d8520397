"""Check a wheel and a source distribution: what is in them, and what they say of themselves.

The wheel holds the tracked files of the package and nothing else, the source distribution those of
the repository. Metadata are read by the rules that package indexes apply.
"""

from __future__ import annotations

import subprocess
import tarfile
import tomllib
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZipFile

from packaging.metadata import Metadata

ROOT = Path(__file__).parents[1]
OURS_ALONE = (".gitignore", ".ci/")  # of the repository, not of a release


def tracked(root: Path = ROOT) -> set[str]:
    """What git knows of."""
    command = ["git", "-C", str(root), "ls-files", "-z"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name for name in listed.split("\0") if name and (root / name).exists()}


def problems(folder: Path, files: Iterable[str], version: str) -> list[str]:
    """What is wrong with the artifacts in a folder; empty where nothing is."""
    wheel, sdist = folder / f"llt-{version}-py3-none-any.whl", folder / f"llt-{version}.tar.gz"
    there = {path.name for path in folder.iterdir()}
    if there != {wheel.name, sdist.name}:
        return [f"{folder}: holds {', '.join(sorted(there))}, expected {wheel.name}, {sdist.name}"]
    return [*_in_wheel(wheel, version, {*files}), *_in_sdist(sdist, version, {*files})]


def _in_wheel(path: Path, version: str, files: set[str]) -> list[str]:
    about = f"llt-{version}.dist-info"
    expected = {name for name in files if name.startswith("llt/")}
    expected |= {f"{about}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "top_level.txt")}
    expected |= {f"{about}/entry_points.txt", f"{about}/licenses/LICENSE"}
    with ZipFile(path) as wheel:
        found = {name for name in wheel.namelist() if not name.endswith("/")}
        text = wheel.read(f"{about}/METADATA")
    return [*_compared(path.name, found, expected), *metadata_problems(path.name, text, version)]


def _in_sdist(path: Path, version: str, files: set[str]) -> list[str]:
    top = f"llt-{version}/"
    with tarfile.open(path) as sdist:
        names = {entry.name.removeprefix(top) for entry in sdist if entry.isfile()}
        text = sdist.extractfile(f"{top}PKG-INFO").read()
    found = {name for name in names if not name.startswith("llt.egg-info/")}
    expected = {name for name in files if not name.startswith(OURS_ALONE)}
    compared = _compared(path.name, found, expected | {"PKG-INFO", "setup.cfg"})
    return [*compared, *metadata_problems(path.name, text, version)]


def _compared(name: str, found: set[str], expected: set[str]) -> list[str]:
    lines = [f"{name}: lacks {file}" for file in sorted(expected - found)]
    return lines + [
        f"{name}: holds {file}, which is not tracked" for file in sorted(found - expected)
    ]


def metadata_problems(name: str, text: bytes, version: str) -> list[str]:
    """Metadata that an index would refuse, or that say something else than the project."""
    try:
        told = Metadata.from_email(text, validate=True)
    except ExceptionGroup as found:
        return [f"{name}: {error}" for error in found.exceptions]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pairs = {
        "version": (str(told.version), version),
        "license": (told.license_expression, "MIT"),
        "license files": (told.license_files, ["LICENSE"]),
        "Python": (str(told.requires_python), project["requires-python"]),
        "classifiers": (told.classifiers, project["classifiers"]),
        "extras": ({*told.provides_extra}, {*project["optional-dependencies"]}),
        "description": (told.description_content_type, "text/markdown"),
    }
    return [
        f"{name}: {key} is {is_}, expected {be}" for key, (is_, be) in pairs.items() if is_ != be
    ]
