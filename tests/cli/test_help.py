"""What the command says about itself."""

import os
import subprocess
import sys

import pytest

from llt.cli import COMMANDS, bench, main
from llt.solvers import SOLVERS


def shown(capsys, *args):
    """What a command prints on standard output, with nothing on standard error."""
    assert main([*args]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_alone_it_shows_all_commands_a_line_each(capsys):
    out = shown(capsys)
    assert out == shown(capsys, "-h") == shown(capsys, "--help")
    lines = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
    assert lines.index("demo") < lines.index("train") < lines.index("doctor") < lines.index("bench")
    assert "...\n" not in out.partition("Commands:")[2]  # cut off
    assert "  llt --install-completion " in out


def test_bench_alone_shows_its_commands(capsys):
    out = shown(capsys, "bench")
    assert out == shown(capsys, "bench", "-h")
    for command in bench.app.registered_commands:
        assert f"  {command.name} " in out
    assert "...\n" not in out.partition("Commands:")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_an_example(command, capsys):
    out = shown(capsys, command, "-h")
    assert out == shown(capsys, command, "--help")
    assert f"\n  Example:\n    llt {command}" in out


@pytest.mark.parametrize("command", [c.name for c in bench.app.registered_commands])
def test_every_benchmark_has_help_and_an_example(command, capsys):
    assert f"\n  Example:\n    llt bench {command}" in shown(capsys, "bench", command, "-h")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_switch_that_is_off_has_no_opposite(command, capsys):
    assert "default: no-" not in shown(capsys, command, "-h")


def test_a_package_that_is_a_program():
    done = subprocess.run([sys.executable, "-m", "llt", "--version"], capture_output=True)
    assert done.stdout.split() == [b"0.1.0"]


def test_the_shell_completes_commands():
    asked = {"_LLT_COMPLETE": "complete_bash", "COMP_WORDS": "llt tra", "COMP_CWORD": "1"}
    code = "import sys; sys.argv[0] = 'llt'; from llt.cli import main; main()"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True)
    assert done.stdout.split() == ["train"]


def test_generate_names_all_problems_that_have_a_solver(capsys):
    out = " ".join(shown(capsys, "generate", "-h").split())
    assert ", ".join(SOLVERS) in out
