"""All models by name. To add one: write its file, add a line to `MODELS`."""

from __future__ import annotations

import inspect
from typing import Any

from llt.errors import ConfigError, unknown
from llt.models.base import Operator, needs
from llt.models.factformer import FactFormer
from llt.models.ffno import FFNO
from llt.models.flare import FLARE
from llt.models.fno import FNO
from llt.models.galerkin import GalerkinTransformer
from llt.models.geofno import GeoFNO
from llt.models.gnot import GNOT
from llt.models.htnet import HTNet
from llt.models.linearno import LinearNO
from llt.models.llt import LLT
from llt.models.lno import LNO
from llt.models.lrsa import LRSA
from llt.models.lsm import LSM
from llt.models.oformer import OFormer
from llt.models.ono import ONO
from llt.models.transolver import Transolver
from llt.models.transolver_plus_plus import TransolverPlusPlus
from llt.models.ufno import UFNO
from llt.models.uno import UNO
from llt.problem import Problem

__all__ = ["MODELS", "Operator", "build_model", "needs"]

MODELS: dict[str, type[Operator]] = {
    "llt": LLT,
    "factformer": FactFormer,
    "ffno": FFNO,
    "flare": FLARE,
    "fno": FNO,
    "galerkin": GalerkinTransformer,
    "geofno": GeoFNO,
    "gnot": GNOT,
    "htnet": HTNet,
    "linearno": LinearNO,
    "lno": LNO,
    "lrsa": LRSA,
    "lsm": LSM,
    "oformer": OFormer,
    "ono": ONO,
    "transolver": Transolver,
    "transolver_plus_plus": TransolverPlusPlus,
    "ufno": UFNO,
    "uno": UNO,
}


MOST = 1000  # layers, neighbors and the like, each of which costs
LARGEST = 2**24  # of any number in a model's settings: sizes beyond are typing errors


def build_model(name: str, problem: Problem, **kwargs: Any) -> Operator:
    """Build the named model for a problem; kwargs are the model's own keyword arguments."""
    if name not in MODELS:
        raise ConfigError(unknown("model", name, MODELS))
    if missing := needs(problem) - MODELS[name].supports:
        able = [other for other, cls in MODELS.items() if needs(problem) <= cls.supports]
        raise ConfigError(
            f"model {name} does not support {', '.join(sorted(missing))}, which {problem.name} "
            f"needs; these do: {', '.join(sorted(able))}"
        )
    signature = inspect.signature(MODELS[name])
    defaults = {k: p.default for k, p in signature.parameters.items() if k != "problem"}
    for key, value in kwargs.items():
        if key not in defaults:
            raise ConfigError(unknown(f"setting of model {name}", key, defaults))
        _check_type(key, value, type(defaults[key]))
        many = "layers" in key or "neighbors" in key or key.startswith("num_")
        most = MOST if many else LARGEST
        if type(value) is int and not 0 <= value <= most:
            raise ConfigError(f"model.{key}={value} must be between 0 and {most}")
    model = MODELS[name](problem, **kwargs)
    model.name = name
    model.arguments = defaults | kwargs
    return model


def _check_type(key: str, value: Any, kind: type) -> None:
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise ConfigError(f"model.{key}={value!r} must be of type {kind.__name__}")
