"""What is a case in a folder: nothing is guessed, nothing is passed over in silence."""

import pytest

from llt.data.folder.cases import find_cases
from llt.errors import ConfigError, DataError
from tests.data.folder.made import case, write, write_cases


def names(found):
    return [one.name for one in found.cases]


def test_one_file_is_one_case_and_names_are_sorted_as_people_count(tmp_path):
    for number in (10, 2, 1):
        write(tmp_path, f"c{number}", **case())
    (tmp_path / "notes.txt").write_text("read me")
    (tmp_path / ".hidden.npz").write_bytes(b"")
    found = find_cases(tmp_path)
    assert names(found) == ["c1", "c2", "c10"]
    assert found.others == ("notes.txt",)


def test_a_subfolder_is_a_case_with_its_files_or_its_time_steps(tmp_path):
    for name in ("a", "b"):
        for step in (0, 5, 10):
            write(tmp_path / name, f"state_{step:03d}", **case())
    write(tmp_path / "c", "flow", **case())
    write(tmp_path / "c", "heat", **case())
    (tmp_path / "c" / "log").write_text("")
    (tmp_path / "plots").mkdir()
    found = find_cases(tmp_path)
    assert names(found) == ["a", "b", "c"]
    a, _, c = found.cases
    assert a.moments == (0.0, 5.0, 10.0)
    assert [path.name for path in a.files] == ["state_000.npz", "state_005.npz", "state_010.npz"]
    assert (c.moments, len(c.files)) == ((), 2)
    assert sorted(found.others) == ["c/log", "plots"]


def test_an_openfoam_case_is_a_case(tmp_path):
    for name in ("fine", "coarse"):
        (tmp_path / name / "system").mkdir(parents=True)
        (tmp_path / name / "system" / "controlDict").write_text("")
    found = find_cases(tmp_path)
    assert names(found) == ["coarse", "fine"]
    assert found.cases[0].files == (tmp_path / "coarse",)


def test_steps_beside_each_other_are_asked_for(tmp_path):
    for name in ("a_0", "a_1", "b_0", "b_1"):
        write(tmp_path, name, **case())
    with pytest.raises(ConfigError, match=r"a_0.npz and a_1.npz may be two time steps .* --steps"):
        find_cases(tmp_path)
    assert names(find_cases(tmp_path, steps=False)) == ["a_0", "a_1", "b_0", "b_1"]
    found = find_cases(tmp_path, steps=True)
    assert names(found) == ["a", "b"]
    assert found.cases[1].moments == (0.0, 1.0)


def test_two_cases_with_one_name_are_refused_until_files_are_chosen(tmp_path):
    write(tmp_path, "a", **case())
    (tmp_path / "a.csv").write_text("x,y,T\n0,0,1\n")
    with pytest.raises(DataError, match=r"two cases are called 'a': .*a.csv and .*a.npz; rename"):
        find_cases(tmp_path)
    found = find_cases(tmp_path, files=["*.npz"])
    assert (names(found), found.others) == (["a"], ("a.csv",))


def test_a_folder_without_cases_is_refused(tmp_path):
    with pytest.raises(DataError, match="no case that can be read; it is empty"):
        find_cases(tmp_path)
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(DataError, match=r"no case that can be read; it holds notes.txt"):
        find_cases(tmp_path)
    with pytest.raises(DataError, match="no such folder"):
        find_cases(tmp_path / "none")
    with pytest.raises(DataError, match="not a folder"):
        find_cases(tmp_path / "notes.txt")


def test_tables_are_told_from_point_clouds(tmp_path):
    write_cases(tmp_path, 2)
    (tmp_path / "params.csv").write_text("case,x,speed\nc0,1,2\n")
    (tmp_path / "more.toml").write_text("[c0]\nspeed = 1.0\n")
    (tmp_path / "plan.toml").write_text('outputs = ["T"]\n')
    (tmp_path / "cloud.csv").write_text("x,y,T\n0,0,1\n")
    found = find_cases(tmp_path)
    assert [path.name for path in found.tables] == ["more.toml", "params.csv"]
    assert names(found) == ["c0", "c1", "cloud"]
    assert found.others == ("plan.toml",)
    assert "cloud" not in names(find_cases(tmp_path, table="cloud.csv"))


def test_the_file_that_is_being_made_is_no_case(tmp_path):
    write_cases(tmp_path, 2)
    out = tmp_path / "set.h5"
    out.write_bytes(b"")
    write(tmp_path / "set.h5.parts", "part", **case())
    assert names(find_cases(tmp_path, leave=out)) == ["c0", "c1"]


def test_a_fingerprint_tells_a_change_at_either_end(tmp_path):
    path = write(tmp_path, "a", **case())
    one = find_cases(tmp_path).cases[0]
    before, content = one.fingerprint(), path.read_bytes()
    assert one.fingerprint() == before
    for place in (50, len(content) - 50):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert one.fingerprint() != before
