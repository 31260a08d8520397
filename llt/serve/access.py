"""Who may ask: whoever has the token; without one, programs and pages of this machine alone."""

from __future__ import annotations

import os
import secrets
from ipaddress import ip_address
from pathlib import Path

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from llt.errors import ConfigError
from llt.runtime.reading import check_file, reading
from llt.serve.limits import refuse

VARIABLE = "LLT_TOKEN"
SHORTEST = 16  # characters of a token: fewer could be guessed
LONGEST = 4096


class Token:
    """Answers 401 where the token is missing or wrong.

    Args:
        open_paths: that need none, as /health for whoever watches the service.
    """

    def __init__(self, app: ASGIApp, *, token: str, open_paths: frozenset[str] = frozenset()):
        self.app, self.open_paths = app, open_paths
        self.expected = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self.open_paths or self._is_known(scope):
            await self.app(scope, receive, send)
            return
        error = "the token is missing or wrong; send it as Authorization: Bearer TOKEN"
        await refuse(scope, receive, send, 401, error, {"WWW-Authenticate": "Bearer"})

    def _is_known(self, scope: Scope) -> bool:
        scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        same = secrets.compare_digest(given.strip().encode("latin-1"), self.expected)
        return scheme.lower() == "bearer" and same


class OwnPages:
    """Answers 403 to what a page of elsewhere sends, also one that calls itself this machine.

    A browser says where a page is from (Origin), and under which name it found the server (Host):
    a name of elsewhere that leads here would make its page one of ours.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host, origin = headers.get("host", ""), headers.get("origin")
            if not is_loopback(_name(host)):
                error = f"this is 127.0.0.1 or localhost, not {host!r}"
                await refuse(scope, receive, send, 403, error)
                return
            if origin is not None and origin != f"{scope['scheme']}://{host}":
                await refuse(scope, receive, send, 403, f"not for pages of {origin!r}")
                return
        await self.app(scope, receive, send)


def is_loopback(host: str) -> bool:
    """Whether a name or an address is that of this machine for itself."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def find_token(file: Path | None) -> str | None:
    """From a file, else from the environment, where it is not left for processes to inherit."""
    found = os.environ.pop(VARIABLE, None)
    where = VARIABLE
    if file is not None:
        check_file(file, ConfigError)
        with reading(file, ConfigError), file.open(encoding="utf-8") as opened:
            found = opened.read(LONGEST + 1)
        where = str(file)
    if found is None:
        return None
    token = found.strip()
    if not (SHORTEST <= len(token) <= LONGEST and token.isascii() and token.isprintable()):
        raise ConfigError(
            f"{where}: a token has at least {SHORTEST} characters in one line, ASCII alone; "
            "openssl rand -hex 32 makes one"
        )
    return token


def check_exposed(host: str, token: str | None) -> None:
    """Refuse to answer other machines without a token."""
    if token is None and not is_loopback(host):
        raise ConfigError(
            f"host {host} lets other machines ask; give a token with --token-file or {VARIABLE}, "
            "or leave the host out: 127.0.0.1"
        )


def _name(host: str) -> str:
    """Of a Host header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
