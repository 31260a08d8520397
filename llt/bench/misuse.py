"""Requests that are wrong, slow or cut off, and the status that each must be answered with."""

from __future__ import annotations

import io
import socket
import zipfile
from collections.abc import Mapping
from functools import cache

PATIENCE = 60.0  # seconds
JSON, NPZ = "application/json", "application/x-npz"
BOMB = 150  # MiB, more than the service allows by default
LEFT = "none"  # the client does not wait for an answer


@cache
def misuses() -> Mapping[str, tuple[bytes, bool, str]]:
    """What is sent, whether the client then closes its side, and the status of the answer."""
    asked = _post(JSON, b'{"no such field": 1}')
    return {
        "malformed": (_post(JSON, b'{"points": [[0, 1'), False, "400"),
        "no HTTP": (b"\x16\x03\x01\r\n\r\n", False, "400"),
        "wrong names": (asked, False, "422"),
        "wrong type": (_post("text/html", b"<html>"), False, "415"),
        "a pickle": (_post("application/octet-stream", b"\x80\x04\x95"), False, "415"),
        "oversized": (_post(NPZ, b"PK", length=10**12), False, "413"),
        "a bomb": (_post(NPZ, _bomb()), False, "400"),
        "truncated": (_post(NPZ, b"PK\3\4", length=10_000), True, "400"),
        "slow": (_post(NPZ, b"PK\3\4", length=10_000), False, "408"),
        "no head": (b"POST /predict HT", False, "408"),
        "half closed": (asked, True, "422"),
        "gone": (asked, False, LEFT),
    }


def misuse(port: int, kind: str) -> str:
    """The status that came back, or what happened instead."""
    words, half, expected = misuses()[kind]
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as sock:
            sock.sendall(words)
            if expected == LEFT:
                return LEFT
            if half:
                sock.shutdown(socket.SHUT_WR)
            found = b""
            while piece := sock.recv(2**16):
                found += piece
    except OSError as error:
        return type(error).__name__
    return found[9:12].decode("latin-1") if found.startswith(b"HTTP/1.1 ") else "nothing"


def _post(content: str, body: bytes, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    lines = (
        "POST /predict HTTP/1.1",
        "Host: localhost",
        f"Content-Type: {content}",
        f"Content-Length: {size}",
        "Connection: close",
    )
    return "\r\n".join((*lines, "\r\n")).encode() + body


def _bomb() -> bytes:
    """Zeros that take a hundred times the bytes they are sent in."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("points.npy", "w") as member,
    ):
        for _ in range(BOMB):
            member.write(bytes(2**20))
    return file.getvalue()
