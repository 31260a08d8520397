"""The programs in the documentation run as they stand, one after the other."""

import re
import warnings
from pathlib import Path

import pytest

import llt

DOCS = Path(__file__).parents[1] / "docs"


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)


def quick(train):
    """The same training, only smaller and shorter."""

    def run(data, out, *, steps, **options):
        return train(data, out, steps=min(steps, 2), preset="tiny", **options)

    return run


@pytest.mark.parametrize("page", ["your-own-data.md", "python-api.md", "examples/arrays.md"])
def test_programs_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(llt, "train", quick(llt.train))
    scope = {}
    for code in blocks(page):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # also of questions outside of the training range
            exec(code, scope)
    if page == "your-own-data.md":
        assert scope["fields"].keys() == {"u", "v"} and scope["later"].shape == (2, 24, 32)
        assert "x 0 to 2,000 is 1,000 times larger" in str(scope["caught"][0].message)
    if page == "examples/arrays.md":
        assert scope["new"].shape == (31, 31) and scope["coarse"].shape == (16, 16)
        assert len(scope["data"].split("train")) == 96 and scope["many"].shape == (3, 31, 31)


def test_links_lead_somewhere():
    pages = ["your-own-data.md", "python-api.md", "data-format.md", "trust.md"]
    for page in (*map(DOCS.joinpath, pages), *(DOCS / "examples").iterdir()):
        for link in re.findall(r"\]\(([^)h][^)]*)\)", page.read_text()):
            path, _, heading = link.partition("#")
            lines = (page.parent / path).read_text().splitlines()
            headings = [
                line.lstrip("# ").lower().replace(" ", "-") for line in lines if line[:1] == "#"
            ]
            assert not heading or heading in headings
