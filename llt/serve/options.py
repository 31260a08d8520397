"""What a request asks besides its body: the part of its address behind the question mark."""

from __future__ import annotations

from starlette.datastructures import QueryParams

from llt.errors import ConfigError, unknown
from llt.own_mesh.job import Options
from llt.own_mesh.numbers import read_said
from llt.predict import parse_times
from llt.serve.served import Served

SINGLE = ("time", "steps", "symmetrize")
OF_FILES = ("param", "integrate")  # which may be there several times
YES, NO = ("true", "1", "yes", ""), ("false", "0", "no")
LONGEST = 4096  # characters of one value


def read_options(query: QueryParams, served: Served, *, of_file: bool) -> Options:
    names = SINGLE + OF_FILES * of_file
    for name, value in query.multi_items():
        if name not in names:
            raise ConfigError(unknown("option", name[:LONGEST], names))
        if len(value) > LONGEST or (name in SINGLE and len(query.getlist(name)) > 1):
            raise ConfigError(f"option {name} is too long, or there twice")
    return Options(
        parameters=read_said(query.getlist("param")),
        time=parse_times(query.get("time", ""), served.surrogate.times),
        steps=_steps(query.get("steps")),
        integrate=query.getlist("integrate"),
        symmetrize=_truth(query.get("symmetrize", "no")),
    )


def _steps(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise ConfigError(f"option steps={text}: expected a whole number")
    return int(text)


def _truth(text: str) -> bool:
    if text.lower() not in YES + NO:
        raise ConfigError(f"option symmetrize={text}: expected true or false")
    return text.lower() in YES
