"""The documentation site: complete, made from the code, and nothing in it is fetched from afar."""

import os
import re
import subprocess
import sys
from dataclasses import fields
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

import llt
from llt.bench.published import TABLES
from llt.cli import COMMANDS, app, bench
from llt.solvers import SOLVERS
from tools.command_reference import escaped, reference
from tools.settings_reference import settings
from tools.site import on_page_content, on_page_markdown, spaced

ROOT = Path(__file__).parents[1]
# all that a page loads by itself; links that a reader follows are not among it
LOADED = re.compile(r'<(?:script|img|iframe|source)[^>]* src="([^"]*)"|<link[^>]* href="([^"]*)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """As `make docs` builds it."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)]
    known = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def words(path):
    return unescape(re.sub(r"<[^>]*>", " ", path.read_text()))


@pytest.mark.slow
def test_a_page_loads_nothing_from_elsewhere(site):
    pages = [*site.rglob("*.html")]
    assert len(pages) > 40
    for path in pages:
        for found in LOADED.findall(path.read_text()):
            link = "".join(found)
            assert "//" not in link or link.startswith("data:"), (path.name, link)
            place = site if link.startswith("/") else path.parent
            if not link.startswith("data:"):
                assert (place / link.split("?")[0].lstrip("/")).exists(), (path.name, link)
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(https?:)?//", path.read_text()), path


@pytest.mark.slow
def test_the_references_are_made_from_the_code(site):
    command = words(site / "reference/cli.html")
    for name in COMMANDS:
        assert f"llt {name}" in command
    assert "Begin with the weights of a run or of pretrained:NAME." in command
    settings = words(site / "reference/settings.html")
    assert "train.derivative" in settings and "weight in the loss of first derivatives" in settings
    python = (site / "reference/python.html").read_text()
    prose = words(site / "reference/python.html")
    for name in llt.__all__:
        assert f'id="llt.{name}"' in python or f"llt.{name}" in prose, name
    assert "average over the G symmetries" in " ".join(prose.split())


@pytest.mark.slow
def test_what_is_written_for_the_repository_is_whole_in_the_site(site):
    """Tables between marks, lists behind a paragraph, links to files beside docs/."""
    for path in site.rglob("*.html"):
        text = path.read_text()
        assert "<p>|" not in text and "| ---" not in words(path), path
        assert not re.search(r"<p>[^<]*\n- ", text), path
    assert len(TABLES) > 10
    results = (site / "results.html").read_text()
    assert 'href="benchmarks/index.html"' in results
    record = re.search(
        r'href="(studies/[^"]*\.json)"', (site / "benchmarks/index.html").read_text()
    )
    assert (site / "benchmarks" / record[1]).is_file()


def test_every_command_and_option_is_in_the_reference():
    text, root = reference(), typer.main.get_command(app)
    commands = {f"llt {name}": command for name, command in root.commands.items()}
    inner = root.commands["bench"].commands
    assert {*inner} == {command.name for command in bench.app.registered_commands}
    commands |= {f"llt bench {name}": command for name, command in inner.items()}
    for path, command in commands.items():
        part = re.split(r"^##+ ", text.split(f"# {path}\n", 1)[1], maxsplit=1, flags=re.M)[0]
        for parameter in command.params:
            assert all(word in part for word in parameter.opts), (path, parameter.opts)


def test_what_is_said_of_a_command_is_in_the_reference_as_it_stands():
    text, root = reference(), typer.main.get_command(app)
    for name, command in root.commands.items():
        assert escaped(" ".join(command.help.split())) in text, name
        for line in (command.epilog or "").splitlines():
            assert not line.strip().startswith("llt ") or f"\n    {line.strip()}\n" in text, line
    assert "\n## llt bench\n" in text
    for name in root.commands["bench"].commands:
        assert f"\n### llt bench {name}\n" in text
    assert escaped("a_b*c`<d>[e]|\\") == r"a\_b\*c\`\<d\>\[e\]\|\\"


def test_every_setting_is_in_the_reference_with_its_default():
    text = settings()
    for name in (*llt.MODELS, *SOLVERS):
        assert f"\n### {name}\n" in text
    for entry in fields(llt.TrainConfig):
        assert f"| `train.{entry.name}` |" in text, entry.name
    assert f"| `train.lr` | {llt.TrainConfig().lr} |" in text
    assert "| `model.dim` | " in text and "| `resolution` | " in text


def page(place):
    return SimpleNamespace(file=SimpleNamespace(src_uri=place), meta={})


@pytest.mark.parametrize(
    ("place", "written", "shown"),
    [
        ("how-to/a.md", "[b](../../CHANGELOG.md#top)", "[b](../CHANGELOG.md#top)"),
        ("how-to/a.md", "[b](c.md) [d](#e)", "[b](c.md) [d](#e)"),
        ("how-to/a.md", "[b](https://example.org/c.md)", "[b](https://example.org/c.md)"),
        ("benchmarks/README.md", "[b](../docs/results.md)", "[b](../results.md)"),
        ("a.md", "```text\nTwo:\n- [b](../c.md)\n```\n", "```text\nTwo:\n- [b](../c.md)\n```\n"),
    ],
)
def test_links_are_those_of_the_page_s_place_in_the_site(place, written, shown):
    assert on_page_markdown(written, page=page(place)) == shown


def test_pages_of_pictures_have_no_columns_beside_them():
    gallery, other = page("gallery.md"), page("trust.md")
    for one in (gallery, other):
        on_page_markdown("", page=one)
    assert (gallery.meta, other.meta) == ({"hide": ["navigation", "toc"]}, {})


def test_short_words_of_code_are_not_broken():
    long = f"<code>{31 * 'x'}</code>"
    assert on_page_content(f"<code>--set</code>{long}") == f'<code class="short">--set</code>{long}'


def test_lists_may_follow_a_paragraph_at_once():
    assert spaced("Two:\n- a\n- b\n") == "Two:\n\n- a\n- b\n"
    assert spaced("- a\n  more\n- b\n") == "- a\n  more\n- b\n"
    assert spaced("Two:\n\n- a\n") == "Two:\n\n- a\n"
    assert spaced("Two:\n1. a\n2. b\n") == "Two:\n\n1. a\n2. b\n"
