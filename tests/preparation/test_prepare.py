"""From a folder to a dataset file: the same whatever interrupts it, and nothing is lost."""

import shutil
import warnings

import numpy as np
import pytest

import llt
from llt.data.folder.choice import choice_of
from llt.errors import ConfigError, DataError
from llt.preparation.parts import read_part
from llt.preparation.prepare import prepare_folder
from llt.preparation.writing import draw_splits
from tests.data.folder.made import case, write, write_cases


def prepare(folder, out, *, workers=1, said=None, **options):
    said = {"outputs": ["T", "U"], "inputs": ["k"]} if said is None else said
    return prepare_folder(folder, out, choice_of(said), workers=workers, **options)


@pytest.fixture
def folder(tmp_path):
    return write_cases(tmp_path / "plates", 9)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "set.h5"


def names(data, split=None):
    found = [name.decode() for name in data.records["name"]]
    return found if split is None else [found[i] for i in data.splits[split]]


def test_every_case_is_a_sample_under_its_name(folder, out):
    said = []
    data = prepare(folder, out, tell=said.append)
    assert names(data) == [f"c{i}" for i in range(9)]
    assert [len(data.splits[name]) for name in ("train", "val", "test")] == [7, 1, 1]
    np.testing.assert_array_equal(data.sample(4).outputs[:, 0], case(4, num=22)["T"].astype("f4"))
    np.testing.assert_array_equal(data.parameters[:, 0], np.arange(1.0, 10))
    assert data.problem.output_names == ("T", "U_x", "U_y")
    about = data.provenance
    assert (about["source"], about["skipped"], about["seed"]) == ("prepared", {}, 0)
    assert about["plan"]["outputs"][1]["channels"] == ["U_x", "U_y"]
    assert any("T, U (U_x, U_y)" in line for line in said)
    assert not out.with_name("set.h5.parts").exists()


def test_fields_that_some_cases_lack_are_left_out_with_a_word(tmp_path, out):
    folder, said = tmp_path / "plates", []
    write_cases(folder, 5, U=None, k=None)
    write(folder, "c2", **case(2, U=None, k=None, T=None, S=np.ones(20)))
    write(folder, "c3", **case(3, U=None, k=None, S=np.ones(20)))
    for name in ("c0", "c1", "c4"):
        write(folder, name, **case(4, U=None, k=None, S=np.ones(20)))
    prepare(folder, out, said={}, tell=said.append)
    assert "  left out    T: not in all cases" in said
    assert any(line.startswith("  outputs     S") for line in said)


def test_workers_change_nothing(folder, out):
    one = prepare(folder, out)
    two = prepare(folder, out.with_name("two.h5"), workers=2)
    assert one.hash == two.hash


def test_the_seed_draws_other_cases(folder, out):
    chosen = {
        tuple(names(prepare(folder, out, seed=seed, force=True), "test")) for seed in range(6)
    }
    assert len(chosen) > 1


def test_parameters_of_a_table(folder, out):
    rows = "".join(f"c{i},{i * 0.5}\n" for i in range(9))
    (folder / "params.csv").write_text("case,power [W]\n" + rows)
    data = prepare(folder, out)
    assert data.problem.parameter_names == ("power", "speed")
    np.testing.assert_array_equal(data.parameters[:, 0], np.arange(9) * 0.5)
    (folder / "params.csv").write_text("case,power [W]\n" + rows[:-7])
    with pytest.raises(DataError, match=r"params.csv: no row for case 'c8'"):
        prepare(folder, out, force=True)


def test_all_bad_cases_are_named_and_left_out_only_when_asked(folder, out):
    (folder / "c3.npz").write_bytes(b"broken")
    write(folder, "c5", **case(5, T=np.full(20, np.nan)))
    with pytest.raises(DataError, match=r"2 of 9 cases cannot be used: .*c3.npz.*c5.npz: T holds"):
        prepare(folder, out)
    assert not out.exists()
    with pytest.raises(ConfigError, match="left by an interrupted job; --resume it"):
        prepare(folder, out)
    with pytest.warns(UserWarning, match="left out 2 of 9 cases"):
        data = prepare(folder, out, resume=True, skip_bad=True)
    assert names(data) == [f"c{i}" for i in (0, 1, 2, 4, 6, 7, 8)]
    assert data.provenance["skipped"].keys() == {"c3", "c5"}


