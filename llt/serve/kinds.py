"""The kinds of bodies by media type: arrays by name, and files that `llt prepare` reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

from llt.data.formats import FORMATS

JSON, NPZ = ".json", ".npz"
ARRAYS = (JSON, NPZ)
# cases of several files, and a second name of .h5
LEFT_OUT = (".foam", ".case", ".encas", ".hdf5")
FILES = tuple(suffix for suffix in FORMATS if suffix not in LEFT_OUT)
MEDIA = {
    **{suffix: f"application/x-{suffix[1:]}" for suffix in (*ARRAYS, *FILES)},
    JSON: "application/json",
    ".h5": "application/x-hdf5",
    ".csv": "text/csv",
}
SUFFIXES = {media: suffix for suffix, media in MEDIA.items()}
# what clients send where nobody has told them: the body says what it is
VAGUE = ("", "*/*", "application/octet-stream", "application/x-www-form-urlencoded")
BEGIN = {b"PK\3\4": NPZ, b"\x89HDF\r\n\x1a\n": ".h5", b"# vtk DataFile": ".vtk"}
XML = {
    b"UnstructuredGrid": ".vtu",
    b"PolyData": ".vtp",
    b"StructuredGrid": ".vts",
    b"RectilinearGrid": ".vtr",
    b"ImageData": ".vti",
}


def kind_of(content_type: str, body: bytes) -> str:
    """The suffix of what a body is; empty where that cannot be told."""
    media = _media(content_type)
    return _by_begin(body) if media in VAGUE else SUFFIXES.get(media, "")


def wanted(accept: str, own: str, possible: Iterable[str]) -> str:
    """The suffix of the answer, the request's own where any will do; empty where none does."""
    ranges = [_media(part) for part in accept.split(",")]
    possible = [own, *possible]
    for media in ranges:
        if media in (*VAGUE, "application/*"):
            return own
        if SUFFIXES.get(media) in possible:
            return SUFFIXES[media]
    return ""


def _media(text: str) -> str:
    return text.partition(";")[0].strip().lower()


def _by_begin(body: bytes) -> str:
    for begin, suffix in BEGIN.items():
        if body.startswith(begin):
            return suffix
    head = body[:1024].lstrip()
    if head.startswith(b"{"):
        return JSON
    found = re.search(rb"<VTKFile[^>]*?\btype=[\"'](\w+)", head)
    return XML.get(found[1], "") if found else ""
