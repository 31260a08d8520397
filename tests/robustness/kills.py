"""Kills: commands that are ended by SIGKILL at any moment, and inside their writes, then go on.

    python -m tests.robustness.kills --kills 200 [--seed 0] [--works prepare] [--record FILE]

Each command runs in a child of one warm process. It is killed, goes on, is killed again, and in
the end left in peace. Nothing that was finished may be lost on the way, and what it leaves must
be what a run leaves that was never killed, bit by bit. The summary is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from llt.checkpoint import read_weights
from llt.cli import main
from llt.data import dataset_file
from llt.training.state import FILE as STATE
from tests.conftest import darcy_like
from tests.data.folder.made import write_cases
from tests.robustness.disk import Disk

MOST = 4  # kills of one run, before it is left in peace
BASE = 3  # cases to which others are added
SOLVER = ("resolution=17", "stored_resolution=9")
TRAINING = (
    "model.dim=8", "model.num_layers=1", "model.heads=2", "train.epochs=6", "train.batch_size=2",
    "train.checkpoint_seconds=0.01",
)  # fmt: skip


def _settings(words: tuple[str, ...]) -> list[str]:
    return [part for word in words for part in ("--set", word)]


@dataclass(frozen=True)
class Work:
    """A command in the current folder, and what there is to lose."""

    begin: list[str]
    resume: list[str]
    begun: Path  # is there as soon as the command can be resumed
    finished: Callable[[], dict[str, Any]]  # what must not be lost, by name
    result: Callable[[], Any]  # what it leaves, bit by bit
    base: bool = False  # there is a dataset with the first cases already


def _samples() -> dict[str, Any]:
    """Those that are made; when the dataset is there, they are in it."""
    if Path("set.h5").exists():
        data = dataset_file.read(Path("set.h5"))
        if len(data) > BASE:  # else it is what cases are added to
            return {"set.h5": data.hash}
    return {path.name: path.read_bytes() for path in Path("set.h5.parts").glob("*.npz")}


def _weights() -> dict[str, Any]:
    """That there are best weights, and last ones; they must be whole."""
    found = [name for name in ("best", "last") if Path("run", name, "model.safetensors").exists()]
    for name in found:
        read_weights(Path("run", name))
    return dict.fromkeys(found)


def _dataset() -> Any:
    data = dataset_file.read(Path("set.h5"))
    return data.hash, [data.sample(i).outputs.tobytes() for i in range(len(data))]


def _run() -> Any:
    rows = [json.loads(line) for line in Path("run/metrics.jsonl").read_text().splitlines()]
    names = [f"{folder}/{file}" for folder in ("best", "last") for file in FILES]
    return [Path("run", name).read_bytes() for name in names], [
        {key: value for key, value in row.items() if key != "seconds"} for row in rows
    ]


FILES = ("config.json", "model.safetensors")
GENERATE = ["generate", "darcy", "-o", "set.h5", "--num", "12", "--workers", "1"]
GENERATE += _settings(SOLVER)
PREPARE = ["prepare", "cases", "-o", "set.h5", "--workers", "1"]
CHOSEN = ["--outputs", "T,U", "--inputs", "k"]
WORKS = {
    "generate": Work(
        GENERATE, [*GENERATE, "--resume"], Path("set.h5.parts/job.json"), _samples, _dataset
    ),
    "train": Work(
        ["train", "data.h5", "--out", "run", "--device", "cpu", *_settings(TRAINING)],
        ["train", "--resume", "run", "--device", "cpu"],
        Path("run/config.toml"),
        _weights,
        _run,
    ),
    "prepare": Work(
        [*PREPARE, *CHOSEN],
        [*PREPARE, *CHOSEN, "--resume"],
        Path("set.h5.parts/job.json"),
        _samples,
        _dataset,
    ),
    "append": Work(
        [*PREPARE, "--append"],
        [*PREPARE, "--append", "--resume"],
        Path("set.h5.parts/job.json"),
        _samples,
        _dataset,
        base=True,
    ),
}


@dataclass
class Summary:
    work: str
    kills: int = 0
    inside_writes: int = 0
    runs: int = 0  # that were killed, went on, and came to their end
    lost: int = 0  # runs that lost something finished
    different: int = 0  # runs that did not end as the one that was never killed
    stuck: int = 0  # runs that could not go on
    seconds: float = 0.0
    trouble: list[str] = field(default_factory=list)  # the first of it


def campaign(name: str, kills: int, seed: int) -> Summary:
    """So many kills of one command, half of them inside writes."""
    work, summary, rng = WORKS[name], Summary(name), Random(f"{name} {seed}")
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        _enter(root / "whole", work)
        usual, operations = time.monotonic(), _count(work.begin)
        usual = time.monotonic() - usual
        expected = work.result()
        while summary.kills < kills:
            _enter(root / str(summary.runs), work)
            aim = min(rng.randint(1, MOST), kills - summary.kills)
            usual = _one_run(work, summary, rng, aim, usual, operations)
            _judge(work, summary, expected)
            summary.runs += 1
        os.chdir("/")
    summary.seconds = round(time.monotonic() - start, 1)
    return summary


def _enter(folder: Path, work: Work) -> None:
    folder.mkdir()
    os.chdir(folder)
    dataset_file.write(Path("data.h5"), darcy_like(num=10, n=9))
    if work.base:
        write_cases(Path("cases"), BASE)
        assert _child([*PREPARE, *CHOSEN]) == 0
    write_cases(Path("cases"), BASE + 7)


def _one_run(
    work: Work, summary: Summary, rng: Random, aim: int, usual: float, operations: int
) -> float:
    """Kill it until it was killed often enough, or has come to its end before.

    Returns the usual seconds of the command, fewer where it came to its end sooner: a machine
    that was busy when they were counted would else have hardly any command killed from then on.
    """
    before: dict[str, Any] = {}
    for _ in range(aim):
        inside = summary.inside_writes * 2 <= summary.kills
        moment = (
            {"operation": rng.randrange(operations)} if inside else {"after": rng.random() * usual}
        )
        new, start = not work.begun.exists(), time.monotonic()
        status = _child(work.begin if new else work.resume, **moment)
        if not os.WIFSIGNALED(status):
            return usual if inside or not new else time.monotonic() - start
        summary.kills += 1
        summary.inside_writes += inside
        now = work.finished()
        same = all(now.get(name, ...) == content for name, content in before.items())
        if not same and "set.h5" not in now:
            summary.lost += 1
            summary.trouble.append(f"run {summary.runs}: lost {sorted(before.keys() - now.keys())}")
            break
        before = now
    return usual


def _judge(work: Work, summary: Summary, expected: Any) -> None:
    done = Path("set.h5").exists()
    status = _child(work.resume if work.begun.exists() or done else work.begin)
    if status != 0:
        summary.stuck += 1
        summary.trouble.append(f"run {summary.runs}: {Path('err').read_text()[-300:]}")
    elif work.result() != expected:
        summary.different += 1
        summary.trouble.append(f"run {summary.runs}: differs")
    elif left := [p.name for p in Path().rglob(".*")] + [p.name for p in Path().rglob(STATE)]:
        summary.trouble.append(f"run {summary.runs}: left {left}")


def _child(words: list[str], *, operation: int = -1, after: float | None = None) -> int:
    """Run the command, perhaps up to an operation on the disk or for some seconds."""
    child = os.fork()
    if child == 0:
        _be_the_command(words, operation)
    if after is not None:
        ended = os.pidfd_open(child)
        select.select([ended], [], [], after)
        os.close(ended)
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _be_the_command(words: list[str], operation: int) -> None:
    code = 70
    try:
        output = os.open("err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(output, stream)
        with Disk(Path.cwd(), operation, "kill").watched():
            code = main(words)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _warm() -> None:
    """Load once what all children need; nothing is trained, since a fork leaves threads behind."""
    import llt.preparation.prepare
    import llt.presets
    import llt.recipes
    import llt.training.run  # noqa: F401

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with Path("said").open("w") as said, redirect_stderr(said), redirect_stdout(said):
            assert main(GENERATE) == 0
            assert main(WORKS["train"].resume) == 2  # nothing to resume
        os.chdir("/")


def _count(words: list[str]) -> int:
    """The operations on the disk of a run that is not killed."""
    child = os.fork()
    if child == 0:
        with Disk(Path.cwd()).watched() as disk, redirect_stderr(Path("err").open("w")):
            code = main(words)
        Path("count").write_text(str(len(disk.operations)))
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    return int(Path("count").read_text())


def _keep(path: Path, summaries: list[Summary], words: argparse.Namespace) -> None:
    from dataclasses import replace

    import torch

    from llt.bench.record import new_record, write_record

    record = new_record(
        "robustness",
        f"{words.kills} kills of {' and of '.join(words.works)}, half of them inside writes",
        torch.device("cpu"),
        {summary.work: asdict(summary) for summary in summaries},
        {"seed": words.seed, "most_kills_of_a_run": MOST, "solver": SOLVER, "training": TRAINING},
    )
    command = f"python -m tests.robustness.kills --kills {words.kills} --seed {words.seed} "
    command += f"--works {' '.join(words.works)}"
    write_record(path, replace(record, command=command))


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--works", nargs="+", choices=WORKS, default=[*WORKS])
    parser.add_argument("--record", type=Path)
    words = parser.parse_args()
    here = Path.cwd()
    _warm()
    summaries = [campaign(name, words.kills, words.seed) for name in words.works]
    found = {summary.work: asdict(summary) for summary in summaries}
    print(json.dumps(found))  # noqa: T201
    if words.record is not None:
        _keep(here / words.record, summaries, words)
    return int(any(summary.trouble for summary in summaries))


if __name__ == "__main__":
    sys.exit(_main())
