"""Words of a command line: lists as `darcy,pipe`, `1024,2048` or `darcy=200,pipe=8`; examples."""

from __future__ import annotations

from llt.errors import ConfigError


def counts(
    text: str, option: str = "--cases", form: str = "PROBLEM=NUMBER as in darcy=200"
) -> list[tuple[str, int]]:
    """`darcy=200,elasticity=1400`."""
    try:
        pairs = [word.split("=") for word in words(text)]
        return [(name.strip(), int(number)) for name, number in pairs]
    except ValueError:
        raise ConfigError(f"{option} {text}: expected {form}") from None


def words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def numbers(text: str, option: str = "--sizes", form: str = "1024,2048") -> list[int]:
    try:
        return sorted(int(word) for word in words(text))
    except ValueError:
        raise ConfigError(f"{option} {text}: expected numbers as in {form}") from None


def example(command: str) -> str:
    """The last lines of a command's help, which are not to be filled into a paragraph."""
    return f"\b\nExample:\n  {command}"
