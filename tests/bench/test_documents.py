"""What is published agrees with the records."""

import re
from pathlib import Path

import pytest

from llt.bench.documents import MARKED, STUDIES, documents, fill, index, write_index, write_tables
from llt.bench.published import TABLES
from llt.bench.record import read_records, write_record
from llt.cli import main
from llt.errors import DataError
from tests.bench.studies import cell
from tests.bench.studies import study as recorded

ROOT = Path(__file__).parents[2]
RECORDS = read_records(ROOT / "benchmarks")
DOCUMENTS = {str(path.relative_to(ROOT)): path.read_text() for path in documents(ROOT)}


def test_the_index_is_up_to_date():
    page = (ROOT / "benchmarks/README.md").read_text()
    assert page == index(RECORDS), "run: llt bench index"
    links = re.findall(r"\]\(([^)]*)\)", page)
    assert len(links) == len(RECORDS)
    assert all((ROOT / "benchmarks" / link).is_file() for link in links)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_tables_agree_with_the_records(name):
    assert DOCUMENTS[name] == fill(DOCUMENTS[name], RECORDS), "run: llt bench tables"


def test_every_table_is_published_and_none_twice_on_a_page():
    pages = [[name for _, name, _ in MARKED.findall(text)] for text in DOCUMENTS.values()]
    assert {name for page in pages for name in page} == {*TABLES}
    assert all(len(page) == len({*page}) for page in pages)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_records_named_in_documents_exist(name):
    studies = "|".join(STUDIES)
    for found in re.findall(rf"`((?:{studies})/[\w-]+)`", DOCUMENTS[name]):
        assert found in RECORDS


def test_archived_records_are_there_for_a_document():
    page = DOCUMENTS["docs/kernels.md"]
    for name in RECORDS:
        if name.startswith("archive/") and not name.startswith("archive/kernels-"):
            assert f"`{name}`" in page


def test_unknown_tables_and_missing_records_are_errors():
    with pytest.raises(DataError, match="unknown table 'stepp'; did you mean step"):
        fill("<!-- table: stepp -->\n<!-- end -->", RECORDS)
    with pytest.raises(DataError, match="table models: the records have no 'accuracy/models"):
        fill("<!-- table: models -->\n<!-- end -->", {})


def test_only_what_is_between_the_marks_changes(tmp_path, capsys):
    text = "before\n<!-- table: step -->\nold\n<!-- end -->\nafter\n"
    (tmp_path / "README.md").write_text(text)
    (tmp_path / "benchmarks").symlink_to(ROOT / "benchmarks")
    assert main(["bench", "tables", "--root", str(tmp_path)]) == 0
    assert capsys.readouterr().err == f"{tmp_path}/README.md: changed\n"
    new = (tmp_path / "README.md").read_text()
    assert new.startswith("before\n<!-- table: step -->\n| one complete Darcy")
    assert new.endswith(" |\n<!-- end -->\nafter\n")
    assert "33.4 ms" in new
    assert write_tables(tmp_path, RECORDS) == []


def test_one_command_makes_tables_and_figures_of_the_study(tmp_path, capsys):
    names = ("study", "study-short", "study-problems")
    page = "".join(f"<!-- table: {name} -->\n<!-- end -->\n" for name in names)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/accuracy.md").write_text(page)
    (tmp_path / "README.md").write_text("nothing\n")
    first, second = recorded(cell("llt", 0.1), cell("fno")), recorded(cell("fno", 0.2))
    for name, record in (("here", first), ("there", second)):
        write_record(tmp_path / f"benchmarks/studies/accuracy/study-{name}.json", record)
    words = ["bench", "tables", "--root", str(tmp_path)]
    assert main(words) == 0
    told = capsys.readouterr().err
    assert "accuracy.md: changed" in told and "study-darcy.png: changed" in told
    page = (tmp_path / "docs/accuracy.md").read_text()
    assert page.count("| LLT | best | 0.10000 (1?) |") == 2 and "Tier 1, 2 of 2 cells" in page
    assert (tmp_path / "docs" / re.search(r"\((figures/.*png)\)", page)[1]).is_file()
    assert main(words) == 0 and capsys.readouterr().err == ""
    write_record(tmp_path / "benchmarks/studies/accuracy/study-x.json", recorded(cell("fno", 0.3)))
    assert main(words) == 2
    assert "study-x: cell darcy-fno-best-20-seed-0 has test_error 0.3" in capsys.readouterr().err


def test_the_index_is_written_to_benchmarks(tmp_path):
    assert write_index(tmp_path, RECORDS).read_text() == index(RECORDS)
