"""Blocks of code on the pages: how each is run, or why it is not.

A fenced block has a language. `python` is run, all of a page in one scope; one that begins with
`# NAME.py` is that file. Lines of `sh` are run, too. In `text` is what is only shown, `toml` and
`json` are read. A comment in the line above says where that is not so:

    <!-- parsed: REASON -->      commands, options and files exist; nothing is run
    <!-- not run: REASON -->
    <!-- run by: tests/FILE -->  a test of its own
"""

import re
import shlex
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import typer

from llt.cli import app, main

ROOT = Path(__file__).parents[1]
FENCED = re.compile(r"(?:<!-- ([a-z ]+): ([^\n]+) -->\n)?^```(\S*)\n(.*?)^```$", re.M | re.S)
MARKS = ("", "parsed", "not run", "run by")
SHOWN = ("text", "toml", "json", "")  # languages of which nothing is run
SHORT = ("--preset", "tiny", "--device", "cpu")


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    mark: str
    reason: str
    language: str
    code: str

    def __str__(self):
        return f"{self.page}:{self.line}"

    @property
    def commands(self):
        """The words of every line that is no comment."""
        lines = self.code.replace("\\\n", " ").splitlines()
        found = (shlex.split(line.removeprefix("$ "), comments=True) for line in lines)
        return [words for words in found if words]


def pages():
    """All that the site shows; README.md has a test of its own."""
    found = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    return [path.relative_to(ROOT).as_posix() for path in found]


def blocks(page):
    text = (ROOT / page).read_text()
    for found in FENCED.finditer(text):
        mark, reason, language, code = found.groups()
        line = text.count("\n", 0, found.start(3)) + 1
        yield Block(page, line, mark or "", reason or "", language, code)


def check_command(words):
    """Everything that a line names is there: the command with its options, files, targets."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    if "llt" in words[:1] or ["-m", "llt"] in map(list, pairwise(words)):
        parse(words[words.index("llt") + 1 :])
    elif words[0] == "make":
        target = (ROOT / "Makefile").read_text()
        assert all(f"\n{word}:" in target for word in words[1:]), words
    elif words[0] == "pip":
        for extras in re.findall(r"^llt\[(.+)\]$", words[-1]):
            assert {*extras.split(",")} <= {*project["optional-dependencies"]}, words
    elif words[0] == "python":
        assert (ROOT / words[1]).is_file(), words
    else:
        raise AssertionError(
            f"{shlex.join(words)}: cannot be checked; mark it <!-- not run: ... -->"
        )


def parse(words):
    """By the command's own parser, which refuses options and values that do not exist."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands"):
        name, *words = words
        assert name in command.commands, name
        command = command.commands[name]
    command.make_context(command.name, [*words])


def run_command(words):
    """As it stands; only trainings are small and short."""
    assert words[0] == "llt", words
    less = ["0.01" if before == "--minutes" else word for before, word in pairwise(words)]
    if less[0] == "train" and "--resume" not in less:
        less += SHORT if "--minutes" in less else (*SHORT, "--set", "train.steps=2")
    assert main(less) == 0, words
