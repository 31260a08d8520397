"""What the site has beyond docs/: pages of the repository, the records, references.

mkdocs calls these functions while it builds (`hooks` in mkdocs.yml). The pages of docs/ are read in
the repository, too; there they link to files beside docs/, which here become pages of the site.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools.command_reference import reference  # noqa: E402
from tools.settings_reference import settings  # noqa: E402

PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks/README.md")
BESIDE = (*PAGES, "benchmarks/accuracy.toml", "Containerfile", "LICENSE")  # what pages may link to
ALONE = ("index.md", "gallery.md")  # pages without columns beside them
# from where on a page it is made from the code
MADE = {"reference/cli.md": ("<!-- commands -->", reference)}
MADE |= {"reference/settings.md": ("<!-- settings -->", settings)}
LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)]*)?\))")
SHORT = re.compile(r"<code>([^<\n]{1,30})</code>")
FENCED = re.compile(r"(^```.*?^```$)", flags=re.DOTALL | re.MULTILINE)
LIST = re.compile(r"^(?![-*] |\d+\. |\s)(.+)\n(?=[-*] |1\. )", flags=re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    records = sorted((ROOT / "benchmarks").rglob("*.json"))
    for name in (*BESIDE, *(path.relative_to(ROOT).as_posix() for path in records)):
        files.append(File.generated(config, name, content=(ROOT / name).read_bytes()))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """The page as the site has it: links, lists, and what is made from the code."""
    at = page.file.src_uri
    if at in ALONE:
        page.meta["hide"] = ["navigation", "toc"]
    folder = posixpath.dirname(at if at in BESIDE else f"docs/{at}")

    def moved(found: re.Match[str]) -> str:
        start, link, end = found.groups()
        target = posixpath.normpath(posixpath.join(folder, link))
        place = target.removeprefix("docs/")
        return start + posixpath.relpath(place, posixpath.dirname(at)) + end

    parts = FENCED.split(markdown)
    parts[::2] = [spaced(LINK.sub(moved, part)) for part in parts[::2]]
    text = "".join(parts)
    if at in MADE:
        mark, make = MADE[at]
        text = text.partition(mark)[0] + make()
    return text


def on_page_content(html: str, **_: Any) -> str:
    """Short words of code are not broken at their dashes."""
    return SHORT.sub(r'<code class="short">\1</code>', html)


def spaced(markdown: str) -> str:
    """A list may follow a paragraph at once in the repository; here a line must be between."""
    return LIST.sub(r"\1\n\n", markdown)