def test_what_was_corrected_or_changed_is_read_and_nothing_else_again(folder, out, monkeypatch):
    good = (folder / "c3.npz").read_bytes()
    (folder / "c3.npz").write_bytes(b"broken")
    with pytest.raises(DataError, match="1 of 9 cases"):
        prepare(folder, out)
    (folder / "c3.npz").write_bytes(good)
    write(folder, "c7", **case(70))
    read = []

    def noted(plan, parts, task):
        read.append(task.case.name)
        return read_part(plan, parts, task)

    monkeypatch.setattr("llt.preparation.parts.read_part", noted)
    data = prepare(folder, out, resume=True)
    assert read == ["c3", "c7"]
    assert data.hash == prepare(folder, out.with_name("whole.h5")).hash


def test_an_interrupted_job_goes_on(folder, out):
    stop_at = iter([False] * 4 + [True])

    class Stop:
        def __init__(self, what, total):
            pass

        def __enter__(self):
            def advance():
                if next(stop_at, False):
                    raise KeyboardInterrupt

            return advance

        def __exit__(self, *error):
            pass

    with pytest.raises(KeyboardInterrupt):
        prepare(folder, out, progress=Stop)
    parts = out.with_name("set.h5.parts")
    assert len([*parts.glob("*.npz")]) == 5
    with pytest.raises(DataError, match="holds samples of another plan"):
        prepare(folder, out, resume=True, said={"outputs": ["T"]})
    data = prepare(folder, out, resume=True)
    assert data.hash == prepare(folder, out.with_name("whole.h5")).hash
    assert prepare(folder, out, resume=True).hash == data.hash  # there is nothing left to do
    with pytest.raises(ConfigError, match="already exists; choose another -o, --append or --force"):
        prepare(folder, out, resume=True, seed=1)


def test_added_cases_leave_all_others_what_they_are(folder, out, tmp_path):
    first = prepare(folder, out)
    before = {name: names(first, name) for name in ("train", "val", "test")}
    said = []
    again = prepare(folder, out, append=True, said={}, tell=said.append)
    assert again.hash == first.hash
    assert said[-1].endswith("set.h5: has all of these cases")
    more = write_cases(tmp_path / "more", 24)
    data = prepare(more, out, append=True, said={})
    assert names(data) == [f"c{i}" for i in range(24)]
    for split, kept in before.items():
        assert set(kept) <= set(names(data, split))
    assert [len(data.splits[name]) for name in ("train", "val", "test")] == [18, 3, 3]
    whole = prepare(more, out.with_name("whole.h5"))
    for i in range(24):
        np.testing.assert_array_equal(data.sample(i).outputs, whole.sample(i).outputs)
    assert data.provenance["plan"] == whole.provenance["plan"] | {"name": "plates"}


def test_added_cases_have_their_parameters_in_the_table_of_their_folder(folder, out, tmp_path):
    def rows(first, last):
        return "case,power\n" + "".join(f"c{i},{i * 0.5}\n" for i in range(first, last))

    (folder / "params.csv").write_text(rows(0, 9))
    prepare(folder, out)
    more = write_cases(tmp_path / "more", 12)
    (more / "params.csv").write_text(rows(0, 12))
    (more / "short.csv").write_text(rows(9, 11))
    with pytest.raises(DataError, match=r"short.csv: no row for case 'c11'"):
        prepare(more, out, append=True, said={"table": str(more / "short.csv")})
    data = prepare(more, out, append=True, said={})
    np.testing.assert_array_equal(data.parameters[:, 0], np.arange(12) * 0.5)


