"""Limits of size, time and number before an application, and headers of caution."""

import asyncio
import socket
from threading import Thread

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from llt.serve.limits import Limits, SecurityHeaders
from tests.serve.made import ask, listening, refused, tell
from tests.waiting import PATIENCE, until


class Slow:
    """Answers once it is told to."""

    def __init__(self):
        self.asked, self.free = [], asyncio.Event()

    async def __call__(self, request):
        self.asked.append(request.url.path)
        if request.url.path == "/slow":
            await self.free.wait()
        return PlainTextResponse(f"{len(await request.body())} bytes", headers={"X-Own": "yes"})

    async def release(self, request):
        self.free.set()
        return PlainTextResponse("free")


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture
def seconds():
    """For a body to come."""
    return PATIENCE


@pytest.fixture
def port(slow, seconds):
    routes = [
        Route("/slow", slow.__call__, methods=["POST"]),
        Route("/", slow.__call__, methods=["POST", "GET"]),
        Route("/free", slow.release, methods=["GET"]),
    ]
    app = Limits(
        Starlette(routes=routes),
        max_body=1000,
        seconds=seconds,
        concurrency=2,
        unlimited=("/free",),
    )
    with listening(SecurityHeaders(app, csp="default-src 'self'")) as port:
        yield port


def test_a_body_of_the_right_size_arrives_whole(port):
    assert ask(port, "/", b"x" * 1000).body == b"1000 bytes"


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(port, slow):
    found = ask(port, "/", b"x" * 1001)
    line = refused(found, 413)
    assert found.headers["Connection"] == "close"
    assert line == "a request may have 1,000 bytes, this one declares 1001"
    assert not slow.asked


def test_a_client_that_sends_all_the_same_sees_why(port):
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n"
    found = tell(port, head + b"x" * 8_000_000)
    assert found.startswith(b"HTTP/1.1 413") and b"this one declares 8000000" in found


def test_a_size_that_is_not_declared_is_counted(port, slow):
    found = tell(
        port,
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        + 20 * (b"64\r\n" + b"x" * 100 + b"\r\n")
        + b"0\r\n\r\n",
    )
    assert found.startswith(b"HTTP/1.1 413") and not slow.asked


@pytest.mark.parametrize("size", [b"1e3", b"-5", b"9" * 400, b"5, 6"])
def test_sizes_that_are_none_are_refused(port, slow, size):
    found = tell(port, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + size + b"\r\n\r\n")
    assert found.startswith((b"HTTP/1.1 400", b"HTTP/1.1 413")) and not slow.asked


@pytest.mark.parametrize("seconds", [0.5])
def test_a_body_that_comes_slowly_is_not_waited_for(port, slow):
    found = tell(port, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhel")
    assert found.startswith(b"HTTP/1.1 408") and b"did not come within 0.5 s" in found
    assert not slow.asked


def test_too_many_at_the_same_time_are_told_to_ask_again(port, slow):
    answers = []
    clients = [
        Thread(target=lambda: answers.append(ask(port, "/slow", b"hello"))) for _ in range(2)
    ]
    for client in clients:
        client.start()
    until(lambda: len(slow.asked) == 2)
    third = ask(port, "/", b"hello")
    assert "2 requests are being answered" in refused(third, 503)
    assert third.headers["Retry-After"] == "1"
    assert ask(port, "/free").body == b"free"  # which has no limit
    for client in clients:
        client.join(PATIENCE)
    assert [one.body for one in answers] == [b"5 bytes"] * 2
    assert ask(port, "/", b"hello").status == 200


def test_paths_without_a_limit_of_number_take_no_bodies(port):
    assert "0 bytes" in refused(ask(port, "/free", b"x", method="GET"), 413)


def test_a_client_that_is_gone_is_forgotten(port, slow):
    for _ in range(3):  # more than may be there at the same time
        sock = socket.create_connection(("127.0.0.1", port))
        sock.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhel")
        sock.close()
    until(lambda: ask(port, "/", b"hello").body == b"5 bytes")
    assert slow.asked == ["/"]


def test_answers_and_refusals_have_headers_of_caution(port):
    for found in (ask(port, "/", b"hello"), ask(port, "/", b"x" * 1001), ask(port, "/nothing")):
        assert found.headers["X-Content-Type-Options"] == "nosniff"
        assert found.headers["Content-Security-Policy"] == "default-src 'self'"
        assert found.headers["Cache-Control"] == "no-store"
        assert found.headers["X-Frame-Options"] == "DENY"
        assert found.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert found.headers["Referrer-Policy"] == "no-referrer"
    assert ask(port, "/", b"hello").headers["X-Own"] == "yes"
