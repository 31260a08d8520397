"""Local Linear Transformer: its definition, and the ways to run it."""

from llt.models.llt.definition import LLT

__all__ = ["LLT"]
