"""Files around own cases and around runs: plans, tables, parts, packs, bars, caches, locks."""

from __future__ import annotations

import hashlib
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from llt.bench.study_file import read_study
from llt.data import dataset_file
from llt.errors import KernelError, LltError
from llt.kernels import verdict
from llt.runtime import lock
from llt.runtime.checked import write_checked
from llt.runtime.files import write_json
from tests.conftest import darcy_like
from tests.data.folder.made import case, write_cases
from tests.robustness.campaign import Kind
from tests.robustness.command import llt
from tests.robustness.format_kinds import digest

ASKED = ("--outputs", "T,U", "--inputs", "k", "--workers", 1)
STUDY = """
[data.darcy]
file = "data.h5"

[[group]]
problems = ["darcy"]
models = ["llt", "fno"]
recipes = ["best", "paper"]
seeds = [0, 1]
epochs = 3
preset = "tiny"
[group.settings]
"train.batch_size" = 3
[group.only.fno]
"train.lr" = 0.005
"""


def _prepared(folder: Path) -> Any:
    """What the file holds, whatever its provenance says."""
    data = dataset_file.read(folder / "set.h5")
    samples = map(data.sample, range(len(data)))
    parts = [
        digest({"x": s.points, "a": s.inputs, "u": s.outputs, "p": s.parameters}) for s in samples
    ]
    return data.problem.to_dict(), parts, data.splits.hash


def _plan(folder: Path) -> list[Path]:
    write_cases(folder / "cases", 3)
    llt("inspect", folder / "cases", "-o", folder / "plan.toml")
    return [folder / "plan.toml"]


def _follow_plan(folder: Path) -> Any:
    llt(
        "prepare",
        folder / "cases",
        "-o",
        folder / "set.h5",
        "--plan",
        folder / "plan.toml",
        "--workers",
        1,
    )
    return _prepared(folder)


def _table(suffix: str) -> Kind:
    """Parameters of cases, beside them."""

    def make(folder: Path) -> list[Path]:
        write_cases(folder / "cases", 3)
        first, row = {
            ".csv": ("case,speed [m/s],angle\n", "c{0},1{0}.5,0.{0}\n"),
            ".toml": ("", "[c{0}]\nspeed = 1{0}.5\nangle = 0.{0}\n"),
        }[suffix]
        path = folder / f"params{suffix}"
        path.write_text(first + "".join(row.format(i) for i in range(3)))
        return [path]

    def read(folder: Path) -> Any:
        table = folder / f"params{suffix}"
        llt("prepare", folder / "cases", "-o", folder / "set.h5", "--params", table, *ASKED)
        return _prepared(folder)

    return Kind(f"table-{suffix[1:]}", make, read, checked=False)


def _prepared_parts(folder: Path) -> list[Path]:
    """Left by a job that met a case that it could not use."""
    write_cases(folder / "cases", 4)
    bad = case(3, num=21)
    bad["T"][0] = np.nan
    np.savez(folder / "cases/c3.npz", **bad)
    with suppress(LltError):
        llt("prepare", folder / "cases", "-o", folder / "set.h5", *ASKED)
    np.savez(folder / "cases/c3.npz", **case(3, num=21))
    return sorted(path for path in (folder / "set.h5.parts").iterdir() if path.suffix)


def _resume_preparation(folder: Path) -> Any:
    llt("prepare", folder / "cases", "-o", folder / "set.h5", "--resume", *ASKED)
    return _prepared(folder)


def _trusted_run(folder: Path) -> list[Path]:
    """A run on cases with enough of them to validate for error bars."""
    write_cases(folder / "cases", 60)
    llt("prepare", folder / "cases", "-o", folder / "set.h5", *ASKED)
    words = (
        "--preset",
        "tiny",
        "--device",
        "cpu",
        "--set",
        "train.epochs=1",
        "--set",
        "train.steps=0",
    )
    llt("train", folder / "set.h5", "--out", folder / "run", *words)
    llt("evaluate", folder / "run", "--device", "cpu")
    return [folder / "run/best/trust.json"]


def _predict_with_bars(folder: Path) -> Any:
    """Bars are those that were found, or there are none, which is said."""
    answer = folder / "answer.npz"
    llt("predict", folder / "run", folder / "cases/c0.npz", "-o", answer, "--device", "cpu")
    with np.load(answer) as found:
        arrays = dict(found)
    if "T_bar" not in arrays:
        raise LltError(f"{folder}: no bars")
    return digest(arrays)


