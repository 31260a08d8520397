"""Files appear whole or not at all, and errors name them."""

import errno
import os

import pytest

from llt.runtime import files
from llt.runtime.files import check_place, remove_abandoned, replacing, replacing_folder


def test_a_failure_leaves_the_old_file_and_names_it(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(OSError, match="full") as error, replacing(path) as beside:
        beside.write_text("half")
        raise OSError(28, "full")
    assert error.value.filename == str(path)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a.txt": "old"}


def test_an_error_of_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError) as error, replacing(tmp_path / "a"):
        (tmp_path / "other").read_text()
    assert error.value.filename == str(tmp_path / "other")


def test_a_place_is_tried_and_left_as_it_was(tmp_path):
    check_place(tmp_path / "new" / "a.txt")
    assert [*(tmp_path / "new").iterdir()] == []
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        check_place(tmp_path / "file" / "a.txt")


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EIO])
def test_a_file_system_that_syncs_no_folders_will_do(tmp_path, monkeypatch, number):
    sync = os.fsync

    def picky(descriptor):
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112
            raise OSError(number, os.strerror(number))
        sync(descriptor)

    monkeypatch.setattr(files.os, "fsync", picky)
    if number == errno.EINVAL:
        files.write_text(tmp_path / "a", "new")
    else:
        with pytest.raises(OSError, match="Input/output"):
            files.write_text(tmp_path / "a", "new")


def test_a_folder_is_replaced_whole(tmp_path):
    path = tmp_path / "pack"
    for content in ("first", "second"):
        with replacing_folder(path) as beside:
            (beside / content).touch()
        assert [p.name for p in path.iterdir()] == [content]
        assert [p.name for p in tmp_path.iterdir()] == ["pack"]
    with pytest.raises(ValueError, match="mine"), replacing_folder(path) as beside:
        (beside / "third").touch()
        raise ValueError("mine")
    assert [p.name for p in path.iterdir()] == ["second"]
    assert [p.name for p in tmp_path.iterdir()] == ["pack"]


def test_only_what_is_half_written_of_this_file_is_removed(tmp_path):
    names = [".a[1].h5.77.part", ".b.h5.77.part", "a[1].h5", ".a[1].h5.part", ".a1.h5.77.part"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / ".a[1].h5.78.part").mkdir()
    remove_abandoned(tmp_path, "a[1].h5")
    assert {p.name for p in tmp_path.iterdir()} == {*names[1:]}
