"""From what was named on the command line to a scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from llt.checkpoint import checkpoint_folder
from llt.data import dataset_file
from llt.data.hdf5 import open_file
from llt.errors import ConfigError, DataError
from llt.evaluation.metrics import open_data
from llt.pretrained import PREFIX
from llt.pretrained.card import read_card
from llt.runtime.device import find_device
from llt.runtime.reading import reading
from llt.surrogate import Surrogate, load
from llt.view.case_scene import CaseScene, Title
from llt.view.cases import Cases, SolvedCases, StoredCases
from llt.view.live.finding import find_live
from llt.view.mesh_scene import MeshScene
from llt.view.scene import Scene
from llt.view.scores import Scores, kept_scores
from llt.view.series import is_source, source_of

HDF5 = (".h5", ".hdf5")


def open_scene(
    path: Path, *, split: str = "test", data: Path | None = None, device: str = "auto"
) -> Scene:
    """A run, a checkpoint, pretrained:NAME, a dataset, or a file with a mesh."""
    if str(path).startswith(PREFIX) or is_run(path):
        return _open_run(path, split, data, device)
    if data is not None:
        raise ConfigError(f"--data {data}: is for runs and pretrained weights, not for {path}")
    if not path.exists():
        raise DataError(f"{path}: no such file or folder")
    if _is_hdf5_dataset(path):
        cases = StoredCases(dataset_file.read(path))
        provenance = str(cases.data.provenance.get("source", "own file"))
        subtitle = f"{len(cases.data):,} cases, {provenance}"
        return CaseScene(Title(what="file", name=str(path), subtitle=subtitle), cases, split=split)
    files = _readable(path)
    if not files:
        raise DataError(
            f"{path}: no run, dataset or file with a mesh that llt reads; "
            "llt inspect says what a folder holds"
        )
    return MeshScene(path, [*map(source_of, files)])


def _readable(path: Path) -> list[Path]:
    """The file itself, or those in a folder, such as predictions of many cases."""
    if is_source(path):
        return [path]
    found = sorted(path.iterdir()) if path.is_dir() else []
    return [file for file in found if is_source(file) and not _is_hdf5_dataset(file)]


def is_run(path: Path) -> bool:
    return any((folder / "config.json").is_file() for folder in (path, path / "best"))


def _is_hdf5_dataset(path: Path) -> bool:
    if path.suffix.lower() not in HDF5 or not path.is_file():
        return False
    with reading(path), open_file(path) as file:
        return "outputs" in file


def _open_run(path: Path, split: str, data_path: Path | None, device: str) -> CaseScene:
    surrogate = load(path, find_device(device))
    pretrained = str(path).startswith(PREFIX)
    size = sum(p.numel() for p in surrogate.model.parameters())
    subtitle = f"{surrogate.model.name}, {size:,} parameters on {surrogate.device}"
    cases = _cases(path, surrogate, data_path)
    if isinstance(cases, SolvedCases):
        subtitle += "; cases of its test split, solved again"
    title = Title(what="pretrained" if pretrained else "run", name=str(path), subtitle=subtitle)
    scores = Scores(surrogate, cases)
    if isinstance(cases, StoredCases) and split == "test":
        kept = kept_scores(path, cases.data)
        if kept is not None:
            scores.keep(kept)
    live = find_live(surrogate, _provenance(path, cases))
    scene = CaseScene(title, cases, surrogate, scores=scores, live=live, split=split)
    scene.warm_up()
    return scene


def _cases(path: Path, surrogate: Surrogate, data_path: Path | None) -> Cases:
    folder = checkpoint_folder(path)
    if data_path is None and (folder / "card.json").is_file():
        made = SolvedCases.of_card(surrogate.problem, read_card(folder).data)
        if made is not None:
            return made
    return StoredCases(open_data(path, surrogate, data_path))


def _provenance(path: Path, cases: Cases) -> dict[str, Any]:
    """How the training data were made."""
    if isinstance(cases, StoredCases):
        return cases.data.provenance
    return dict(read_card(checkpoint_folder(path)).data["provenance"])