def _packed(folder: Path) -> list[Path]:
    _training(folder)
    llt("pack", folder / "run", "-o", folder / "pack")
    return sorted((folder / "pack").iterdir())


def _training(folder: Path) -> None:
    data = darcy_like(8, 5)
    dataset_file.write(folder / "data.h5", data)
    llt("train", folder / "data.h5", "--out", folder / "run", "--preset", "tiny", "--device", "cpu")
    llt("evaluate", folder / "run", "--device", "cpu")
    np.savez(folder / "question.npz", permeability=data.inputs[:2, :, 0].reshape(2, 5, 5))


def _use_pack(folder: Path) -> Any:
    """Predict and inspect; what a card says has no checksum."""
    llt("inspect", folder / "pack", "--json")
    answer = folder / "answer.npz"
    llt("predict", folder / "pack", folder / "question.npz", "-o", answer, "--device", "cpu")
    with np.load(answer) as found:
        return digest({name: found[name] for name in ("pressure",)})


def _shown_run(folder: Path) -> list[Path]:
    _training(folder)
    return sorted(path for path in (folder / "run").rglob("*") if path.is_file())


def _show_run(folder: Path) -> Any:
    """Inspect and pack: the weights that come out."""
    llt("inspect", folder / "run", "--json")
    llt("pack", folder / "run", "-o", folder / "pack")
    return hashlib.sha256((folder / "pack/model.safetensors").read_bytes()).hexdigest()


def _study(folder: Path) -> list[Path]:
    dataset_file.write(folder / "data.h5", darcy_like(8, 9))
    (folder / "study.toml").write_text(STUDY)
    return [folder / "study.toml"]


def _read_study(folder: Path) -> Any:
    found = read_study(folder / "study.toml")
    return [(cell.name, cell.contender) for cell in found.cells], found.unfit


def _verdicts(folder: Path) -> list[Path]:
    write_checked(folder / "verdict.json", {"device": "a GPU", "error": 0.0012, "reason": None})
    return [folder / "verdict.json"]


def _read_verdict(folder: Path) -> Any:
    found = verdict._read(folder / "verdict.json")
    if found is None:  # then the kernels are checked again
        raise KernelError(f"{folder / 'verdict.json'}: refused")
    return found


def _locks(folder: Path) -> list[Path]:
    """Of a process that is gone."""
    about = {"process": 2**22 + 1, "started": "1", "machine": socket.gethostname(), "since": "then"}
    (folder / "claimed").mkdir()
    write_json(folder / "claimed" / lock.NAME, about)
    return [folder / "claimed" / lock.NAME]


def _claim(folder: Path) -> Any:
    lock.GRACE = 0.0
    with lock.claimed(folder / "claimed"):
        return "held"


@cache
def _car() -> tuple[Any, Any]:
    from tests.data.test_published_car import make_car

    return make_car()


def _cars(folder: Path) -> list[Path]:
    from llt.data.published.car_mesh import SURFACE, VOLUME

    for name, mesh in zip((SURFACE, VOLUME), _car(), strict=True):
        mesh.save(folder / name)
    return [folder / SURFACE, folder / VOLUME]


def _read_car(folder: Path) -> Any:
    """As in the process of its own in which cars are read."""
    from llt.data.formats import process
    from llt.data.published.car import read_one

    s = process.call(folder, read_one, folder)
    return digest({"x": s.points, "a": s.inputs, "u": s.outputs, **s.masks, **s.weights})


CASE_KINDS = {
    kind.name: kind
    for kind in (
        Kind("plan", _plan, _follow_plan, checked=False, named=False),
        _table(".csv"),
        _table(".toml"),
        Kind("prepared-parts", _prepared_parts, _resume_preparation),
        Kind("trust", _trusted_run, _predict_with_bars),
        Kind("pack", _packed, _use_pack),
        Kind("run-shown", _shown_run, _show_run),
        Kind("study", _study, _read_study, checked=False),
        Kind("verdict", _verdicts, _read_verdict),
        Kind("lock", _locks, _claim),
        Kind("car", _cars, _read_car, checked=False),
    )
}
