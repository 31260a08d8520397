"""What other sites that a browser has open could ask besides what `OwnPages` refuses.

They can send forms here, so what is posted must be JSON; and they can have pictures and scripts
fetched from here without saying whose page it is, which must start no work.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from llt.serve.limits import refuse


class OwnRequests:
    """Answers 403 to what the page itself does not send."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            reason = _reason(scope["method"], scope["path"], Headers(scope=scope))
            if reason:
                await refuse(scope, receive, send, 403, reason)
                return
        await self.app(scope, receive, send)


def _reason(method: str, path: str, headers: Headers) -> str:
    """Why a request is refused; empty where it is not."""
    if headers.get("sec-fetch-site") == "cross-site" and path.startswith("/api/"):
        return "asked by another page"
    content = headers.get("content-type", "").split(";")[0].strip().lower()
    if method == "POST" and content != "application/json":
        return "expected Content-Type: application/json"
    return ""
