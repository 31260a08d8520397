"""Fuzzing: damaged copies of a file, each read in a child of one warm process.

    python -m tests.robustness.campaign KIND --trials 10000

A trial damages one file of a kind, reads it as its users would, and ends in one of

same       read, and all that matters is as it was
refused    one line that names the file
stopped    refused, because the library hung or crashed in the child that looks at it first
changed    read, but with other contents; allowed only where the format has no checksum
traceback  an exception that is not meant for users
crash      killed by a signal
hang       more than 20 seconds; longer, as much as other work on the machine takes its share
memory     more than the limit

Children are forked, so a trial costs milliseconds, and one that spins or dies harms no other.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import resource
import select
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from llt.data import look
from llt.data.formats import process
from llt.errors import DataError, LltError
from tests.robustness.mutations import mutate

SECONDS = 20
MEMORY = 2**30  # bytes that a trial may add to what the warm process has
BAD = ("traceback", "crash", "hang", "memory")


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    make: writes good files into an empty folder and gives those that are damaged in turn
    read: reads what the folder holds, as a user's command does; gives all that matters
    """

    name: str
    make: Callable[[Path], list[Path]]
    read: Callable[[Path], Any]
    checked: bool = True  # damage that is not refused must change nothing
    named: bool = True  # what is refused names the file; else the setting that is wrong


@dataclass
class Report:
    kind: str
    trials: int
    seed: int
    outcomes: Counter[str] = field(default_factory=Counter)
    bad: list[dict[str, Any]] = field(default_factory=list)  # the first of them

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "outcomes": dict(self.outcomes)}


def run(kind: Kind, trials: int, seed: int, *, first: int = 0, keep: Path | None = None) -> Report:
    report = Report(kind.name, trials, seed)
    with tempfile.TemporaryDirectory() as folder:
        good, work = Path(folder) / "good", Path(folder) / "work"
        good.mkdir()
        targets = [path.relative_to(good) for path in kind.make(good)]
        shutil.copytree(good, work)
        expected = repr(kind.read(work))  # also warms what is loaded late
        _restore(good, work)
        for trial in range(first, first + trials):
            rng = Random(f"{kind.name} {seed} {trial}")
            target = rng.choice(targets)
            (work / target).write_bytes(mutate(rng, (good / target).read_bytes()))
            outcome, detail = _trial(kind, work, target, expected)
            report.outcomes[outcome] += 1
            if outcome in BAD or (outcome == "changed" and kind.checked):
                about = {"trial": trial, "file": str(target), "outcome": outcome, "detail": detail}
                report.bad = [*report.bad, about][:20]
                if keep is not None:
                    shutil.copytree(work, keep / f"{kind.name}-{trial}", dirs_exist_ok=True)
            _restore(good, work)
    return report


def _restore(good: Path, work: Path) -> None:
    """As it was, whatever a trial has written."""
    shutil.rmtree(work)
    shutil.copytree(good, work)


def _trial(kind: Kind, folder: Path, target: Path, expected: str) -> tuple[str, str]:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.write(writer, json.dumps(_attempt(kind, folder, target, expected)).encode()[:60000])
        os._exit(0)
    os.close(writer)
    try:
        return _wait(child, reader)
    finally:
        os.close(reader)


def _wait(child: int, reader: int) -> tuple[str, str]:
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    ready, _, _ = select.select([reader], [], [], SECONDS * busy)
    if not ready:
        os.kill(child, signal.SIGKILL)
    content = b"".join(iter(lambda: os.read(reader, 65536), b"")) if ready else b""
    _, status = os.waitpid(child, 0)
    if not ready:
        return "hang", f"more than {SECONDS * busy:.0f} s"
    if not content:
        return "crash", f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "exit"
    outcome, detail = json.loads(content)
    return outcome, detail


def _attempt(kind: Kind, folder: Path, target: Path, expected: str) -> tuple[str, str]:
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    warnings.simplefilter("ignore")
    before = _pages("VmSize")
    limit = before + 4 * MEMORY  # where overcommitted memory would be used, were it not refused
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for path in folder.rglob("*.h5"):
        if path != folder / target:
            look.trust(path)  # only the damaged one is of interest
    try:
        found = repr(kind.read(folder))
    except LltError as error:
        outcome = _refusal(str(error), folder if kind.named else None)
    except MemoryError as error:
        return "memory", repr(error)
    except BaseException:
        return "traceback", traceback.format_exc()[-1500:]
    else:
        outcome = ("same", "") if found == expected else ("changed", found[:500])
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident) * 1024
    return ("memory", f"{grown / 2**20:.0f} MiB") if grown > MEMORY else outcome


def _refusal(message: str, folder: Path | None) -> tuple[str, str]:
    if "\n" in message.strip():
        return "traceback", f"more than one line: {message[:500]}"
    if folder is not None and str(folder) not in message:
        return "traceback", f"does not name the file: {message[:500]}"
    return "stopped" if look.killed(Path()).split(": ")[-1] in message else "refused", message[:500]


def _pages(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


def main() -> None:
    parser = argparse.ArgumentParser(description="Fuzz the readers of kinds of files.")
    parser.add_argument("kinds", nargs="+", metavar="KIND", help="see kinds.py; or KIND=N")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="folder for the files of bad trials")
    given = parser.parse_args()
    kinds, reports = _kinds(given.kinds), []
    for word in given.kinds:
        name, _, number = word.partition("=")
        trials = int(number or given.trials)
        reports.append(run(kinds[name], trials, given.seed, first=given.first, keep=given.keep))
    found = [report.to_dict() for report in reports]
    sys.stdout.write(json.dumps(found if len(found) > 1 else found[0], indent=1) + "\n")
    sys.exit(any(report.bad for report in reports))


def _kinds(words: list[str]) -> dict[str, Kind]:
    """All kinds; of files of simulation programs alone these, as a fork takes as long as it is
    large, and the others bring torch along."""
    if all(word.startswith("format-") for word in words):
        from tests.robustness.format_kinds import FORMAT_KINDS

        return FORMAT_KINDS
    import torch

    from tests.robustness.kinds import KINDS

    torch.set_num_threads(1)  # a pool of threads does not survive a fork
    return KINDS


def _ask_a_fork(path: Path) -> str:
    """As `llt.data.look` asks a fresh interpreter, which would take a second for every trial."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, look.answer(str(path), look.SECONDS).encode()[:60000])
        os._exit(0)
    os.close(writer)
    content = b"".join(iter(lambda: os.read(reader, 65536), b""))
    os.close(reader)
    _, status = os.waitpid(child, 0)
    return look.killed(path) if os.WIFSIGNALED(status) else content.decode()


def _call_a_fork(path: Path, function: Callable[..., Any], /, *args: Any) -> Any:
    """As `llt.data.formats.process` asks a fresh interpreter; VTK is warm already."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.setitimer(signal.ITIMER_PROF, SECONDS / 4)  # of computing: others may be, too
        try:
            answer = True, function(*args)
        except Exception as error:
            answer = False, error
        with os.fdopen(writer, "wb") as file:
            pickle.dump(answer, file)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        content = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) or not content:
        raise DataError(f"{path}: damaged; the library that reads it crashed")
    fine, found = pickle.loads(content)
    if not fine:
        raise found
    return found


if __name__ == "__main__":
    look._ask, look.SECONDS, look.MEMORY = _ask_a_fork, 1, 2**40
    process.call = _call_a_fork
    main()
