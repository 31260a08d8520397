"""Listening: a socket that is had or refused in one line, and a server that ends gracefully."""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections.abc import Callable
from math import ceil
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from llt.errors import ConfigError
from llt.serve.connection import Connection

BACKLOG = 512  # connections that wait to be taken


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens already; port 0 picks one that is free."""
    if not 0 <= port < 2**16:
        raise ConfigError(f"port {port} must be between 0 and 65535")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ConfigError(f"host {host}: no such address; 127.0.0.1 is this machine") from None
    family, _, _, _, where = found[0]
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # else a port stays taken for a minute after its server has ended
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(where)
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise ConfigError(f"{host}:{port} {_reason(error)}") from None
    return sock


def address(sock: socket.socket) -> str:
    """As a browser is given it."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(
    app: ASGIApp,
    sock: socket.socket,
    *,
    grace: float = 5.0,
    ready: Callable[[], None] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, which what is in flight outlives by `grace` seconds.

    Args:
        ready: called when requests are answered from now on.
    """
    Server(app, grace=grace, ready=ready).run(sockets=[sock])


class Server(uvicorn.Server):
    """Ends as a function returns; uvicorn's own raises the signal again."""

    def __init__(
        self, app: ASGIApp, *, grace: float = 5.0, ready: Callable[[], None] | None = None
    ) -> None:
        config = uvicorn.Config(
            app,
            http=Connection,
            loop="asyncio",
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=ceil(grace),
        )
        super().__init__(config)
        self._ready = ready
        # what clients do wrong is told to them, not here
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._ready is not None:
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:  # whoever asks twice does not want to wait, not even for threads
            os._exit(128 + sig)
        self.should_exit = True


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "is in use by another program; choose another port, 0 takes one that is free"
    if error.errno == errno.EACCES:
        return "may not be used by you; choose a port above 1023"
    if error.errno == errno.EADDRNOTAVAIL:
        return "is no address of this machine; 127.0.0.1 is"
    return f"cannot be had: {error.strerror}"
