"""A training run: a folder that says what was trained on what, and can be continued.

config.toml        recipe, model and training settings, complete; the weights it began with, if any
env.json           versions, device, commit, which kernels were used and why; which of those weights
                   were kept
data.json          the dataset's path, hash and split hash
data.h5            the dataset itself, where it was given in memory
metrics.jsonl      one line per epoch; its seconds count from the first step, after compiling and
                   capture, over all attempts, with validation and the writing of checkpoints
best/, last/       checkpoints: smallest validation error, end of training
state.safetensors  what `resume` needs; removed when the run is complete
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch

from llt.data.dataset import Dataset
from llt.errors import CheckpointError, ConfigError, DataError
from llt.runtime.device import find_device, matmul_precision
from llt.runtime.environment import environment
from llt.runtime.files import is_abandoned, write_json, write_text
from llt.runtime.lock import NAME as LOCK
from llt.runtime.lock import claimed
from llt.runtime.reading import reading
from llt.runtime.team import ALONE, Team
from llt.training.config import TrainConfig
from llt.training.folder import read_data_record
from llt.training.loop import Listener, run_epochs
from llt.training.settings import read_toml, to_toml
from llt.training.setup import Setup, check_same, first_model, prepare, read_data, seen, set_up
from llt.training.state import FILE as STATE
from llt.training.state import Progress, is_complete, load_state, save_state
from llt.training.trial import Trial, measure

DATA = "data.h5"


def train(
    data: Path | Dataset,
    out: Path,
    *,
    model: str = "llt",
    model_settings: Mapping[str, Any] | None = None,
    config: TrainConfig | None = None,
    recipe: str | None = None,
    device: str = "auto",
    listener: Listener | None = None,
    start: str | None = None,
    announce: Callable[[Trial], None] | None = None,
    team: Team = ALONE,
) -> Path:
    """Train a model on a dataset into the new folder `out`.

    Args:
        data: the dataset's file; or the dataset itself, which is then saved as `data.h5` in the
            run folder, unless it comes from a file.
        recipe: the name of what the settings come from, for the run's records.
        start: a run, a checkpoint or pretrained:NAME to begin with the weights of.
        announce: is told size and time of the training, measured on a few steps, before it begins.
        team: the processes that call this together; the first one alone writes.
    """
    team.first_does(lambda: _check_free(out))
    target = find_device(device)
    setup = prepare(
        data,
        model=model,
        model_settings=model_settings,
        config=config,
        device=target,
        start=start,
        team=team,
    )
    network, config = setup.step.surrogate.model, setup.step.config
    settings = {"model": {"name": model, **network.arguments}, "train": config.to_dict()}
    with _claimed(out, team):
        team.first_does(lambda: _check_free(out))  # nobody has used it meanwhile
        if announce is not None:
            found = measure(setup)
            if team.is_first:
                announce(found)

        def begin() -> None:
            (out / STATE).unlink(missing_ok=True)  # of another that was killed before it began
            about = {**environment(target), "kernels": str(setup.step.surrogate.plan)}
            if team.size > 1:
                about["team"] = str(team)
            if setup.start is not None:
                about["from"] = setup.start.to_dict()
                # to go on without the weights it began with
                save_state(out, setup.step, Progress())
            write_json(out / "env.json", about)
            write_json(out / "data.json", _about(setup.whole, _file(data, out)))
            # last, since it makes the folder a run, which can be resumed
            write_text(out / "config.toml", to_toml(settings, recipe, start))

        team.first_does(begin)
        return _run(out, setup, listener)


@contextmanager
def _claimed(out: Path, team: Team) -> Iterator[None]:
    """The folder is claimed by the first process, for all."""
    with ExitStack() as stack:

        def claim() -> None:
            stack.enter_context(claimed(out))

        team.first_does(claim)
        yield


def _check_free(out: Path) -> None:
    """A run begins in a new folder, or in one where another was killed before it began."""
    beginning = {LOCK, STATE, "env.json", "data.json"}
    if (out / "env.json").is_file():  # else a file of this name is the user's
        beginning.add(DATA)
    if not out.exists():
        return
    if not out.is_dir() or any(
        path.name not in beginning and not is_abandoned(path) for path in out.iterdir()
    ):
        raise ConfigError(f"{out}: already exists; choose another --out, or --resume {out}")


def _about(data: Dataset, path: Path) -> dict[str, Any]:
    return {
        "path": str(path),
        "hash": data.hash,
        "splits": {name: len(data.splits[name]) for name in ("train", "val", "test")},
        "split_hash": data.splits.hash,
        "problem": data.problem.name,
        "provenance": data.provenance,
    }


def resume(
    out: Path,
    *,
    data_path: Path | None = None,
    device: str = "auto",
    listener: Listener | None = None,
    team: Team = ALONE,
) -> Path:
    """Continue an interrupted run; on the CPU its weights end bitwise as if never interrupted.

    A run that is complete stays as it is. The number of processes may be another than before.
    """
    if not (out / "config.toml").is_file():
        raise CheckpointError(f"{out}: not a run folder, config.toml is missing")
    with _claimed(out, team):
        if not is_complete(out):
            _continue(out, data_path, find_device(device), listener, team)
    return out


def _continue(
    out: Path,
    data_path: Path | None,
    device: torch.device,
    listener: Listener | None,
    team: Team,
) -> None:
    settings = read_toml(out / "config.toml")
    with reading(out / "config.toml", ConfigError):
        config = TrainConfig.from_dict(settings["train"])
    record = read_data_record(out)
    data_path = data_path or Path(record["path"])
    if not data_path.exists():
        raise DataError(
            f"{data_path}: no such file; if it has moved: llt train FILE --resume {out}"
        )
    whole = read_data(data_path, config)
    if whole.hash != record["hash"]:
        raise CheckpointError(
            f"{out}: was trained on data {record['hash']} ({record['problem']}), "
            f"the file holds {whole.hash} ({whole.problem.name})"
        )
    check_same(team, whole, settings, out / STATE)
    data, arguments = seen(whole, config), dict(settings["model"])
    with reading(out / "config.toml", ConfigError):
        network = first_model(arguments.pop("name"), data.problem, arguments, config)
    _run(out, Setup(whole, *set_up(data, network, config, device, team)), listener)


def _file(data: Path | Dataset, out: Path) -> Path:
    """Where the data can be read again; those in memory are saved in the run folder."""
    if isinstance(data, Path):
        return data.resolve()
    if data.file is not None and data.finer is None:
        return data.file.path
    return data.save(out / DATA).resolve()


def _run(out: Path, setup: Setup, listener: Listener | None) -> Path:
    step = setup.step
    progress = load_state(out, step) if (out / STATE).is_file() else Progress()
    try:
        with matmul_precision(step.config.precision):
            run_epochs(out, step, setup.val, progress, listener)
    finally:
        step.release()
    if step.team.is_first:
        (out / STATE).unlink(missing_ok=True)
    return out
