"""One job in many parts: the same file as of one process, and no other parts get into it."""

import json
import shutil
from pathlib import Path

import pytest

from llt.cli import main
from llt.data import dataset_file
from llt.errors import BusyError, ConfigError, DataError
from llt.generation import generate_file
from llt.job_array import Part, generate_part, join_parts
from llt.runtime.lock import claimed

SMALL = {"resolution": 17, "stored_resolution": 9}
COUNTS = (5, 1, 2)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Path("darcy.h5")


def solve(out, number, of=3, **changes):
    options = {"counts": COUNTS, "workers": 1, "settings": SMALL} | changes
    return generate_part("darcy", out, Part(number, of), **options)


@pytest.fixture
def folders(place):
    return [solve(place, number) for number in (1, 2, 3)]


@pytest.mark.parametrize(("num", "of"), [(8, 3), (1400, 64), (5, 5), (7, 1)])
def test_parts_cover_all_samples_once_and_evenly(num, of):
    samples = [Part(number, of).samples(num) for number in range(1, of + 1)]
    assert [index for part in samples for index in part] == [*range(num)]
    assert max(map(len, samples)) - min(map(len, samples)) <= 1


def test_parts_in_any_order_make_the_file_of_one_process(place, folders):
    whole = generate_file("darcy", Path("whole.h5"), counts=COUNTS, workers=1, settings=SMALL)
    joined = join_parts(folders[::-1], place)
    assert joined.hash == whole.hash
    assert joined.provenance["seconds_per_sample"] > 0
    fixed = ("source", "solver", "solver_version", "settings", "seed", "redraws")
    assert all(joined.provenance[name] == whole.provenance[name] for name in fixed)
    expected = {"whole.h5", "darcy.h5", *(f"darcy.h5.part-{n}-of-3" for n in (1, 2, 3))}
    assert {path.name for path in Path().iterdir()} == expected


def test_a_part_that_was_interrupted_goes_on_and_a_finished_one_stays(place, folders):
    with pytest.raises(ConfigError, match="was begun already; --resume it or remove the folder"):
        solve(place, 2)
    stamps = {p.name: p.stat().st_mtime_ns for p in folders[1].iterdir()}
    assert solve(place, 2, resume=True) == folders[1]
    assert {p.name: p.stat().st_mtime_ns for p in folders[1].iterdir()} == stamps
    (folders[1] / "000003.npz").unlink()
    solve(place, 2, resume=True)
    assert (folders[1] / "000002.npz").stat().st_mtime_ns == stamps["000002.npz"]
    assert len(join_parts(folders, place)) == 8


def test_two_jobs_with_the_same_part_do_not_meet(place):
    with claimed(Part(1, 3).folder(place)), pytest.raises(BusyError, match="in use by"):
        solve(place, 1)


