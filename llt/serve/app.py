"""The application behind `llt serve`: routes, and what each error is answered with."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from threading import Semaphore
from typing import Any

import torch
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from llt import __version__
from llt.errors import ConfigError, LltError, unknown
from llt.own_mesh.job import Options
from llt.serve.access import OwnPages, Token
from llt.serve.body import read_body, write_body
from llt.serve.files import answer_file
from llt.serve.kinds import ARRAYS, JSON, MEDIA, kind_of, wanted
from llt.serve.limits import RETRY, Limits, SecurityHeaders
from llt.serve.metrics import MEDIA as TEXT
from llt.serve.metrics import Counting, Metrics
from llt.serve.options import read_options
from llt.serve.question import Answer, read_asked
from llt.serve.schema import describe, kinds_of, schema
from llt.serve.served import Served
from llt.serve.worker import Question, Worker

CSP = "default-src 'none'; frame-ancestors 'none'"
HEALTH, METRICS, SCHEMA, PREDICT = "/health", "/metrics", "/schema", "/predict"
MOST_WORDS = 1000  # characters of an error
FILES_AT_ONCE = 4  # each may have a process of its own that reads it
log = logging.getLogger("llt.serve")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits of the service."""

    max_body: int = 32 * 2**20
    seconds: float = 60.0  # for the body to come, and for the model to answer
    concurrency: int = 64
    token: str | None = None
    own_pages: bool = True  # bound to this machine alone


