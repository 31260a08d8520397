"""Full disks, failing ones and power cuts, at every operation of every command that writes.

Afterwards every file is the old one or the new one, never a mixture; what was interrupted can go
on or begin anew, to the same end; an error is one line that names a file.
"""

import json
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from llt.cli import main
from llt.data import dataset_file
from llt.runtime import lock
from llt.runtime.files import is_abandoned
from tests.conftest import darcy_like
from tests.data.folder.made import write_cases
from tests.robustness.disk import Disk, Model, Operation, Tree, crashes, read_tree, write_tree

SOLVER = ["--set", "resolution=9", "--set", "stored_resolution=5", "--workers", "1", "--num", "3"]
SETTINGS = ("model.dim=8", "model.num_layers=1", "model.heads=2", "train.batch_size=4")
RESUME = ("train", "--resume", "run")
STATE = "run/state.safetensors"
HOWS = ("EIO", "ENOSPC", "short")
LEFT = (".lock", ".parts", STATE)
# of commands that take long, every so many moments; EVERY_FAULT=1 in the environment tests all
CRASHES = {
    "replace": 5,
    "part": 3,
    "join": 3,
    "prepare": 5,
    "append": 5,
    "train": 9,
    "train without saving": 4,
    "resume": 5,
}
FAULTS = {
    "generate": 25, "replace": 25, "part": 13, "join": 13, "prepare": 25, "append": 25, "train": 13,
    "train without saving": 13, "resume": 8, "report": 16, "pack": 13, "predict npz": 5,
    "predict h5": 8, "evaluate": 4,
}  # fmt: skip
NOBODY = 2**22 + 5  # no process has this number


@dataclass(frozen=True)
class Case:
    """A command, and how to see that a crash of it did no harm."""

    words: tuple[str, ...]
    again: Callable[[], Sequence[str]] | None = None  # what goes on after a crash
    result: Callable[[], object] | None = None  # what matters in the end
    needs: str = "run"  # what is there before
    free: tuple[str, ...] = ()  # files that may be anything that `again` copes with


def trained(*settings, needs="data", command=()):
    begin = ("train", "data.h5", "--out", "run", *words(*settings))

    def again():
        return RESUME if Path("run/config.toml").exists() else [*begin]

    return Case(command or begin, again, weights, needs, ("run/metrics.jsonl",))


def weights():
    rows = [json.loads(line) for line in Path("run/metrics.jsonl").read_text().splitlines()]
    found = [Path(f"run/{name}/model.safetensors").read_bytes() for name in ("best", "last")]
    assert not Path("run/state.safetensors").exists()
    return found, [row | {"seconds": 0} for row in rows]


def generated():
    return dataset_file.read(Path("set.h5")).hash


def solved():
    paths = sorted(Path("set.h5.part-2-of-2").glob("*.npz"))
    return [np.load(path)["outputs.pressure"].tobytes() for path in paths]


def some(moments, stride):
    return moments if os.environ.get("EVERY_FAULT") else moments[::stride]


def words(*settings):
    return [word for setting in settings for word in ("--set", setting)]


