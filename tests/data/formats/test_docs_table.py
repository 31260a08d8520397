"""The table in docs/your-own-data.md says what the readers take."""

from pathlib import Path

from llt.data.formats import FORMATS

PAGE = Path(__file__).parents[3] / "docs" / "your-own-data.md"


def table() -> str:
    lines = ["| format | files | what is taken | written as | needs |", "|---|---|---|---|---|"]
    for one in dict.fromkeys(FORMATS.values()):
        files = ", ".join(f"`{suffix}`" for suffix in one.suffixes)
        written = f"`{one.written}`" if one.written else "the same"
        lines.append(f"| {one.name} | {files} | {one.takes} | {written} | {one.extra} |")
    return "\n".join(lines) + "\n"


def test_the_table_is_that_of_the_formats():
    assert table() in PAGE.read_text()
