"""One connection: what uvicorn leaves open, kept within limits of time.

A request whose head does not come is answered 408, one that ends too early 400. A client that has
sent all and closes its side gets its answer; one that does not take its answer is left.
"""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from llt.serve.limits import RETRY

HEAD = 10.0  # seconds that the head of a request may take
STALLED = 30.0  # seconds without a byte of an answer taken
LINGER = 2.0  # seconds for a client that still sends to see that it is refused
MOST = 500  # connections; more would use up what files a process may have open
AGAIN = f"Retry-After: {RETRY}"


class Connection(H11Protocol):
    """HTTP/1.1 over one connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._over = False  # answered without the application; what still comes is not read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections", AGAIN)
            return
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._head, self._stalled):
            if timer is not None:
                timer.cancel()

    def data_received(self, data: bytes) -> None:
        if not self._over:
            super().data_received(data)
            self._watch_head()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether the connection is kept for an answer."""
        cycle = self.cycle
        if self._over:
            return False
        if cycle is None or cycle.response_complete:
            if self.conn.trailing_data[0]:
                self._answer(HTTPStatus.BAD_REQUEST, "the request ends within its head")
            return False
        if cycle.more_body:
            if not cycle.response_started:
                self._answer(HTTPStatus.BAD_REQUEST, "the request ends before its body does")
            cycle.disconnected = True
            cycle.message_event.set()
            return False
        cycle.keep_alive = False
        return True

    def send_400_response(self, msg: str) -> None:
        self._answer(HTTPStatus.BAD_REQUEST, "not a request of HTTP/1.1")

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_answer(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()

    def _watch_head(self) -> None:
        """A timer runs while a request is awaited that has begun, or the first one."""
        if self.conn.their_state is not h11.IDLE:
            if self._head is not None:
                self._head.cancel()
            self._head = None
        elif self._head is None:
            late = HTTPStatus.REQUEST_TIMEOUT, f"no request within {HEAD:.0f} s"
            self._head = self.loop.call_later(HEAD, self._answer, *late)

    def _watch_answer(self, waiting: int) -> None:
        def look() -> None:
            left = self.transport.get_write_buffer_size()
            if left < waiting:
                self._watch_answer(left)
            else:
                self.transport.abort()

        self._stalled = self.loop.call_later(STALLED, look)

    def _answer(self, status: HTTPStatus, error: str, *headers: str) -> None:
        """Without the application, which has not been asked.

        Closed at once, unread bytes would make the system reset it, and the answer be lost.
        """
        if self._over or self.transport.is_closing():
            return
        self._over = True
        body = json.dumps({"error": error}).encode()
        lines = (
            f"HTTP/1.1 {status.value} {status.phrase}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            "Connection: close",
            *headers,
        )
        self.transport.write("\r\n".join((*lines, "\r\n")).encode() + body)
        self.transport.write_eof()
        self.loop.call_later(LINGER, self.transport.close)
