"""What the pages show is run, or says why not; every page is reached and every link leads on."""

import json
import re
import sys
import tomllib
import warnings
from pathlib import Path

import pytest

import llt
from llt.solvers import SOLVERS
from tests.conftest import darcy_like
from tests.pages import MARKS, ROOT, SHOWN, blocks, check_command, pages, run_command

ALL = [block for page in pages() for block in blocks(page)]
AFTER = {"docs/trust.md": "docs/your-own-data.md"}  # begins where another page ends
SMALLER = {
    "airfoil.Settings()": "airfoil.Settings(panels=16, wake=12, layers=12)",
    "pipe.Settings()": "pipe.Settings(elements=12)",
    "plasticity.Settings()": "plasticity.Settings(nx=10, ny=4, frames=3)",
}


def quick(train):
    """The same training, only smaller and shorter."""

    def run(data, out, *, steps, **options):
        return train(data, out, steps=min(steps, 2), preset="tiny", **options)

    return run


def runs(block):
    return block.language in ("python", "sh") and not block.mark


@pytest.mark.parametrize("block", ALL, ids=str)
def test_every_block_is_run_or_says_why_not(block):
    assert block.mark in MARKS, f"{block}: {block.mark!r} is none of {MARKS[1:]}"
    assert block.mark or block.language in ("python", "sh", *SHOWN[:-1]), (
        f"{block}: {block.language or 'no language'}: nothing runs it; see tests/pages.py"
    )
    if block.mark == "run by":
        assert Path(block.page).stem in (ROOT / block.reason).read_text()
    elif block.language == "toml":
        tomllib.loads(block.code)
    elif block.language == "json":
        json.loads(block.code)
    elif block.language == "sh" and block.mark != "not run":
        for words in block.commands:
            check_command(words)


@pytest.mark.parametrize("page", pages())
def test_no_block_is_overlooked(page):
    """As one would be that is indented, or has more than a language behind its marks."""
    fences = re.findall(r"^[ \t>]*(?:```|~~~)", (ROOT / page).read_text(), re.M)
    assert len(fences) == 2 * len([*blocks(page)])


def test_what_is_expected_of_pages_is_expected_of_pages_that_run():
    assert {*AFTER, *BEFORE, *AFTERWARDS} <= {block.page for block in ALL if runs(block)}


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """An empty folder, and whatever a page makes known is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(llt, "train", quick(llt.train))
    for known in (llt.MODELS, llt.PROBLEMS, SOLVERS):
        for name in known:
            monkeypatch.setitem(known, name, known[name])
    before = [(known, {*known}) for known in (llt.MODELS, llt.PROBLEMS, SOLVERS, sys.modules)]
    yield tmp_path
    for known, names in before:
        for name in [n for n in known if n not in names and _is_ours(known, n, tmp_path)]:
            del known[name]


def _is_ours(known, name, folder):
    if known is not sys.modules:
        return True
    return str(folder) in str(getattr(known[name], "__file__", ""))


def follow(page, scope):
    """All blocks of a page that run, one after the other."""
    for block in filter(runs, blocks(page)):
        if block.language == "sh":
            for words in block.commands:
                run_command(words)
            continue
        code = block.code
        for large, small in SMALLER.items():
            code = code.replace(large, small)
        if name := re.match(r"# (\w+\.py)\n", code):
            Path(name[1]).write_text(code)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # also of questions outside of the training range
            exec(compile(code, str(block), "exec"), scope)


def a_run(folder):
    """Tiny, on what looks like Darcy."""
    llt.train(darcy_like(), folder, steps=2, device="cpu")


BEFORE = {  # what a page takes to be there
    "docs/data-format.md": lambda: darcy_like(n=85, num=5).save("darcy.h5"),
    "docs/evaluation.md": lambda: [*map(a_run, ("runs/x", "runs/y"))],
}
AFTERWARDS = {  # and what must be there, or be known, when all of it has run
    "docs/your-own-data.md": lambda known: (
        known["fields"].keys() == {"u", "v"}
        and known["later"].shape == (2, 24, 32)
        and "x 0 to 2,000 is 1,000 times larger" in str(known["caught"][0].message)
    ),
    "docs/examples/arrays.md": lambda known: (
        known["new"].shape == (31, 31)
        and known["coarse"].shape == (16, 16)
        and len(known["data"].split("train")) == 96
        and known["many"].shape == (3, 31, 31)
    ),
    "docs/quick-start.md": lambda known: (
        len([*Path("predicted").glob("*.npz")]) == 3
        and Path("runs/mine/report.html").is_file()
        and known["fields"]["T"].shape == (len(known["points"]),)
    ),
    "docs/concepts.md": lambda known: known["pressure"].shape == (43 * 43,),
    "docs/how-to/three-dimensions.md": lambda known: known["u"].shape == (len(known["points"][0]),),
    "docs/how-to/transient.md": lambda known: (
        known["later"].shape == (2, 12, 24) and known["frames"].shape == (8, 12, 24)
    ),
    "docs/how-to/new-model.md": lambda known: known["u"].shape == (100,),
    "docs/how-to/new-solver.md": lambda known: len(known["data"]) == 10,
    "docs/sharing.md": lambda known: known["u"].shape == (85, 85),
    "docs/gallery.md": lambda known: Path("fields.png").stat().st_size > 1000,
    "docs/evaluation.md": lambda known: Path("runs/x/comparison.html").is_file(),
}


@pytest.mark.parametrize("page", sorted({block.page for block in ALL if runs(block)}))
def test_programs_and_commands_run(page, workplace):
    known = {"__name__": "page"}
    if page in AFTER:
        follow(AFTER[page], known)
    BEFORE.get(page, lambda: None)()
    follow(page, known)
    assert AFTERWARDS.get(page, lambda _: True)(known)


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page):
    """In the repository; that they do in the site, its build says."""
    path = ROOT / page
    for link in re.findall(r"\]\(([^)\s]*)\)", path.read_text()):
        place, _, heading = link.partition("#")
        if place.startswith("http"):
            continue
        target = path.parent / place if place else path
        assert target.exists(), link
        assert not heading or heading in headings(target), link


def headings(path):
    lines = (line for line in path.read_text().splitlines() if line.startswith("#"))
    return [re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in lines]
