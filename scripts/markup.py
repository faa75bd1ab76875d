"""Markdown for the pages that are made from the source: tables, fences, and docstrings as prose."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table; percent signs as argparse writes them become single."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("%%", "%") for cell in line) + " |" for line in lines
    )


def fenced(text: str, language: str) -> str:
    """A block of code or of plain text."""
    body = text.strip("\n")
    return f"```{language}\n{body}\n```"


def first_line(thing: Any) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(thing) or "").splitlines()[0]


def prose(docstring: str | None) -> Iterator[str]:
    """A docstring as Markdown: examples and drawings in fences, the rest as it is."""
    is_drawing = False
    for block in re.split(r"\n\s*\n", inspect.cleandoc(docstring or "")):
        if block.startswith(">>>"):
            yield fenced(block, "pycon")
        elif is_drawing or block.startswith("==="):
            yield fenced(inspect.cleandoc(block) if is_drawing else block, "text")
        elif block.strip() == "::":
            is_drawing = True
            continue
        elif block.rstrip().endswith("::"):
            yield _inline(block.rstrip()[:-1])
            is_drawing = True
            continue
        else:
            yield _inline(block)
        is_drawing = False


def _inline(text: str) -> str:
    return text.replace("``", "`").replace("::", ":")
