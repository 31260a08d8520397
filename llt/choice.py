"""What a user chooses of a training, and the settings that follow from it.

The command and `llt.train` ask the same function. Light to import: the rest loads when it is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llt.errors import ConfigError

if TYPE_CHECKING:
    from llt.data.dataset import Dataset
    from llt.fitting import Room
    from llt.problem import Problem
    from llt.training.config import TrainConfig
    from llt.training.settings import Settings
    from llt.training.trial import Trial


@dataclass(frozen=True, slots=True)
class Choice:
    """Where the settings of a training come from; what stands later wins."""

    model: str | None = None  # None: the one that the file names, or llt
    recipe: str | None = None  # None: the one that the file names, or best
    preset: str | None = None  # sizes by name instead of the problem's own
    config: Path | None = None  # a TOML file
    words: Sequence[str] = ()  # as "train.lr=1e-3"
    settings: Mapping[str, Any] = field(default_factory=dict)  # as {"train.lr": 1e-3}
    start: str | None = None  # a run or pretrained:NAME with the weights to begin with

    def changed(self, settings: Mapping[str, Any]) -> Choice:
        """With other settings on top."""
        return replace(self, settings={**self.settings, **settings})


def resolve(
    problem: Problem, choice: Choice, room: Room | None = None
) -> tuple[str, dict[str, Any], TrainConfig]:
    """The recipe's name and its settings, changed by the TOML file, then by single settings.

    Args:
        room: what there is to train on and where, if that is known.
    """
    from llt.training.config import TrainConfig
    from llt.training.settings import merge

    merged = merge(*(settings for _, settings in layers(problem, choice, room)))
    return recipe_of(choice), merged["model"], TrainConfig.from_dict(merged["train"])


def settings_within(
    minutes: float,
    data: Path | Dataset,
    choice: Choice,
    *,
    problem: Problem,
    room: Room,
    device: str,
) -> dict[str, Any]:
    """As many epochs as fit the time, one at least; a few steps are timed.

    Where a CPU has time for few steps on a large grid, most of them are on coarser ones, unless
    grids were chosen or weights have learned on theirs.
    """
    from llt.fitting import FEW_STEPS

    if not minutes > 0:
        raise ConfigError(f"minutes {minutes:g}: expected more than 0")
    seconds, found = 60 * minutes, dict[str, Any]()
    trial = _try(data, choice, problem, room, device)
    if room.device == "cpu" and seconds < FEW_STEPS * trial.seconds_per_step:
        found = _coarser(problem, choice, room)
    if found:
        trial = _try(data, choice.changed(found), problem, room, device)
    epochs = max(1, int(seconds * trial.epochs / trial.seconds))
    return {**found, "train.epochs": epochs, "train.steps": 0}


def _coarser(problem: Problem, choice: Choice, room: Room) -> dict[str, Any]:
    """Settings of coarser grids, if there are such and the choice leaves it open."""
    from llt.fitting import graded

    asked = {name for _, one in layers(problem, choice, room)[2:] for name in one["train"]}
    if recipe_of(choice) != "best" or start_of(choice) or asked & {"strides", "resolutions"}:
        return {}
    sections = graded(problem, model_of(choice))
    return {f"{part}.{name}": v for part, one in sections.items() for name, v in one.items()}


def _try(data: Path | Dataset, choice: Choice, problem: Problem, room: Room, device: str) -> Trial:
    from llt.training.trial import try_training

    _, settings, config = resolve(problem, choice, room)
    return try_training(
        data,
        model=model_of(choice),
        model_settings=settings,
        config=config,
        device=device,
        start=start_of(choice),
    )


def model_of(choice: Choice) -> str:
    """The name of the model; a run's own config.toml and trained weights name it, too."""
    from llt.training.settings import read_toml
    from llt.training.start import start_model

    named = read_toml(choice.config)["model"].get("name") if choice.config else None
    if choice.model and named and choice.model != named:
        raise ConfigError(f"{choice.config}: has the settings of {named}, not of {choice.model}")
    start = start_of(choice)
    return choice.model or str(named or (start_model(start) if start else "llt"))


def start_of(choice: Choice) -> str | None:
    """The trained weights to begin with, if any."""
    from llt.training.settings import read_start

    return choice.start or (read_start(choice.config) if choice.config else None)


def recipe_of(choice: Choice) -> str:
    from llt.training.settings import read_recipe

    return choice.recipe or (read_recipe(choice.config) if choice.config else None) or "best"


def layers(
    problem: Problem, choice: Choice, room: Room | None = None
) -> list[tuple[str, Settings]]:
    """Settings by where they come from; what stands later wins. The first three are complete."""
    from llt.presets import preset_name
    from llt.recipes import recipe_preset
    from llt.training.settings import by_section, merge, parse_words, read_toml
    from llt.training.start import start_settings

    model, recipe, file = model_of(choice), recipe_of(choice), choice.config
    preset, num_train = choice.preset or preset_name(problem), room.samples if room else None
    paper = recipe_preset("paper", problem, model, choice.preset)
    chosen = recipe_preset(recipe, problem, model, choice.preset, num_train=num_train)
    start = start_of(choice)
    if start and choice.preset:
        raise ConfigError(f"preset {choice.preset}: weights of {start} have sizes of their own")
    begun = start_settings(start) if start else parse_words([])
    of_file = read_toml(file) if file else parse_words([])
    of_file["model"].pop("name", None)  # which `model_of` gives
    found = [
        (f"preset {preset}" if preset else "own problem", paper.settings),
        (f"recipe {recipe}", chosen.settings),
        (f"from {start}", begun),
        (str(file), of_file),
        ("command line", parse_words(choice.words)),
        ("call", by_section(choice.settings)),
    ]
    if merge(*(settings for _, settings in found))["train"].get("history"):
        found.insert(3, ("train.history", _in_steps(problem, recipe)))
    if room is not None and not preset:
        found.insert(3, ("size of the cases", _fitted(problem, model, found, room)))
    return found


def _in_steps(problem: Problem, recipe: str) -> Settings:
    """What differs in steps from frame to frame.

    Changes have no mean field; noise was worth a sixth to a half of the errors of rollouts
    (docs/your-own-data.md).
    """
    train: dict[str, Any] = {"mean_field": False}
    if recipe == "best":
        train["noise"] = 0.1
    if all(any(one.output_shifts) for one in problem.symmetries):  # which frames cannot be given
        train["augment"] = False
    return {"model": {}, "train": train}


def _fitted(
    problem: Problem, model: str, found: list[tuple[str, Settings]], room: Room
) -> Settings:
    """What fits the model that all layers together ask for."""
    from llt.fitting import fit
    from llt.training.settings import merge

    merged = merge(*(settings for _, settings in found))
    return {"model": {}, "train": fit(problem, model, merged["model"], merged["train"], room)}
