"""Only the page itself may ask: other sites that a browser has open, or leads here, may not.

A site can give its own name this machine's address (DNS rebinding), so requests must name this
machine; and it can send forms and scripts here, so those must be JSON from the page's own origin.
"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from llt.view.container import to_json

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
ANYWHERE = frozenset({"0.0.0.0", "::"})


class OwnPage:
    """Refuses all other requests."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        reason = self._reason(scope["method"], scope["path"], Headers(scope=scope))
        if reason:
            body = to_json({"error": reason})
            refusal = Response(body, 403, media_type="application/json")
            await refusal(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _reason(self, method: str, path: str, headers: Headers) -> str:
        """Why a request is refused; empty where it is not."""
        host = headers.get("host", "")
        if not is_own(host, self.hosts):
            return "this server answers to the address that it has printed"
        if headers.get("sec-fetch-site") == "cross-site" and path.startswith("/api/"):
            return "asked by another page"
        if method != "POST":
            return ""
        if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
            return "expected Content-Type: application/json"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "asked by another page"
        return ""


def is_own(host: str, hosts: frozenset[str]) -> bool:
    """Whether a Host header names this machine."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name in LOOPBACK | hosts:
        return True
    return bool(hosts & ANYWHERE) and _is_address(name)


def _is_address(name: str) -> bool:
    """No site can be called by numbers."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