GENERATE = ("generate", "darcy", "-o", "set.h5", *SOLVER)
PART = (*GENERATE, "--part", "2/2")
JOIN = ("join", "set.h5.part-1-of-2", "set.h5.part-2-of-2", "-o", "set.h5")
PREPARE = ("prepare", "cases", "-o", "set.h5", "--workers", "1")
CASES = {
    "generate": Case(GENERATE, lambda: [*GENERATE, "--resume"], generated, "data"),
    "replace": Case(
        (*GENERATE, "--force"),
        lambda: [*GENERATE, "--force", "--resume"],
        generated,
        "generated",
    ),
    "part": Case(PART, lambda: [*PART, "--resume"], solved, "data"),
    "join": Case(JOIN, lambda: [*JOIN, "--force"], generated, "parts"),
    "prepare": Case(
        (*PREPARE, "--outputs", "T"),
        lambda: [*PREPARE, "--outputs", "T", "--resume"],
        generated,
        "cases",
    ),
    "append": Case(
        (*PREPARE, "--append"), lambda: [*PREPARE, "--append", "--resume"], generated, "prepared"
    ),
    "train": trained(*SETTINGS, "train.epochs=2", "train.checkpoint_seconds=1e-9"),
    "train without saving": trained(*SETTINGS, "train.epochs=1"),
    "resume": trained(needs="interrupted", command=RESUME),
    "evaluate": Case(("evaluate", "run", "--json")),
    "report": Case(("report", "run")),
    "predict npz": Case(("predict", "run", "data.h5", "-o", "out.npz", "--force"), needs="pack"),
    "predict h5": Case(("predict", "run", "data.h5", "-o", "out.h5")),
    "pack": Case(("pack", "run", "-o", "small", "--force"), needs="pack"),
    "record": Case(
        ("bench", "record", "run", "-o", "accuracy/a.json", "--title", "a", "--command", "b")
    ),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """What is there before the commands, by name."""
    root = tmp_path_factory.mktemp("disk")
    before, cache = Path.cwd(), os.environ.get("LLT_CACHE")
    os.chdir(root)
    os.environ["LLT_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    dataset_file.write(Path("data.h5"), darcy_like(num=8, n=7))
    trees = {"data": read_tree(root)}
    assert main([*GENERATE, "--seed", "1"]) == 0
    trees["generated"] = read_tree(root)
    write_tree(root, trees["data"])
    assert main([*GENERATE, "--part", "1/2"]) == main([*PART]) == 0
    trees["parts"] = read_tree(root)
    write_tree(root, trees["data"])
    write_cases(Path("cases"), 3)
    trees["cases"] = read_tree(root)
    assert main([*CASES["prepare"].words]) == 0
    write_cases(Path("cases"), 5)
    trees["prepared"] = read_tree(root)
    write_tree(root, trees["data"])
    with Disk(root).watched() as disk:
        assert main([*CASES["train"].words]) == 0
    with_state = [t for _, t in crashes(root, trees["data"], disk.operations) if STATE in t]
    trees["interrupted"] = {n: c for n, c in with_state[0].items() if ".lock" not in n}
    assert main(["evaluate", "run", "--json"]) == 0
    trees["run"] = read_tree(root)
    Path("out.npz").write_bytes(b"old")
    assert main(["pack", "run", "-o", "small", "--limits", "another sentence"]) == 0
    trees["pack"] = read_tree(root)
    yield root, trees
    os.chdir(before)
    os.environ.pop("LLT_CACHE")
    if cache is not None:
        os.environ["LLT_CACHE"] = cache


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(lock, "GRACE", 0.01)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(taken over|made again|are not kept)")
        yield


def quietly(command, capsys):
    code = main(command)
    return code, capsys.readouterr().err.splitlines()


def versions(root, before, operations):
    """Every content that a file had when it was complete: at first, and when it was renamed."""
    model, found = Model(root, before), {name: {content} for name, content in before.items()}
    for operation in operations:
        try:
            model.apply(operation)
        except (KeyError, AssertionError):  # it was noted, and failed
            continue
        if operation.kind == "replace":
            for name, content in model.killed().items():
                found.setdefault(name, set())
                if (root / name).is_relative_to(operation.target):
                    found[name].add(content)
    return found


def check(case, tree, complete):
    """Every file is one of its complete versions; a pack is of one piece."""
    for name, content in tree.items():
        hidden = any(is_abandoned(Path(part)) for part in Path(name).parts)
        if content is None or hidden or name in case.free or name.endswith(".lock"):
            continue
        assert content in complete.get(name, ()), name
    pack = {name: content for name, content in tree.items() if name.startswith("small/")}
    if pack:
        card = json.loads(pack["small/card.json"])
        assert pack["small/README.md"].decode().count(card["limits"]) == 1


def as_of_another_process(tree):
    """What this process has left, locks and half-written files, as if it were gone."""
    mine, nobody = (f'"process": {number}'.encode() for number in (os.getpid(), NOBODY))
    return {
        name.replace(f".{os.getpid()}.part", f".{NOBODY}.part"): content
        and content.replace(mine, nobody)
        for name, content in tree.items()
    }


@dataclass(frozen=True)
class Recording:
    """A run of a command to which nothing happened."""

    operations: list[Operation]
    after: Tree
    result: object


def record(name, places, capsys, known={}):  # noqa: B006, both tests need it
    case, (root, trees) = CASES[name], places
    if name not in known:
        write_tree(root, trees[case.needs])
        with Disk(root).watched() as disk:
            assert quietly([*case.words], capsys)[0] == 0
        result = case.result() if case.result else None
        known[name] = Recording(disk.operations, read_tree(root), result)
    return known[name]


@pytest.mark.parametrize("name", CASES)
def test_a_crash_at_any_moment_does_no_harm(name, places, capsys):
    """One run tells what the disk holds at every moment; from all that differ, it goes on."""
    case, (root, trees) = CASES[name], places
    run, before = record(name, places, capsys), trees[case.needs]
    complete, found = versions(root, before, run.operations), {}
    for moment, tree in crashes(root, before, run.operations):
        check(case, tree, complete)
        kept = tuple((n, b"" if is_abandoned(Path(n)) else c) for n, c in sorted(tree.items()))
        found.setdefault(kept, (moment, tree))
    # what the command has said to be done is on the disk; what it removed may be there again
    assert {*run.after.items()} <= {*tree.items()}
    assert len(found) > 1
    for moment, tree in some([*found.values()], CRASHES.get(name, 1)) if case.again else ():
        write_tree(root, as_of_another_process(tree))
        code, said = quietly([*case.again()], capsys)
        assert code == 0, (moment, said)
        assert case.result() == run.result, moment
        left = [n for n in read_tree(root) if is_abandoned(Path(n)) or n.endswith(LEFT)]
        assert not left, moment


@pytest.mark.parametrize("name", CASES)
def test_a_disk_that_fails_is_one_line(name, places, capsys):
    """At every operation in every way; where the command takes long, in one way at some."""
    case, (root, trees) = CASES[name], places
    run = record(name, places, capsys)
    faults = [(number, how) for number in range(len(run.operations)) for how in HOWS]
    # a pack that cannot be put in its place: the old one is back
    renames = [n for n, done in enumerate(run.operations) if done.kind == "replace"]
    last = [(renames[-1], "EIO")] if name == "pack" else []
    for number, how in some(faults, FAULTS.get(name, 1)) + last:
        fail(case, Disk(root, number, how), trees[case.needs], run.result, capsys)


def fail(case, disk, before, expected, capsys):
    write_tree(disk.root, before)
    with disk.watched():
        code, said = quietly([*case.words], capsys)
    tree, failed = read_tree(disk.root), disk.operations[disk.fail_at]
    where = f"{disk.how} at {disk.fail_at}: {failed.kind} {failed.path}"
    check(case, tree, versions(disk.root, before, disk.operations))
    if code != 0:
        assert (code, disk.how != "short") == (1, True), where
        about, name, reason = said[-1].split(": ", 2)
        assert about == "llt" and Path(name).absolute().is_relative_to(disk.root), where
        assert reason in ("Input/output error", "No space left on device"), where
        assert {*before} <= {*tree}, where
    if failed.kind != "remove":
        assert not [n for n in tree if is_abandoned(Path(n))], where
    if case.again is not None and (code == 0 or disk.fail_at % 4 == 0):
        assert code == 0 or quietly([*case.again()], capsys)[0] == 0, where
        assert case.result() == expected, where
