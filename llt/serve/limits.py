"""What stands before every application: limits of size and time, and headers of caution.

Applications get whole bodies: Limits reads them, and refuses what is too large or too slow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LINGER = 2.0  # seconds for a client that still sends to see that it is refused
RETRY = 1  # seconds after which a client may ask again
CAUTION = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


class Limits:
    """Bodies of at most some bytes within some seconds; so many requests at the same time.

    Args:
        unlimited: paths that are answered however many requests there are, as /health; they take
            no bodies, which so many would fill the memory with.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        max_body: int = 2**20,
        seconds: float = 60.0,
        concurrency: int = 64,
        unlimited: Iterable[str] = (),
    ) -> None:
        self.app, self.max_body, self.seconds = app, max_body, seconds
        self.concurrency, self.unlimited = concurrency, frozenset(unlimited)
        self.busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["path"] in self.unlimited:
            await self._limited(scope, receive, send, 0)
            return
        if self.busy >= self.concurrency:
            busy = f"{self.busy} requests are being answered; ask again"
            await refuse(scope, receive, send, 503, busy, {"Retry-After": str(RETRY)})
            return
        self.busy += 1
        try:
            await self._limited(scope, receive, send, self.max_body)
        finally:
            self.busy -= 1

    async def _limited(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        declared = Headers(scope=scope).get("content-length", "0")
        too_large = f"a request may have {most:,} bytes"
        if len(declared) > 18 or int(declared) > most:
            await refuse(scope, receive, send, 413, f"{too_large}, this one declares {declared}")
            return
        try:
            async with asyncio.timeout(self.seconds):
                body = await read_body(receive, most)
        except TimeoutError:
            late = f"the body did not come within {self.seconds:g} s"
            await refuse(scope, receive, send, 408, late)
            return
        except OverflowError:
            await refuse(scope, receive, send, 413, too_large)
            return
        if body is not None:
            await self.app(scope, replaying(body, receive), send)


class SecurityHeaders:
    """Headers that browsers heed, on every answer that has not set them itself.

    Args:
        csp: the content security policy.
    """

    def __init__(self, app: ASGIApp, *, csp: str) -> None:
        self.app, self.headers = app, {**CAUTION, "Content-Security-Policy": csp}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


async def read_body(receive: Receive, most: int) -> bytes | None:
    """All of it; None where the client is gone, OverflowError where it is too much."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > most:
            raise OverflowError
        if not message.get("more_body", False):
            return bytes(body)


def replaying(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the whole body first."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


async def refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    status: int,
    error: str,
    headers: dict[str, str] | None = None,
) -> None:
    """Answer a client that may still be sending, and end the connection.

    Closed at once, unread bytes would make the system reset it, and the answer be lost.
    """
    last: list[Message] = []

    async def but_the_end(message: Message) -> None:
        if message["type"] == "http.response.body":
            last.append({**message, "body": b"", "more_body": False})
            message = {**message, "more_body": True}
        await send(message)

    answer = JSONResponse({"error": error}, status, {"Connection": "close", **(headers or {})})
    await answer(scope, receive, but_the_end)
    try:
        async with asyncio.timeout(LINGER):
            while (message := await receive())["type"] != "http.disconnect":
                if not message.get("more_body", False):
                    break
    except TimeoutError:
        pass
    for message in last:
        await send(message)
