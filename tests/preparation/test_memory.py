"""Memory does not grow with the number of cases."""

import tracemalloc

from llt.data.folder.choice import choice_of
from llt.preparation.prepare import prepare_folder
from tests.data.folder.made import case, write

POINTS = 20_000


def peak(folder, num):
    """Bytes that are held at once while so many cases are prepared."""
    for i in range(num):
        write(folder / "cases", f"c{i}", **case(i, num=POINTS))
    said = choice_of({"outputs": ["T", "U"]})
    tracemalloc.start()
    try:
        prepare_folder(folder / "cases", folder / "set.h5", said, workers=1)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_cases(tmp_path):
    peak(tmp_path / "first", 3)  # what is loaded once
    few, many = peak(tmp_path / "few", 3), peak(tmp_path / "many", 15)
    assert many < few + POINTS * 4 * 5  # less than one case more
