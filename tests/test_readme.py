"""What the README tells a user is true: commands parse, options exist, the Python blocks run."""

import re
from pathlib import Path

import pytest

import llt
from llt.cli import app, main
from llt.training import TrainConfig, train
from tests.test_docs import headings, quick

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def commands():
    """Every `llt ...` line of the README's shell blocks."""
    blocks = re.findall(r"```\n(.*?)```", README, flags=re.DOTALL)
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("llt ")]


def test_both_commands_of_a_new_user_are_there():
    makefile = (ROOT / "Makefile").read_text()
    for name in ("demo", "test", "setup", "check"):
        assert f"make {name}" in README + (ROOT / "CONTRIBUTING.md").read_text()
        assert re.search(rf"^{name}:", makefile, flags=re.MULTILINE)


@pytest.mark.parametrize("line", commands())
def test_commands_and_their_options_exist(line, capsys):
    words = line.split()
    assert main([words[1], "--help"]) == 0
    text = capsys.readouterr().out
    for word in words:
        if word.startswith("-"):
            assert word in text


def test_every_command_is_in_the_table():
    names = {part.name for part in (*app.registered_commands, *app.registered_groups)}
    assert names == set(re.findall(r"^\| `llt (\w+)", README, flags=re.MULTILINE))


def test_the_python_blocks_run(tmp_path, monkeypatch, darcy_file):
    """From own arrays to a picture, then on with a run of the command; only smaller."""
    journey, asking = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    tiny = {"model_settings": {"dim": 8, "num_layers": 1}, "config": TrainConfig(epochs=1)}
    train(darcy_file, tmp_path / "runs/darcy", **tiny)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(llt, "train", quick(llt.train))
    scope = {}
    exec(journey, scope)
    assert scope["fields"]["u"].shape == (24, 32)
    assert (tmp_path / "u.png").stat().st_size > 1000
    exec(asking, scope)
    assert scope["u"].shape == (85, 85)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)h][^)]*)\)", README))
def test_links_lead_somewhere(link):
    path, _, heading = link.partition("#")
    assert (ROOT / path).exists()
    if heading:
        assert heading in headings(ROOT / path)
