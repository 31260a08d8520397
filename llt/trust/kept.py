"""What a checkpoint knows about the trust its predictions deserve: `trust.json` beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from llt.errors import CheckpointError
from llt.prediction.question import Question
from llt.runtime.checked import read_checked, write_checked
from llt.trust.conformal import LEVEL, fewest_cases
from llt.trust.distance import Distance, Group, find_distance
from llt.trust.features import Describer

NAME = "trust.json"


@dataclass(frozen=True, kw_only=True)
class Trust:
    """Error bars from the validation split, and what the training cases look like."""

    cases: int  # of the validation split that bars come from
    # of every field: |error| at a point of a new case, in physical units; empty from few cases
    bars: dict[str, float] = field(default_factory=dict)
    # the same of the relative L2 error of a new case: of all fields together, of each
    error: float | None = None
    field_errors: dict[str, float] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()  # of numbers that describe the training cases
    data_hash: str = ""
    checkpoint: dict[str, Any] = field(default_factory=dict)  # epoch and validation error
    level: float = LEVEL

    @property
    def missing(self) -> str:
        """Why there are no bars; empty where there are."""
        if self.error is not None:
            return ""
        least = fewest_cases(self.level)
        return f"no error bars: {self.cases} validation cases, {least} are needed for {self.share}"

    @property
    def share(self) -> str:
        return f"{100 * self.level:g} %"

    def distances(self, describer: Describer, question: Question) -> list[Distance]:
        """Of every case from the training cases; nothing where they are not known."""
        if not self.groups:
            return []
        shared, found = not question.x.strides[0], []
        geometry = describer.geometry(question.x[0], question.grid)
        for x, a in zip(question.x, question.a, strict=True):
            own = geometry if shared else describer.geometry(x, question.grid)
            found.append(find_distance(self.groups, describer.numbers(own, a)))
        return found

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Trust:
        return cls(**{**value, "groups": tuple(map(Group.from_dict, value["groups"]))})


def keep_trust(folder: Path, trust: Trust) -> None:
    """Beside the weights that it is about."""
    write_checked(folder / NAME, asdict(trust))


def kept_trust(folder: Path, checkpoint: Mapping[str, Any]) -> Trust | None:
    """None where there is none, where it is of other weights, or not what was written.

    It can be computed again.

    Args:
        checkpoint: what is known about the weights in the folder.
    """
    if not (folder / NAME).is_file():
        return None
    try:
        trust = Trust.from_dict(read_checked(folder / NAME, CheckpointError))
    except (CheckpointError, TypeError, ValueError, KeyError):  # damaged, or of another version
        return None
    return trust if trust.checkpoint == dict(checkpoint) else None
