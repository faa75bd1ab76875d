"""An outline: a name a line, each level indented further than the one above it, by tabs or by spaces.

A word is a node: the same word in two branches is one node with two parents.
"""

from __future__ import annotations

from hypercone.errors import InputError, short
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.lines import Lines
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.text import text_of


def read(content: Content) -> Reading:
    r"""The edges from each line to those one level deeper below it; blank lines are skipped.

    >>> read(Content("a", "", b"animal\n  dog\n    poodle\n  cat\n")).parents
    ['animal', 'dog', 'animal']
    """
    found = Lines(content.label)
    levels: list[str] = []
    above: list[str] = []
    for number, line in enumerate(text_of(content, "a name a line, each level indented further").split("\n"), 1):
        name = line.strip()
        if not name:
            continue
        level = _level(content.label, number, line, levels)
        del levels[level:], above[level:]
        if above:
            found.add(above[-1], name, number)
        else:
            found.add_node(name)
        levels.append(line[: len(line) - len(line.lstrip())])
        above.append(name)
    return found.reading()


def _level(label: str, number: int, line: str, levels: list[str]) -> int:
    """How many of the lines that stand open are above this one."""
    indent = line[: len(line) - len(line.lstrip())]
    if indent in levels:
        return levels.index(indent)
    if not levels or (indent.startswith(levels[-1]) and len(indent) > len(levels[-1])):
        return len(levels)
    if len(indent) > len(levels[-1]):
        problem = "mixes tabs and spaces, so that its level cannot be told"
    else:
        problem = "goes back to an indentation that no line above it has"
    raise InputError(f"{label}:{number}: {short(line.strip(), 40)!r} {problem}; indent it like its siblings")