class Service:
    """Runs, the worker that owns them, and the threads that read and write bodies."""

    def __init__(self, runs: Mapping[str, Served], settings: Settings) -> None:
        self.runs, self.settings = runs, settings
        device = str(next(iter(runs.values())).surrogate.device)
        now: dict[str, Callable[[], float]] = {"llt_waiting": lambda: float(self.worker.waiting)}
        self.metrics = Metrics({"version": __version__, "device": device}, now)
        self.worker: Worker[Any] = Worker(self.metrics)
        self.files = Semaphore(FILES_AT_ONCE)
        self.pool = ThreadPoolExecutor(settings.concurrency, "llt-request")

    def application(self) -> ASGIApp:
        routes = [
            Route("/", self.overview),
            Route(HEALTH, self.health),
            Route(METRICS, self.tell_metrics),
            Route(SCHEMA, self.tell_schema),
            Route(PREDICT, self.predict, methods=["POST"]),
            Route(f"{PREDICT}/{{name}}", self.predict, methods=["POST"]),
        ]
        handlers: dict[Any, Any] = {HTTPException: _refused, Exception: _failed}
        app: ASGIApp = Starlette(routes=routes, exception_handlers=handlers, lifespan=self.lifespan)
        settings = self.settings
        app = Limits(
            app,
            max_body=settings.max_body,
            seconds=settings.seconds,
            concurrency=settings.concurrency,
            unlimited=(HEALTH, METRICS),
        )
        if settings.token is not None:
            app = Token(app, token=settings.token, open_paths=frozenset({HEALTH}))
        elif settings.own_pages:
            app = OwnPages(app)
        paths = frozenset({"/", HEALTH, METRICS, SCHEMA, PREDICT})
        app = Counting(app, metrics=self.metrics, paths=paths)
        return SecurityHeaders(app, csp=CSP)

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.worker.start()
        yield
        self.worker.stop(seconds=1.0)
        self.pool.shutdown(wait=False, cancel_futures=True)

    async def overview(self, request: Request) -> Response:
        runs = {name: describe(served) for name, served in self.runs.items()}
        paths = [f"POST {PREDICT}/{name}" for name in runs]
        paths += [f"GET {path}" for path in (SCHEMA, HEALTH, METRICS)]
        return JSONResponse({"llt": __version__, "runs": runs, "paths": paths})

    async def health(self, request: Request) -> Response:
        loop = asyncio.get_running_loop()
        runs = {
            name: await loop.run_in_executor(None, served.state)
            for name, served in self.runs.items()
        }
        well = self.worker.alive
        content = {"status": "ok" if well else "the worker has ended; start again", "runs": runs}
        return JSONResponse(content, 200 if well else 500)

    async def tell_metrics(self, request: Request) -> Response:
        return Response(self.metrics.text(), media_type=TEXT)

    async def tell_schema(self, request: Request) -> Response:
        return JSONResponse(schema(self.runs))

    async def predict(self, request: Request) -> Response:
        served = self._served(request.path_params.get("name"))
        body = await request.body()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.pool, self._answered, served, request, body)

    def _served(self, name: str | None) -> Served:
        if name is None and len(self.runs) == 1:
            return next(iter(self.runs.values()))
        if name is None:
            raise HTTPException(
                404,
                f"several runs are served; ask {PREDICT}/NAME with one of {', '.join(self.runs)}",
            )
        if name not in self.runs:
            raise HTTPException(404, unknown("run", name, self.runs))
        return self.runs[name]

    def _answered(self, served: Served, request: Request, body: bytes) -> Response:
        """In a thread of its own; what is wrong with the request is said with a status."""
        try:
            return self._answer(served, request, body)
        except ConfigError as error:
            raise HTTPException(400, str(error)) from None
        except LltError as error:
            raise HTTPException(422, str(error)) from None
        except TimeoutError:
            seconds = self.settings.seconds
            raise HTTPException(504, f"no answer within {seconds:g} s; ask for less") from None
        except (MemoryError, torch.OutOfMemoryError):
            raise HTTPException(413, "takes more memory than there is; ask for less") from None

    def _answer(self, served: Served, request: Request, body: bytes) -> Response:
        kinds = kinds_of(served)
        kind = _kind(request, body, kinds)
        of_file = kind not in ARRAYS or (served.surrogate.files is not None and kind != JSON)
        options = read_options(request.query_params, served, of_file=of_file)
        answer_kind = wanted(request.headers.get("accept", ""), kind, ARRAYS)
        if not answer_kind:
            raise HTTPException(406, f"answers are {', '.join(MEDIA[k] for k in (kind, *ARRAYS))}")
        if of_file:
            return self._answer_file(served, body, kind, answer_kind, options)
        try:
            arrays = read_body(body, kind)
        except LltError as error:
            raise HTTPException(400, str(error)) from None
        asked = read_asked(served, arrays, options.time, options.steps, options.symmetrize)
        answer: Answer = self._ask(asked)
        fields = answer.arrays
        if answer_kind == JSON and "points" in arrays:
            fields = {name: value for name, value in fields.items() if name != "points"}
        content = write_body(fields, answer_kind, report=answer.report)
        return _response(content, answer_kind, answer.report)

    def _answer_file(
        self, served: Served, body: bytes, kind: str, answer_kind: str, options: Options
    ) -> Response:
        if not self.files.acquire(timeout=self.settings.seconds):
            again = {"Retry-After": str(RETRY)}
            raise HTTPException(503, "too many files are being read; ask again", again)
        try:
            found = answer_file(served, body, kind, answer_kind, options, self._ask)
        finally:
            self.files.release()
        return _response(*found)

    def _ask(self, question: Question[Any]) -> Any:
        future = self.worker.submit(question)
        try:
            return future.result(self.settings.seconds)
        except CancelledError:
            raise HTTPException(503, "the service stops") from None
        finally:
            future.cancel()  # nobody waits for it any more


def _kind(request: Request, body: bytes, kinds: tuple[str, ...]) -> str:
    if request.headers.get("content-encoding", "identity") != "identity":
        raise HTTPException(415, "send the body as it is, without Content-Encoding")
    kind = kind_of(request.headers.get("content-type", ""), body)
    if kind not in kinds:
        known = ", ".join(MEDIA[one] for one in kinds)
        raise HTTPException(415, f"the body is of an unknown type; Content-Type is one of {known}")
    return kind


def _response(content: bytes, kind: str, report: Mapping[str, Any]) -> Response:
    headers = {"LLT-Report": json.dumps(report)}
    return Response(
        content, media_type=MEDIA.get(kind, "application/octet-stream"), headers=headers
    )


async def _refused(request: Request, error: HTTPException) -> Response:
    line = " ".join(error.detail.split())  # names in it are the client's
    return JSONResponse({"error": line[:MOST_WORDS]}, error.status_code, error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return JSONResponse({"error": "a mistake of the service; its log has more"}, 500)
