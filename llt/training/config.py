"""Settings of a training run. Defaults are the paper's shared values (its Table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from llt.data.sources import PLACES
from llt.errors import ConfigError, unknown
from llt.runtime.device import PRECISIONS
from llt.training.strides import check_grids

_CHOICES = {
    "optimizer": ("adam", "adamw", "muon"),
    "schedule": ("onecycle", "cosine"),
    "mode": ("auto", "eager", "graph", "compile", "fastest"),
    "precision": ("auto", *PRECISIONS),
    "data": PLACES,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainConfig:
    """How a model is trained; `validate` says what is allowed."""

    epochs: int = 500
    steps: int = 0  # a budget in steps instead of epochs, in whole epochs; 0: epochs count
    batch_size: int = 4
    points: int = 0  # on point sets: samples are cut into random parts of so many; 0: they are not
    parts: int = 1  # of a sample, at most
    samples: int = 0  # of the training split, drawn by the seed; 0: all
    lr: float = 1e-3  # peak
    weight_decay: float = 1e-5
    optimizer: str = "adamw"  # muon: for the matrices inside the blocks, AdamW for the rest
    muon_lr: float = 3e-3  # peak of Muon's rate; `lr` is that of AdamW beside it
    schedule: str = "onecycle"
    clip: float = 0.1  # largest norm of the gradient of the batch's summed loss; 0 turns it off
    derivative: float = 0.0  # weight in the loss of first derivatives, as 0.1; 0 turns it off
    average: float = 0.0  # decay of a running mean of the weights, as 0.999; 0 turns it off
    augment: bool = False  # apply a random symmetry of the problem to every sample
    strides: tuple[Any, ...] = ()  # over the data's grid, one drawn per batch, as [7, 5, 5, 3]
    resolutions: tuple[Any, ...] = ()  # the same as points per side of square grids
    log: tuple[Any, ...] = ()  # fields that are seen and learned as logarithms, as ["k","p"]
    balance: bool = False  # fields count the same in loss and selection, whatever their units
    history: int = 0  # frames back that the next one is learned from; 0: each by its time t
    noise: float = 0.0  # on those frames, in parts of the usual change from frame to frame
    mean_field: bool = False  # on grids: learn the deviation from the mean of the training set
    seed: int = 0
    recompute: bool = False  # LLT: blocks are computed twice, so that memory holds larger meshes
    mode: str = "auto"  # eager, graph (CUDA graph of the step), compile (it compiled), or fastest
    precision: str = "auto"  # of matrix products on CUDA, auto is the model's; the CPU has fp32
    data: str = "auto"  # where samples are kept: device, host memory, file; auto: where they fit
    checkpoint_seconds: float = 60.0  # at most this much work is lost by a kill

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "parts"):
            if getattr(self, name) < 1:
                raise ConfigError(f"train.{name}={getattr(self, name)} must be at least 1")
        for name in ("lr", "muon_lr"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"train.{name}={getattr(self, name)} must be positive")
        for name in (
            "weight_decay",
            "clip",
            "derivative",
            "checkpoint_seconds",
            "seed",
            "steps",
            "samples",
            "points",
            "history",
            "noise",
        ):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"train.{name}={getattr(self, name)} must not be negative")
        if self.seed >= 2**63:
            raise ConfigError(f"train.seed={self.seed} must be below 2^63")
        if not 0 <= self.average < 1:
            raise ConfigError(f"train.average={self.average} must be at least 0 and below 1")
        if self.noise and not self.history:
            raise ConfigError(f"train.noise={self.noise:g} is on frames before; set train.history")
        if self.mean_field and self.history:
            raise ConfigError(
                f"train.history={self.history} learns changes, which have no mean field; "
                "use train.mean_field=false"
            )
        if not all(isinstance(name, str) for name in self.log):
            raise ConfigError(f"train.log={_lists(self.log)} must be names of fields")
        for name in ("strides", "resolutions", "log"):
            object.__setattr__(self, name, _tuples(getattr(self, name)))
        check_grids(self.strides, self.resolutions)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ConfigError(unknown(f"train.{name}", getattr(self, name), choices))

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """Build from parsed TOML or the command line; unknown names and wrong types are errors."""
        known = {field.name: field.type for field in fields(cls)}
        for name in settings:
            if name not in known:
                raise ConfigError(unknown("setting of train", name, known))
        return cls(**{name: _cast(name, str(known[name]), settings[name]) for name in settings})

    def to_dict(self) -> dict[str, Any]:
        """As TOML has them, with lists in place of tuples."""
        return {name: _lists(value) for name, value in asdict(self).items()}

    def with_budget(self, num_samples: int) -> Self:
        """The settings with as many epochs as `steps` ask for, where they do."""
        if not self.steps:
            return self
        per_epoch = max(1, num_samples // self.batch_size)
        return replace(self, epochs=-(-self.steps // per_epoch))


def _cast(name: str, kind: str, value: Any) -> Any:
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    kind = "list" if kind.startswith("tuple") else kind
    if type(value).__name__ != kind:
        raise ConfigError(f"train.{name}={value!r} must be of type {kind}")
    return value


def _lists(value: Any) -> Any:
    return [_lists(part) for part in value] if isinstance(value, list | tuple) else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list | tuple) else value
