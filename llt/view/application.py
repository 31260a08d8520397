"""The scene over HTTP: the page, and what it asks."""

from __future__ import annotations

import json
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from llt.errors import BusyError, ConfigError, LltError, SolverError
from llt.serve.access import OwnPages
from llt.serve.limits import Limits, SecurityHeaders
from llt.view.container import Parcel, to_json
from llt.view.guard import OwnRequests
from llt.view.scene import Live, Scene

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'self'; img-src 'self' blob: data:; style-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def make_app(scene: Scene, hosts: frozenset[str] = frozenset()) -> Starlette:
    """The application.

    Args:
        hosts: names that this machine is called by, besides those of the loopback.
    """

    def about(request: Request) -> Response:
        return _json(scene.about())

    def cases(request: Request) -> Response:
        return _json(scene.cases(request.query_params.get("split")))

    def mesh(request: Request) -> Response:
        return _parcel(scene.mesh(request.query_params.get("split"), _case(request)))

    def fields(request: Request) -> Response:
        split, moment = request.query_params.get("split"), request.query_params.get("time")
        number = None if moment is None else _whole(moment, "time")
        return _parcel(scene.fields(split, _case(request), number))

    def start(request: Request) -> Response:
        return _parcel(_live(scene).start())

    def post(answer: Callable[[Live, Mapping[str, Any]], Parcel]) -> Any:
        async def respond(request: Request) -> Response:
            asked = _object(await request.body())
            return _parcel(await run_in_threadpool(answer, _live(scene), asked))

        return respond

    @asynccontextmanager
    async def until_the_end(app: Starlette) -> AsyncIterator[None]:
        """Whatever is still being solved is given up, else the server would wait for it."""
        yield
        await run_in_threadpool(scene.close)

    return Starlette(
        routes=[
            Route("/", _page),
            Route("/static/{name}", _static),
            Route("/api/about", about),
            Route("/api/cases", cases),
            Route("/api/cases/{number}/mesh", mesh),
            Route("/api/cases/{number}/fields", fields),
            Route("/api/live/start", start),
            Route("/api/live/predict", post(lambda live, z: live.predict(z)), methods=["POST"]),
            Route("/api/live/solve", post(lambda live, z: live.solve(z)), methods=["POST"]),
        ],
        middleware=[
            Middleware(SecurityHeaders, csp=POLICY),
            Middleware(OwnPages, hosts=hosts),
            Middleware(OwnRequests),
            Middleware(Limits),
        ],
        lifespan=until_the_end,
        exception_handlers={LltError: _refused, HTTPException: _no_such, Exception: _broken},
    )


def _page(request: Request) -> Response:
    return _file("index.html")


def _static(request: Request) -> Response:
    return _file(request.path_params["name"])


def _file(name: str) -> Response:
    """One of the page's own files, by its whole name."""
    own = {path.name: path for path in STATIC.iterdir() if path.is_file()}
    if name not in own:
        raise HTTPException(404)
    return FileResponse(own[name], headers={"Cache-Control": "no-cache"})


def _json(value: Any, status: int = 200) -> Response:
    return Response(to_json(value), status, media_type="application/json")


def _parcel(parcel: Parcel) -> Response:
    return Response(parcel.packed(), 200, media_type="application/octet-stream")


def _case(request: Request) -> int:
    return _whole(request.path_params["number"], "case")


def _whole(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise ConfigError(f"{what} {text[:20]!r}: expected a number")
    return int(text)


def _live(scene: Scene) -> Live:
    if scene.live is None:
        raise ConfigError("there is no live problem here")
    return scene.live


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise ConfigError("the request is not JSON") from None
    if not isinstance(value, dict):
        raise ConfigError(f"expected a JSON object, got {type(value).__name__}")
    return value


def _refused(request: Request, error: Exception) -> Response:
    statuses = {ConfigError: 400, BusyError: 429, SolverError: 422}
    status = next((code for kind, code in statuses.items() if isinstance(error, kind)), 500)
    return _json({"error": " ".join(str(error).split())}, status)


def _no_such(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _json({"error": f"{request.url.path}: {error.detail.lower()}"}, error.status_code)


def _broken(request: Request, error: Exception) -> Response:
    """A file that is gone, or a mistake in the program: one line, and the server goes on."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return _json({"error": f"{where}{error.strerror or error}"}, 500)
    traceback.print_exception(error)
    return _json({"error": f"a mistake in llt: {type(error).__name__}, see the terminal"}, 500)