def test_what_may_not_be_added_is_refused(folder, out, tmp_path):
    prepare(folder, out)
    with pytest.raises(ConfigError, match="follows the plan of the file"):
        prepare(folder, out, append=True)
    write(folder, "c4", **case(40))
    with pytest.raises(DataError, match=r"c4.npz: .*set.h5 has another case 'c4'; rename it"):
        prepare(folder, out, append=True, said={})
    llt.Dataset.from_arrays(
        "x", points=np.random.default_rng(0).random((4, 5, 2)), outputs={"u": np.ones((4, 5))}
    ).save(tmp_path / "arrays.h5")
    with pytest.raises(ConfigError, match=r"arrays.h5: was not made by llt prepare"):
        prepare(folder, tmp_path / "arrays.h5", append=True, said={})


def test_mix_ups_and_duplicated_points_are_said(folder, out):
    write(folder, "c2", **case(2, points=case(2)["points"] * 1000))
    twice = case(6)
    twice["points"][3] = twice["points"][4]
    write(folder, "c6", **twice)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = prepare(folder, out)
    said = [str(one.message) for one in caught]
    assert any("c2: its box is" in line and "other units?" in line for line in said)
    assert any(
        "1 case has points that lie where another one does, as c6 1" in line for line in said
    )
    assert data.records["duplicates"].tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"seed": -1}, ConfigError, "--seed -1: must not be negative"),
        ({"workers": -1}, ConfigError, "--workers -1: must not be negative"),
        ({"said": {"outputs": ["nothing"]}}, ConfigError, "unknown field 'nothing'"),
    ],
)
def test_bad_options_are_refused(folder, out, options, error, message):
    with pytest.raises(error, match=message):
        prepare(folder, out, **options)


def test_too_few_cases_and_bad_places_are_refused(tmp_path, folder, out):
    with pytest.raises(DataError, match="2 cases, at least 3 are needed"):
        prepare(write_cases(tmp_path / "two", 2), out)
    few = write_cases(tmp_path / "few", 3)
    (few / "c1.npz").write_bytes(b"")
    with pytest.warns(UserWarning), pytest.raises(DataError, match="2 cases are left, at least 3"):
        prepare(few, out, skip_bad=True)
    shutil.rmtree(tmp_path / "set.h5.parts")
    with pytest.raises(ConfigError, match="is a folder; give the file to write"):
        prepare(folder, tmp_path)
    prepare(folder, out)
    with pytest.raises(ConfigError, match="already exists"):
        prepare(folder, out)


def test_times_and_grids_reach_the_file(tmp_path, out):
    x = np.stack(np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 3)), axis=-1)
    for i in range(4):
        write(
            tmp_path / "c", f"c{i}", points=x, T=i + np.arange(24.0).reshape(2, 3, 4), times=[0, 1]
        )
    data = prepare(tmp_path / "c", out, said={"time": "all"})
    assert (data.problem.grid, data.problem.timed, data.shared_points) == ((3, 4), True, True)
    np.testing.assert_array_equal(data.times, [0.0, 1.0])
    right = 2 + np.arange(24.0).reshape(2, 12)
    np.testing.assert_array_equal(data.sample(2).outputs[..., 0], right)


def test_the_verb_in_python(folder, out):
    told = []
    data = llt.prepare(
        str(folder),
        out,
        outputs=["T"],
        inputs=["k"],
        plan={"name": "heat", "units": {"T": "K"}},
        workers=1,
        progress=lambda done, total: told.append((done, total)),
    )
    assert data.problem.describe() == "heat: k, speed -> T on a 2-D point set"
    assert data.problem.outputs[0].unit == "K"
    assert told[-1] == (9, 9)


@pytest.mark.parametrize(("num", "counts"), [(3, (1, 1, 1)), (7, (5, 1, 1)), (60, (42, 9, 9))])
def test_splits_are_five_to_one_to_one(num, counts):
    splits = draw_splits(num, 0)
    splits.check(num)
    assert tuple(len(splits[name]) for name in ("train", "val", "test")) == counts


def test_no_case_ever_changes_its_split():
    before = draw_splits(10, 3)
    for num in range(10, 80, 7):
        after = draw_splits(num, 3, before)
        after.check(num)
        assert sum(len(after[name]) for name in ("train", "val", "test")) == num
        for name in ("train", "val", "test"):
            assert set(before[name]) <= set(after[name])
        before = after
