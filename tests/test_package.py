"""The package as a whole: public names, cheap imports, one direction of dependencies."""

import ast
import resource
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import llt

ROOT = Path(llt.__file__).parent
HEAVY = ("torch", "h5py", "matplotlib", "scipy", "triton", "numba", "numpy")


def test_public_names_exist_and_are_complete():
    assert set(llt.__all__) == {*llt._HOMES, "__version__"}
    for name in llt.__all__:
        assert getattr(llt, name) is not None


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        llt.nothing  # noqa: B018


def loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split()[-5000:])


@pytest.mark.parametrize("code", ["import llt", "import llt.cli; llt.cli.main(['--help'])"])
def test_import_and_help_load_nothing_heavy(code):
    assert not loaded_by(code) & set(HEAVY)


def processor_seconds(args: list[str]) -> float:
    """Of an interpreter; the best of three, since other work may share the processor."""
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *args], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds)


@pytest.mark.parametrize("args", [["-c", "import llt"], ["-m", "llt", "--help"]])
def test_import_and_help_are_fast(args):
    """As fast as fifty starts of Python, however fast the machine is: half a second on most."""
    assert processor_seconds(args) < 50 * processor_seconds(["-c", "pass"])


# what each part may import; everything may import errors
ALLOWED = {
    "errors": set(),
    "runtime": {"runtime"},
    "problem": set(),
    "kernels": {"kernels", "runtime"},
    "nn": {"kernels", "nn", "problem"},
    "models": {"kernels", "nn", "models", "problem", "runtime"},
    "solvers": {"solvers", "runtime"},
    "data": {"data", "problem", "runtime"},
    "generation": {"data", "problem", "runtime", "solvers"},
    "job_array": {"data", "generation", "problem", "runtime", "solvers"},
    "preparation": {"data", "generation", "preparation", "problem", "runtime", "solvers"},
    "pretrained": {"pretrained", "runtime"},
    "checkpoint": {"pretrained", "runtime"},
    "prediction": {"data", "kernels", "prediction", "problem", "runtime"},
    "surrogate": {
        "checkpoint",
        "data",
        "models",
        "prediction",
        "problem",
        "runtime",
        "surrogate",
        "trust",
    },
    "trust": {"data", "prediction", "problem", "runtime", "trust"},
    "export": {"kernels", "runtime", "surrogate"},
    "predict": {"prediction", "problem", "surrogate", "trust"},
    "serve": {
        "checkpoint",
        "data",
        "own_mesh",
        "predict",
        "prediction",
        "problem",
        "runtime",
        "serve",
        "surrogate",
        "trust",
    },
    "own_mesh": {"data", "own_mesh", "surrogate", "trust"},
    "training": {
        "checkpoint",
        "surrogate",
        "prediction",
        "data",
        "kernels",
        "models",
        "problem",
        "runtime",
        "training",
    },
    "model_card": {
        "checkpoint",
        "data",
        "evaluation",
        "pretrained",
        "runtime",
        "surrogate",
        "training",
    },
    "packing": {
        "checkpoint",
        "data",
        "evaluation",
        "model_card",
        "pretrained",
        "runtime",
        "surrogate",
        "training",
        "trust",
    },
    "presets": {"training", "problem"},
    "recipes": {"models", "presets", "problem"},
    "fitting": {"data", "models", "problem", "runtime"},
    "choice": {"data", "fitting", "presets", "problem", "recipes", "training"},
    "api": {
        "choice",
        "data",
        "evaluation",
        "fitting",
        "generation",
        "own_mesh",
        "preparation",
        "runtime",
        "surrogate",
        "training",
    },
    "bench": {
        "checkpoint",
        "fitting",
        "surrogate",
        "prediction",
        "data",
        "kernels",
        "models",
        "problem",
        "presets",
        "recipes",
        "runtime",
        "solvers",
        "training",
        "evaluation",
        "bench",
        "trust",
    },
    "evaluation": {
        "checkpoint",
        "surrogate",
        "prediction",
        "pretrained",
        "data",
        "problem",
        "runtime",
        "training",
        "evaluation",
        "solvers",
        "trust",
    },
    "view": {
        "checkpoint",
        "data",
        "evaluation",
        "generation",
        "own_mesh",
        "pretrained",
        "problem",
        "runtime",
        "serve",
        "solvers",
        "surrogate",
        "trust",
        "view",
    },
}


def imports(path: Path) -> set[str]:
    """Parts of llt that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {n.split(".")[1] for n in names if n.startswith("llt.") and "." in n}
    return found


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_dependencies_go_one_way(path):
    part = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if part in ("cli", "__init__", "__main__"):
        return
    assert imports(path) - {"errors", "__version__"} <= ALLOWED[part]


def test_everything_but_the_fused_kernels_works_without_triton():
    files = [path.relative_to(ROOT.parent).with_suffix("") for path in ROOT.rglob("*.py")]
    names = {".".join(file.parts).removesuffix(".__init__") for file in files}
    needs_triton = ("triton", ".fused")
    wanted = sorted(
        n for n in names if not any(w in n for w in needs_triton) and not n.endswith("__main__")
    )
    code = "import sys; sys.modules['triton'] = None\n"
    code += "".join(f"import {name}\n" for name in wanted)
    code += "assert not llt.kernels.choice.HAVE_TRITON"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_wheel_has_all_files_of_the_package():
    """Also weights, templates and styles: every file that is not Python is named in pyproject."""
    settings = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["tool"]["setuptools"]
    named = {path for pattern in settings["package-data"]["llt"] for path in ROOT.glob(pattern)}
    others = {path for path in ROOT.rglob("*") if path.is_file() and path.suffix != ".py"}
    assert {path for path in others if "__pycache__" not in path.parts} <= named
    assert "pretrained/*/*" in settings["package-data"]["llt"]


def test_an_editable_install_is_a_path():
    """Then a script beside a clone named llt imports the package, not the clone's folder."""
    settings = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert settings["package-dir"] == {"": "."}
