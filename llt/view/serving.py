"""A server that ends cleanly."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from llt.errors import ConfigError


def bind(host: str, port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except OSError as error:
        found.close()
        raise ConfigError(f"{host}:{port}: {error.strerror}; choose another --port") from None
    return found


def address(sock: socket.socket) -> str:
    host, port = sock.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve(app: ASGIApp, sock: socket.socket, *, ready: Callable[[], None]) -> None:
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5))
    begun = server.startup

    async def startup(sockets: list[socket.socket] | None = None) -> None:
        await begun(sockets)
        ready()

    server.startup = startup  # type: ignore[method-assign]
    server.run(sockets=[sock])
