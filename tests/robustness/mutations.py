"""Damage: bytes changed as disks, transfers and people change them."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

Mutation = Callable[[Random, bytearray], bytearray]
NASTY = (
    *(b"0", b"-1", b"1e999", b"NaN", b"null", b"true", b'""', b"[]", b"{}", b'"\\u0000"'),
    *(b"99999999999999999999", b"1.5", b'"x"', b"[[[]]]", b"-0.0", b"\xff\xfe", b"Infinity"),
)
EXTREMES = (0, 1, 2**7, 2**15 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)


def mutate(rng: Random, content: bytes) -> bytes:
    """Content with one to four pieces of damage."""
    damaged = bytearray(content)
    kinds = TEXT + BINARY if _is_text(content) else BINARY
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        damaged = rng.choice(kinds)(rng, damaged)
    return bytes(damaged)


def _flip_bits(rng: Random, content: bytearray) -> bytearray:
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        if content:
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return content


def _truncate(rng: Random, content: bytearray) -> bytearray:
    return content[: _place(rng, content)]


def _cut(rng: Random, content: bytearray) -> bytearray:
    start = _place(rng, content)
    del content[start : start + rng.choice((1, 2, 8, 512, 4096))]
    return content


def _insert(rng: Random, content: bytearray) -> bytearray:
    start = _place(rng, content)
    content[start:start] = rng.randbytes(rng.choice((1, 2, 8, 512)))
    return content


def _fill(rng: Random, content: bytearray) -> bytearray:
    """A sector of zeros, or of ones."""
    start, length = _place(rng, content), rng.choice((1, 4, 8, 64, 512, 4096))
    end = min(start + length, len(content))
    content[start:end] = bytes([rng.choice((0, 255))]) * (end - start)
    return content


def _copy(rng: Random, content: bytearray) -> bytearray:
    """A piece in another's place."""
    source, target = _place(rng, content), _place(rng, content)
    piece = content[source : source + rng.choice((4, 8, 64, 512))]
    content[target : target + len(piece)] = piece
    return content


def _extreme_number(rng: Random, content: bytearray) -> bytearray:
    """A size or an address that cannot be."""
    width, start = rng.choice((1, 2, 4, 8)), _place(rng, content)
    number = rng.choice(EXTREMES) % 2 ** (8 * width)
    content[start : start + width] = number.to_bytes(width, rng.choice(("little", "big")))
    return content


def _replace_word(rng: Random, content: bytearray) -> bytearray:
    words = [*re.finditer(rb'"[^"]*"|[\w.+-]+', bytes(content))]
    if words:
        start, end = rng.choice(words).span()
        content[start:end] = rng.choice(NASTY)
    return content


def _remove_line(rng: Random, content: bytearray) -> bytearray:
    lines = bytes(content).splitlines(keepends=True)
    if lines:
        del lines[rng.randrange(len(lines))]
    return bytearray(b"".join(lines))


def _repeat_line(rng: Random, content: bytearray) -> bytearray:
    lines = bytes(content).splitlines(keepends=True)
    if lines:
        lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return bytearray(b"".join(lines))


def _place(rng: Random, content: bytearray) -> int:
    """Anywhere, and often near the beginning, where the structure is."""
    return rng.randrange(min(len(content), rng.choice((64, 512, 4096, 2**62))) + 1)


def _is_text(content: bytes) -> bool:
    return b"\0" not in content[:4096]


BINARY: tuple[Mutation, ...] = (
    *(_flip_bits, _flip_bits, _truncate, _cut, _insert, _fill, _copy),
    *(_extreme_number, _extreme_number),
)
TEXT: tuple[Mutation, ...] = (
    _replace_word,
    _replace_word,
    _replace_word,
    _remove_line,
    _repeat_line,
)
