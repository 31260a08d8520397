"""A process of its own for libraries that may crash, hang or fill the memory on damaged files.

It is a fresh interpreter that complains to nobody, started at the first call and again after one
that ended it. What it is asked to call, and what that returns, must be picklable.
"""

from __future__ import annotations

import faulthandler
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import IO, Any, ParamSpec, TypeVar

from llt.errors import DataError
from llt.runtime.workers import work_for

T = TypeVar("T")
P = ParamSpec("P")
PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from llt.runtime import apart; apart.serve(int(sys.argv[2]))"
)
SECONDS = 600.0
SOON = 5.0  # seconds for a process that answers no more to be gone
# every thread reserves memory, which on a machine of many cores is more than a file may take
SINGLE = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "VTK_SMP_BACKEND_IN_USE": "Sequential",
}


class EndedError(Exception):
    """The process has ended before it could answer."""

    def __init__(self, *, late: bool) -> None:
        super().__init__(late)
        self.late = late  # it took too long


class Apart:
    """The process, as seen by the one that asks."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def call(
        self,
        path: Path,
        function: Callable[P, T],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """What a function returns or raises; an error that names the path where it ends."""
        return self.call_within(path, SECONDS, None, function, *args, **kwargs)

    def call_within(
        self,
        path: Path,
        seconds: float,
        memory: int | None,
        function: Callable[P, T],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The same, for at most some seconds, and with so many more bytes of memory."""
        try:
            return self.ask(seconds, memory, function, *args, **kwargs)
        except EndedError as end:
            how = (
                f"took more than {seconds:.0f} s"
                if end.late
                else "crashed or needs too much memory"
            )
            raise DataError(f"{path}: damaged; the library that reads it {how}") from None

    def ask(
        self,
        seconds: float,
        memory: int | None,
        function: Callable[P, T],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """The same, whatever it is about; `EndedError` where the process ends."""
        begin = monotonic()
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            # paths may be relative, and this process may have moved since the other began
            question = function, args, kwargs, seconds, memory, str(Path.cwd())
            pickle.dump(question, process.stdin, pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            fine, answer = pickle.load(process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            late = monotonic() - begin >= seconds and _ended_itself(process)
            self.close()
            raise EndedError(late=late) from None
        except BaseException:
            self.close()  # an answer that nobody waits for would be taken for the next one's
            raise
        if not fine:
            raise answer
        return answer

    def stop(self) -> None:
        """End the process from another thread than the one that waits for its answer."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Apart:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            words = [sys.executable, "-I", "-c", PROGRAM, json.dumps(sys.path), str(os.getpid())]
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | SINGLE,
            )
        return self._process


def _ended_itself(process: subprocess.Popen[bytes]) -> bool:
    """As it does when its time is up; a crash may come late, too, where the start was slow."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(SOON) > 0
    return True


def serve(parent: int) -> None:
    """The process's own part: answers one question after the other."""
    work_for(parent)
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # libraries print where they like
        os.dup2(nowhere, stream)
    with os.fdopen(nowhere, "wb") as silence, suppress(EOFError):
        while True:
            pickle.dump(_answer(questions, silence), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


def _answer(questions: IO[bytes], silence: IO[bytes]) -> tuple[bool, Any]:
    function, args, kwargs, seconds, memory, folder = pickle.load(questions)
    os.chdir(folder)
    # it ends the process from outside of Python, which a hanging library does not return to
    faulthandler.dump_traceback_later(seconds, exit=True, file=silence)
    try:
        with _limited(memory):
            return True, function(*args, **kwargs)
    except Exception as error:
        return False, error
    finally:
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def _limited(memory: int | None) -> Iterator[None]:
    """At most so many bytes more than are in use; where the system knows no limits, any."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        before = resource.getrlimit(resource.RLIMIT_AS)
    except (ImportError, OSError):
        yield
        return
    if memory is not None:
        most = pages * resource.getpagesize() + memory
        most = most if before[1] == resource.RLIM_INFINITY else min(most, before[1])
        resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
