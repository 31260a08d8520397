"""What can be asked, as OpenAPI 3.1: made from what every surrogate knows of its problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llt import __version__
from llt.problem import Field, Problem
from llt.serve.kinds import ARRAYS, FILES, JSON, MEDIA, NPZ
from llt.serve.served import Served

Json = dict[str, Any]
NUMBERS = {"$ref": "#/components/schemas/Numbers"}
ERROR = {"$ref": "#/components/responses/Error"}
REFUSALS = {
    400: "not what its media type says, or an unknown option",
    401: "token missing or wrong",
    404: "no such run",
    406: "no answer of the media type in Accept",
    408: "the body came too slowly",
    413: "too large",
    415: "a media type that this run does not read",
    422: "names, shapes or numbers do not fit the model",
    503: "too many requests; ask again after Retry-After seconds",
    504: "no answer within the limit of time",
}


def describe(served: Served) -> Json:
    """A run in a few words."""
    problem = served.surrogate.cases
    return {
        "problem": problem.describe(),
        "inputs": {field.name: field.unit for field in (*problem.inputs, *problem.parameters)},
        "outputs": {field.name: field.unit for field in problem.outputs},
        "media_types": [MEDIA[kind] for kind in kinds_of(served)],
    }


def kinds_of(served: Served) -> tuple[str, ...]:
    """What its requests may be: arrays, and after `llt prepare` files as it was trained on."""
    if served.surrogate.files is None:
        return ARRAYS
    return (JSON, *FILES)


def schema(runs: Mapping[str, Served]) -> Json:
    paths: Json = {
        "/health": {"get": _plain("Whether the service is well.", "application/json")},
        "/metrics": {"get": _plain("Counts and times for Prometheus.", "text/plain")},
        "/schema": {"get": _plain("This description.", "application/json")},
    }
    for name, served in runs.items():
        paths[f"/predict/{name}"] = {"post": _predict(served)}
    if len(runs) == 1:
        paths["/predict"] = paths[f"/predict/{next(iter(runs))}"]
    return {
        "openapi": "3.1.0",
        "info": {"title": "llt serve", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {
                "Numbers": {
                    "description": "a number, or lists of equal length of them",
                    "anyOf": [{"type": "number"}, {"type": "array", "items": NUMBERS}],
                },
                "Report": _report(),
            },
            "responses": {
                "Error": {
                    "description": "what is wrong, in one line",
                    "content": {"application/json": {"schema": _object(error={"type": "string"})}},
                }
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _predict(served: Served) -> Json:
    problem, kinds = served.surrogate.cases, kinds_of(served)
    shape = _shape(problem)
    given = {f.name: _described(f, shape) for f in problem.inputs}
    given |= {f.name: _described(f, "one number, or one for each case") for f in problem.parameters}
    dims = problem.space_dim
    points = {**NUMBERS, "description": f"coordinates: {shape}, with a last axis of {dims}"}
    needed = [*given] if served.surrogate.own_mesh is not None else ["points", *given]
    body = {"type": "object", "required": needed, "properties": {"points": points, **given}}
    fields = {f.name: _described(f, shape) for f in problem.outputs}
    answer = _object(
        fields={"type": "object", "properties": fields},
        report={"$ref": "#/components/schemas/Report"},
    )
    binary: Json = {"description": "the same names and arrays, or a mesh as trained on"}
    return {
        "summary": problem.describe(),
        "operationId": f"predict-{served.name}",
        "parameters": _options(served),
        "requestBody": {
            "required": True,
            "content": {MEDIA[k]: {"schema": body if k == JSON else binary} for k in kinds},
        },
        "responses": {
            "200": {
                "description": "predictions in physical units",
                "headers": {"LLT-Report": {"description": "the report, as JSON in one line"}},
                "content": {
                    MEDIA[kind]: {"schema": answer if kind == JSON else binary}
                    for kind in dict.fromkeys((*kinds, NPZ))
                },
            },
            **{str(status): {**ERROR, "description": why} for status, why in REFUSALS.items()},
        },
    }


def _shape(problem: Problem) -> str:
    if problem.grid is None:
        return "(N,) points of a case, or (B, N) of many"
    grid = ", ".join(map(str, problem.grid))
    return f"({grid},) or another grid of as many axes, with an axis before it for many cases"


def _described(field: Field, shape: str) -> Json:
    unit = f" in {field.unit}" if field.unit else ""
    return {**NUMBERS, "description": f"{field.name}{unit}: {shape}"}


def _options(served: Served) -> list[Json]:
    def option(name: str, kind: str, words: str) -> Json:
        return {"name": name, "in": "query", "schema": {"type": kind}, "description": words}

    surrogate = served.surrogate
    found = []
    if surrogate.problem.symmetries:
        words = "average over the symmetries of the problem"
        found.append(option("symmetrize", "boolean", words))
    if surrogate.problem.timed or (surrogate.files is not None and surrogate.files.times):
        found.append(option("time", "string", "a time, several as 0,0.5,1, or all"))
    if surrogate.frames is not None:
        found.append(option("steps", "integer", "how many frames to predict"))
    if surrogate.files is not None:
        found.append(option("param", "string", "of files: a case parameter, as speed=12.5"))
        found.append(option("integrate", "string", "of files: mean:T, force:p:wall, flux:U:inlet"))
    return found


def _report() -> Json:
    number, text = {"type": "number"}, {"type": "string"}
    return _object(
        run=text,
        bars={
            "type": "object",
            "additionalProperties": number,
            "description": "of every output, how far off most points of a new case are at most",
        },
        distance={**number, "description": "above 1: further out than every training case"},
        group={**text, "description": "what is farthest out"},
        unfamiliar={"type": "integer", "description": "cases whose distance is above 1"},
        warnings={"type": "array", "items": text},
    )


def _object(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def _plain(words: str, media: str) -> Json:
    return {
        "summary": words,
        "responses": {"200": {"description": words, "content": {media: {}}}},
    }