def test_a_part_of_other_settings_is_not_mixed_in(place, folders):
    for changes in ({"seed": 1}, {"counts": (6, 1, 1)}, {"settings": SMALL | {"tau": 2.0}}):
        with pytest.raises(DataError, match="another seed, number, setting or solver version"):
            solve(place, 2, resume=True, **changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3", "--part 3: expected PART/PARTS, as 3/64"),
        ("a/b", "--part a/b: expected"),
        ("1/2/3", "--part 1/2/3: expected"),
        ("0/4", "part 0/4: parts count from 1/4 to 4/4"),
        ("5/4", "part 5/4: parts count from 1/4 to 4/4"),
        ("1/0", "--part 1/0: there must be at least one part"),
        ("1/9", "--part 1/9: more parts than samples, which are 8"),
    ],
)
def test_parts_that_do_not_exist(place, capsys, text, message):
    words = ["generate", "darcy", "-o", "darcy.h5", "--num", "5,1,2", "--part", text]
    assert main([*words, "--workers", "1"]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1
    assert not [*Path().iterdir()]


def other(place, number, folder="other", **changes):
    """A part of another job, in another place."""
    solved = solve(Path("elsewhere.h5"), number, **changes)
    return solved.rename(folder)


WRONG = {
    "missing": (lambda place, f: f[:1], r"2 of 3 parts missing, the first: 2, 3; give all"),
    "twice": (lambda place, f: [*f, f[1]], r"part 2/3, which .*part-2-of-3 is, too; give each"),
    "seed": (lambda place, f: [*f[:2], other(place, 3, seed=4)], "other: seed 4, but 0 in"),
    "settings": (
        lambda place, f: [*f[:2], other(place, 3, settings=SMALL | {"tau": 2.0})],
        "other: tau 2.0, but 3.0 in .*; parts to be joined must be of one job",
    ),
    "number": (
        lambda place, f: [*f[:2], other(place, 3, counts=(6, 1, 2))],
        "other: --num 6,1,2, but 5,1,2 in",
    ),
    "overlap": (
        lambda place, f: [*f[:2], other(place, 2, of=2)],
        "number of parts 3, but 2 in other|other: number of parts 2, but 3 in",
    ),
    "no part": (lambda place, f: [*f, Path("nowhere")], "nowhere: not a part; expected a folder"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_parts_that_do_not_fit_together(place, folders, wrong):
    given, message = WRONG[wrong]
    with pytest.raises(DataError, match=message):
        join_parts(given(place, folders), place)
    assert not place.exists() and not Path("darcy.h5.parts").exists()


def change_record(folder, **values):
    record = folder / "job.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | values))


def test_another_solver_version_is_not_joined(place, folders):
    change_record(folders[2], version=99)
    with pytest.raises(DataError, match=r"part-3-of-3: solver version 99, but \d+ in"):
        join_parts(folders, place)


def test_a_record_cannot_lie(place, folders):
    """Not of what the samples are, not of how many there are."""
    for folder in folders:
        change_record(folder, seed=7)
    with pytest.raises(DataError, match=r"000000.npz: damaged or of another job"):
        join_parts(folders, place)
    assert not place.exists() and not Path("darcy.h5.parts").exists()
    change_record(folders[0], of=10**15, counts=[10**16, 1, 1], seed=7)
    with pytest.raises(DataError, match=r"999999999999999 of 1000000000000000 parts missing"):
        join_parts(folders[:1], place)
    wrongs = {"part": 0}, {"part": "x"}, {"counts": [1, 2]}, {"counts": [-9, 1, 1]}
    for wrong in (*wrongs, {"problem": "tea"}, {"problem": []}, {"settings": 1}, {"tea": 1}):
        shutil.rmtree("bad", ignore_errors=True)
        shutil.copytree(folders[1], "bad")
        change_record(Path("bad"), **wrong)
        with pytest.raises((DataError, ConfigError), match=r"^bad/job.json: "):
            join_parts([folders[0], Path("bad")], place)


def test_missing_and_damaged_samples_are_noticed(place, folders):
    whole = (folders[1] / "000003.npz").read_bytes()
    (folders[1] / "000003.npz").unlink()
    with pytest.raises(
        DataError,
        match=r"missing, the first: 000003.npz; finish it with llt generate --part 2/3 --resume",
    ):
        join_parts(folders, place)
    (folders[1] / "000003.npz").write_bytes(whole[:-200])
    with pytest.raises(DataError, match=r"000003.npz: damaged"):
        join_parts(folders, place)
    assert not place.exists()
    with pytest.warns(UserWarning, match="made again: 000003.npz"):
        solve(place, 2, resume=True)
    assert (folders[1] / "000003.npz").read_bytes() != whole[:-200]
    assert len(join_parts(folders, place)) == 8


def test_an_existing_file_is_replaced_only_when_asked(place, folders):
    before = join_parts(folders, place).hash
    with pytest.raises(ConfigError, match="already exists"):
        join_parts(folders, place)
    with pytest.raises(ConfigError, match="already exists"):
        solve(place, 1, resume=True)
    assert join_parts(folders, place, force=True).hash == before


def test_an_unfinished_job_for_the_same_file_is_not_disturbed(place, folders):
    parts = Path("darcy.h5.parts")
    with claimed(parts), pytest.raises(BusyError):
        join_parts(folders, place)
    (parts / "job.json").write_text("{}")
    with pytest.raises(ConfigError, match="left by an interrupted job"):
        join_parts(folders, place)
    assert (parts / "job.json").exists()


def test_the_commands(place, capsys):
    words = [f"--set={name}={value}" for name, value in SMALL.items()]
    words = ["generate", "darcy", "-o", str(place), "--num", "5,1,2", "--workers", "1", *words]
    for number in (1, 2):
        assert main([*words, "--part", f"{number}/2"]) == 0
        told = f"darcy.h5.part-{number}-of-2: part {number}/2, 4 samples; llt join takes all 2"
        assert told in capsys.readouterr().err
    assert main(["join", "darcy.h5.part-1-of-2", "-o", str(place)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["join", "darcy.h5.part-1-of-2", "darcy.h5.part-2-of-2", "-o", str(place)]) == 0
    assert f"8 samples, hash {dataset_file.read(place).hash}" in capsys.readouterr().err
    assert main([*words, "--part", "1/2", "--device", "cuda"]) == 2
    assert "--part 1/2: parts are solved on CPUs" in capsys.readouterr().err
