"""A contender: a model with its settings, trained into a run folder of its own and evaluated.

Its seconds count from the first step on, after compiling and capture, over all attempts. The
validation after every epoch and the writing of checkpoints are among them, for everyone alike.
What comes before the first step is the start-up, and is told apart.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from llt.errors import ConfigError
from llt.evaluation.kept import keep_evaluation
from llt.evaluation.metrics import evaluate
from llt.presets import Preset
from llt.runtime.files import write_json
from llt.runtime.reading import read_json
from llt.training.config import TrainConfig
from llt.training.folder import read_metrics
from llt.training.loop import Listener, Tick
from llt.training.run import resume, train
from llt.training.settings import Settings, read_recipe, read_toml
from llt.training.state import is_complete

STARTUP, EVALUATION = "startup.json", "evaluation.json"  # beside the files of the run


@dataclass(frozen=True, kw_only=True, slots=True)
class Contender:
    name: str
    title: str
    model: str
    settings: Mapping[str, Any]  # of the model
    train: TrainConfig
    recipe: str | None = None  # whose settings these are, for the run's records

    @classmethod
    def of(cls, name: str, title: str, preset: Preset, **more: Any) -> Contender:
        settings = dict(preset.model)
        return cls(name=name, title=title, settings=settings, train=preset.train, **more)

    def changed(self, settings: Settings) -> Contender:
        """With other settings of the sections model and train."""
        return replace(
            self,
            settings={**self.settings, **settings["model"]},
            train=TrainConfig.from_dict({**self.train.to_dict(), **settings["train"]}),
        )


def train_contender(
    contender: Contender,
    data: Path,
    run: Path,
    *,
    device: str = "auto",
    listener: Listener | None = None,
) -> None:
    """Train and evaluate; goes on where an earlier attempt stopped, and leaves a finished one."""
    train_run(contender, data, run, device=device, listener=listener)
    if not (run / EVALUATION).is_file():
        keep_evaluation(run, evaluate(run, device=device, data_path=data))


def train_run(
    contender: Contender,
    data: Path,
    run: Path,
    *,
    device: str = "auto",
    listener: Listener | None = None,
) -> None:
    """The training alone, in the same way."""
    listener = _timed(run / STARTUP, listener)
    if not (run / "config.toml").is_file():
        train(
            data,
            run,
            model=contender.model,
            model_settings=contender.settings,
            config=contender.train,
            recipe=contender.recipe,
            device=device,
            listener=listener,
        )
    elif not is_complete(run):
        resume(run, data_path=data, device=device, listener=listener)


def check_same(contender: Contender, data_hash: str, run: Path) -> None:
    """Refuse a folder in which something else was trained."""
    if not (run / "config.toml").is_file():
        return
    difference = settings_differ(contender, read_toml(run / "config.toml"))
    if difference:
        raise ConfigError(f"{run}: was trained with {difference}; choose another --out")
    found = read(run, "data.json")["hash"]
    if found != data_hash:
        raise ConfigError(
            f"{run}: was trained on data {found}, the file has {data_hash}; choose another --out"
        )


def settings_differ(contender: Contender, there: Mapping[str, Any]) -> str:
    """What a run was trained with that is not as asked, in words; nothing where all is."""
    wanted = contender.train.to_dict()
    if wanted["precision"] == "auto":  # the run says what that stood for
        del wanted["precision"]
    asked = {"model": {"name": contender.model, **contender.settings}, "train": wanted}
    for section, values in asked.items():
        for name, value in values.items():
            # a setting that older runs do not have has its default there
            found = there[section].get(name, value)
            if json.dumps(found) != json.dumps(value):
                return f"{section}.{name}={found}, not {value}"
    return ""


def outcome(run: Path) -> dict[str, Any]:
    """What came out of a finished run, as a record keeps it."""
    evaluation = read(run, EVALUATION)
    return {
        **trained(run, evaluation["checkpoint"]),
        "parameters": evaluation["parameters"],
        "test_error": evaluation["relative_l2"],
        "mean_field_error": evaluation["mean_field_error"],
    }


def trained(run: Path, best: Mapping[str, Any]) -> dict[str, Any]:
    """The training alone.

    Args:
        best: what is written beside the best weights, epoch and validation error.
    """
    metrics = read_metrics(run)
    seconds = {row["epoch"]: row["seconds"] for row in metrics}
    return {
        "recipe": read_recipe(run / "config.toml"),
        "settings": read_toml(run / "config.toml"),
        "kernels": read(run, "env.json")["kernels"],
        "startup_seconds": round(read(run, STARTUP)["seconds"], 3),
        "training_seconds": metrics[-1]["seconds"],
        "best_val_error": best["val_error"],
        "best_epoch": best["epoch"],
        # the mean field, from which some start, is there before the first step
        "best_seconds": seconds.get(best["epoch"], 0.0),
        "curve": {name: [row[name] for row in metrics] for name in ("seconds", "val_error")},
    }


def read(run: Path, name: str) -> Any:
    return read_json(run / name)


def _timed(path: Path, listener: Listener | None) -> Listener:
    """Keep how long it took to the first step, when the run was first started."""
    called, told = time.monotonic(), False

    def tell(tick: Tick) -> None:
        nonlocal told
        if not told and not path.is_file():
            write_json(path, {"seconds": time.monotonic() - called})
        told = True
        if listener:
            listener(tick)

    return tell
