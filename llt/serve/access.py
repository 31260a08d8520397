"""Who may ask: whoever has the token; without one, programs and pages of this machine alone."""

from __future__ import annotations

import os
import secrets
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from llt.errors import ConfigError
from llt.runtime.reading import check_file, reading
from llt.serve.limits import refuse

VARIABLE = "LLT_TOKEN"
ANYWHERE = frozenset({"0.0.0.0", "::"})  # listened to, these are all addresses
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

    Args:
        hosts: names and addresses that are listened to besides those of the loopback.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] = frozenset()):
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host, origin = headers.get("host", ""), headers.get("origin")
            if not is_own(host, self.hosts):
                own = " or ".join(["127.0.0.1 or localhost", *sorted(self.hosts)])
                await refuse(scope, receive, send, 403, f"this is {own}, not {host!r}")
                return
            if origin is not None and origin != f"{scope['scheme']}://{host}":
                await refuse(scope, receive, send, 403, f"not for pages of {origin!r}")
                return
        await self.app(scope, receive, send)


def is_own(host: str, hosts: frozenset[str]) -> bool:
    """Whether a Host header names this machine; no site can be called by numbers."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if is_loopback(name) or name in hosts:
        return True
    return bool(hosts & ANYWHERE) and _is_address(name)


def is_loopback(host: str) -> bool:
    """Whether a name or an address is that of this machine for itself."""
    return host.lower() == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


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


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
