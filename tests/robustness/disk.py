"""A disk that notes what is written to it, fails when asked, and can be cut off from its power.

All that Python writes below a folder passes through here: files that are opened to be written,
fsync, rename, unlink, mkdir. From the notes of one run follows what the disk holds if the process
is killed or the power is cut before any of its operations.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

REAL = {name: getattr(os, name) for name in ("fsync", "replace", "rename", "unlink", "rmdir", "mkdir", "open")}  # fmt: skip  # noqa: E501
OPEN = io.open
FILLING = ("create", "write", "truncate", "fsync", "mkdir")  # what a full disk refuses


@dataclass(frozen=True)
class Operation:
    kind: str
    path: Path
    target: Path | None = None  # of a rename
    data: bytes = b""
    offset: int = 0


@dataclass
class Disk:
    """A folder whose operations are counted; the one of number `fail_at` goes wrong."""

    root: Path
    fail_at: int = -1
    how: str = ""  # EIO, ENOSPC, short, or kill: the process, half way through a write
    operations: list[Operation] = field(default_factory=list)
    full: bool = False

    def note(self, kind: str, path: Path, **about: Any) -> None:
        """Before it is done."""
        number = len(self.operations)
        if number == self.fail_at and self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        self.operations.append(Operation(kind, path, **about))
        if number == self.fail_at and self.how == "ENOSPC":
            self.full = True  # and stays so
        named = () if kind in ("write", "truncate", "fsync") else (str(path),)  # as the system does
        if self.full and kind in FILLING:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *named)
        if number == self.fail_at and self.how == "EIO":
            raise OSError(errno.EIO, os.strerror(errno.EIO), *named)

    def does(self, how: str) -> bool:
        """Whether it is about to go wrong in this way."""
        return self.how == how and len(self.operations) == self.fail_at

    def path(self, name: Any, folder: int | None = None) -> Path | None:
        """Where a name or an open file lies, if below the root."""
        if isinstance(name, int):
            name = Path(f"/proc/self/fd/{name}").readlink()
        elif folder is not None:
            name = Path(f"/proc/self/fd/{folder}").readlink() / os.fsdecode(name)
        path = Path(os.path.abspath(os.fsdecode(name)))  # noqa: PTH100, links stay
        return path if path.is_relative_to(self.root) else None

    @contextmanager
    def watched(self) -> Iterator[Disk]:
        with (
            patch.multiple(os, **{name: getattr(self, f"_{name}") for name in REAL}),
            patch.object(io, "open", self._open_file),
            patch.object(builtins, "open", self._open_file),
        ):
            yield self

    def _open_file(
        self, file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None,
        errors: Any = None, newline: Any = None, closefd: bool = True, opener: Any = None,
    ) -> Any:  # fmt: skip
        path = None if isinstance(file, int) or opener else self.path(file)
        if path is None or not set(mode) & set("wxa+"):
            return OPEN(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if not path.exists():
            self.note("create", path)
        elif "w" in mode:
            self.note("truncate", path)
        raw = Watched(self, path, mode.replace("t", ""))
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

    def _open(self, name: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        path = self.path(name, kwargs.get("dir_fd"))
        if path is not None and flags & os.O_CREAT and not path.exists():
            self.note("create", path)
        return REAL["open"](name, flags, *args, **kwargs)

    def _fsync(self, number: int) -> None:
        if (path := self.path(number)) is not None:
            self.note("fsync", path)

    def _replace(self, source: Any, target: Any, **kwargs: Any) -> None:
        if (path := self.path(source)) is not None:
            self.note("replace", path, target=self.path(target))
        REAL["replace"](source, target, **kwargs)

    _rename = _replace

    def _unlink(self, name: Any, *, dir_fd: int | None = None) -> None:
        if (path := self.path(name, dir_fd)) is not None and path.exists():
            self.note("remove", path)
        REAL["unlink"](name, dir_fd=dir_fd)

    def _rmdir(self, name: Any, *, dir_fd: int | None = None) -> None:
        if (path := self.path(name, dir_fd)) is not None:
            self.note("remove", path)
        REAL["rmdir"](name, dir_fd=dir_fd)

    def _mkdir(self, name: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        if (path := self.path(name, dir_fd)) is not None and not path.exists():
            self.note("mkdir", path)
        REAL["mkdir"](name, mode, dir_fd=dir_fd)


class Watched(io.FileIO):
    def __init__(self, disk: Disk, path: Path, mode: str) -> None:
        super().__init__(path, mode)
        self.disk, self.place = disk, path

    def write(self, data: Any) -> int:
        content = bytes(data)
        half = content[: (len(content) + 1) // 2]
        if self.disk.does("kill"):
            super().write(half)
        if self.disk.does("short"):
            content = half
        at_end = "a" in self.mode
        offset = os.fstat(self.fileno()).st_size if at_end else self.tell()
        self.disk.note("write", self.place, data=content, offset=offset)
        return super().write(content)

    def truncate(self, size: int | None = None) -> int:
        size = self.tell() if size is None else size
        self.disk.note("truncate", self.place, offset=size)
        return super().truncate(size)


@dataclass
class File:
    data: bytearray
    synced: bytes = b""


@dataclass
class Folder:
    entries: dict[str, File | Folder] = field(default_factory=dict)
    synced: dict[str, File | Folder] = field(default_factory=dict)


Tree = dict[str, bytes | None]  # contents by path; None for folders


class Model:
    """What the disk holds: in the eyes of the process, and for certain."""

    def __init__(self, root: Path, tree: Tree) -> None:
        self.root, self.top = root, Folder()
        for name, content in sorted(tree.items()):
            node = Folder() if content is None else File(bytearray(content), content)
            folder, last = self._find(root / name)
            folder.entries[last] = folder.synced[last] = node

    def apply(self, done: Operation, *, half: bool = False) -> None:
        folder, name = self._find(done.path)
        node = self.top if done.path == self.root else folder.entries.get(name)
        if done.kind in ("create", "mkdir"):
            folder.entries[name] = File(bytearray()) if done.kind == "create" else Folder()
        elif done.kind == "remove":
            del folder.entries[name]
        elif done.kind == "replace":
            assert done.target is not None
            target, new = self._find(done.target)
            target.entries[new] = folder.entries.pop(name)
        elif isinstance(node, Folder):
            assert done.kind == "fsync"
            node.synced = dict(node.entries)
        else:
            assert node is not None
            _change(node, done, half=half)

    def killed(self) -> Tree:
        """The process is gone; the disk is as it saw it."""
        return self._tree(lambda folder: folder.entries, lambda file: bytes(file.data))

    def nothing_more(self) -> Tree:
        """The power is gone, and with it all that was not synced."""
        return self._tree(lambda folder: folder.synced, lambda file: file.synced)

    def names_only(self) -> Tree:
        """The power is gone; names were written in time, contents were not."""
        return self._tree(lambda folder: folder.entries, lambda file: file.synced)

    def _find(self, path: Path) -> tuple[Folder, str]:
        folder = self.top
        for part in path.relative_to(self.root).parts[:-1]:
            inner = folder.entries[part]
            assert isinstance(inner, Folder)
            folder = inner
        return folder, path.name

    def _tree(self, entries: Any, content: Any) -> Tree:
        found: Tree = {}

        def visit(folder: Folder, where: str) -> None:
            for name, node in entries(folder).items():
                inside = isinstance(node, Folder)
                found[where + name] = None if inside else content(node)
                if isinstance(node, Folder):
                    visit(node, f"{where}{name}/")

        visit(self.top, "")
        return found


def _change(file: File, done: Operation, *, half: bool) -> None:
    if done.kind == "write":
        data = done.data[: len(done.data) // 2] if half else done.data
        file.data.extend(bytes(max(0, done.offset - len(file.data))))
        file.data[done.offset : done.offset + len(data)] = data
    elif done.kind == "truncate":
        file.data.extend(bytes(max(0, done.offset - len(file.data))))
        del file.data[done.offset :]
    elif done.kind == "fsync":
        file.synced = bytes(file.data)


def crashes(root: Path, before: Tree, operations: list[Operation]) -> Iterator[tuple[str, Tree]]:
    """All that the disk may hold if the work ends before, or within, one of the operations."""
    model = Model(root, before)
    for number, operation in enumerate(operations):
        yield f"power cut before {number}", model.nothing_more()
        yield f"power cut before {number}, names written", model.names_only()
        yield f"killed before {number}", model.killed()
        if operation.kind == "write":
            model.apply(operation, half=True)
            yield f"killed within {number}", model.killed()
        model.apply(operation)
    yield "power cut after all", model.nothing_more()


def read_tree(root: Path) -> Tree:
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
    }


def write_tree(root: Path, tree: Tree) -> None:
    """Make a folder hold this and nothing else."""
    for path in sorted(root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for name, content in sorted(tree.items()):
        if content is None:
            (root / name).mkdir(parents=True, exist_ok=True)
        else:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(content)
