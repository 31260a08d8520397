"""Sizes matched to LLT's: a model as wide as gives it as many parameters, all else as it is.

Widths are multiples of the number of heads. Small models have few of them, so the heads are halved,
as often as it takes, where no width comes within WANTED of the parameters. What is nearest then
counts if it is within ALLOWED.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from inspect import signature
from typing import Any

import torch

from llt.errors import ConfigError
from llt.models import MODELS, build_model
from llt.problem import Problem

OURS = "llt"
MATCHED = "matched"
WANTED, ALLOWED = 0.05, 0.1  # relative deviations from LLT's parameters
NARROWEST, WIDEST = 4, 512
Sizes = dict[str, int]


def parameters(model: str, problem: Problem, settings: Mapping[str, Any]) -> int:
    """Counted without memory for them; a search asks often, and again when a study grows."""
    return _count(model, problem, json.dumps({**settings}, sort_keys=True, default=str))


@cache
def _count(model: str, problem: Problem, settings: str) -> int:
    with torch.device("meta"):
        network = build_model(model, problem, **json.loads(settings))
    return sum(parameter.numel() for parameter in network.parameters())


def matched_size(
    model: str, problem: Problem, settings: Mapping[str, Any], target: int
) -> Sizes | None:
    """Width, and heads where there are any, for so many parameters; None: none come near."""
    found: list[tuple[float, Sizes]] = []
    for heads in _heads(model, settings):
        # some models refuse heads that are narrow, or odd numbers of them
        with suppress(ConfigError):
            found.append(_nearest(model, problem, {**settings, **heads}, heads, target))
        if found and found[-1][0] <= WANTED:
            break
    off, size = min(found, key=lambda entry: entry[0], default=(1.0, None))
    return size if off <= ALLOWED else None


def no_size(model: str, problem: str) -> str:
    return (
        f"no width of {model} on {problem} comes within {100 * ALLOWED:.0f} % of LLT's parameters"
    )


def _heads(model: str, settings: Mapping[str, Any]) -> Iterator[Sizes]:
    """The most first; nothing for a model that has none."""
    known = signature(MODELS[model]).parameters
    if "heads" not in known:
        yield {}
        return
    heads = settings.get("heads", known["heads"].default)
    while heads:
        yield {"heads": heads}
        heads //= 2


def _nearest(
    model: str, problem: Problem, settings: Mapping[str, Any], heads: Sizes, target: int
) -> tuple[float, Sizes]:
    """How far off the width that comes nearest is, and that width."""
    multiples = range(step := heads.get("heads", 1), WIDEST + 1, step)
    widths = multiples[bisect_left(multiples, NARROWEST) :]

    def count(width: int) -> int:
        return parameters(model, problem, {**settings, "dim": width})

    # a wider network has more parameters
    place = bisect_left(widths, target, key=count)
    off, width = min(
        (abs(count(width) / target - 1), width) for width in widths[max(place - 1, 0) : place + 1]
    )
    return off, {"dim": width, **heads}
