"""Trees as text: Newick, a path on each line (animal > dog > poodle), and outlines by indentation.

Inner nodes without a label, or with a bare number (the support of a branch, not a name), are called ``node_1``,
``node_2``, … in the order in which they open.

A word is a node: the same word in two branches is one node with two parents.

A word is a node: the same word in two branches is one node with two parents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count, pairwise

from hypercone.errors import InputError, short
from hypercone.formats.reading import Lines, Reading
from hypercone.formats.source import Content, text_of
from hypercone.progress import Step, track_progress

# The last part takes a quote or bracket without its partner, so that the search for one is not begun again and again.
TOKEN = re.compile(r"\s+|\[[^\]]*\]|[(),:;]|'[^']*(?:''[^']*)*'|[^\s()\[\]',:;]+|['\[\]]")
# Possessive, so that a number of many digits that is none after all is not tried in every way.
NUMBER = re.compile(r"[-+]?(\d++\.?\d*+|\.\d++)([eE][-+]?\d++)?")

# What has been read of a node.
FRESH, CLOSED, NAMED, COLON, DONE = "nothing", "its children", "its label", "a colon", "its length"


def read_newick(content: Content) -> Reading:
    """The edges of the trees in the file; two nodes with the same label are refused.

    >>> read_newick(Content("a.nwk", ".nwk", b"((poodle,'hot dog'):0.1,cat)animal;")).parents
    ['node_1', 'node_1', 'animal', 'animal']
    """
    text = text_of(content, "a tree such as (poodle,beagle)dog;")
    if text.lstrip().startswith("<"):
        raise InputError(f"{content.label}:1: is XML, not Newick; write the tree as (poodle,beagle)dog; instead")
    forest = _Forest(content.label, text)
    names = forest.names()
    return Reading(content.label, [names[row] for row in forest.parents], [names[row] for row in forest.children])


class _Forest:
    """The nodes in the order in which they open, each with its label and where it stands, and the edges by number."""

    def __init__(self, label: str, text: str) -> None:
        self.label, self.text = label, text
        self.labels: list[str] = []
        self.places: list[int] = []
        self.parents: list[int] = []
        self.children: list[int] = []
        self._above: list[int] = []
        self._begin(0)
        self._read()

    def names(self) -> list[str]:
        """The name of each node."""
        first: dict[str, int] = {}
        for row, label in enumerate(self.labels):
            if label and first.setdefault(label, row) != row:
                raise self._error(
                    self.places[row],
                    f"there is a node {short(label)!r} already, in line {self._line(self.places[first[label]])}; "
                    "give each node its own name",
                )
        free = (name for name in map("node_{}".format, count(1)) if name not in first)
        return [label or next(free) for label in self.labels]

    def _read(self) -> None:
        act: dict[str, Callable[[int], None]]
        act = {"(": self._open, ",": self._next, ")": self._close, ":": self._colon, ";": self._end}
        with Step("reading", len(self.text), lambda: self.places[-1]):
            for token, place in self._tokens():
                if token in act:
                    act[token](place)
                else:
                    self._word(token, place)
        if self._above or self._state != FRESH:
            raise self._error(len(self.text) - 1, "the file ends before the tree does; a tree ends in a semicolon")
        self.labels.pop()

    def _tokens(self) -> Iterator[tuple[str, int]]:
        for match in TOKEN.finditer(self.text):
            token = match[0]
            if token in ("'", "[", "]"):
                raise self._error(match.start(), f"a {token} is never matched by another; add it or remove this one")
            if token[0] != "[" and not token.isspace():
                yield token, match.start()

    def _begin(self, place: int) -> None:
        self._node, self._state = len(self.labels), FRESH
        self.labels.append("")
        self.places.append(place)

    def _word(self, token: str, place: int) -> None:
        if self._state == COLON:
            if not NUMBER.fullmatch(token):
                raise self._error(place, f"the length of a branch is {short(token, 40)!r}; it should be a number")
            self._state = DONE
            return
        if self._state not in (FRESH, CLOSED):
            raise self._error(place, f"{short(token, 40)!r} follows {self._state}; a comma or a quote is missing")
        if token == "''":
            return
        if token[0] == "'":
            self.labels[self._node] = token[1:-1].replace("''", "'")
        elif self._state == FRESH or not NUMBER.fullmatch(token):
            self.labels[self._node] = token
        self.places[self._node] = place
        self._state = NAMED

    def _open(self, place: int) -> None:
        if self._state != FRESH:
            raise self._error(place, "a ( stands behind a node; put a comma between them")
        self._above.append(self._node)
        self._begin(place + 1)

    def _next(self, place: int) -> None:
        self._finish(place)
        self._begin(place + 1)

    def _close(self, place: int) -> None:
        self._finish(place)
        self._node, self._state = self._above.pop(), CLOSED

    def _finish(self, place: int) -> None:
        if not self._above:
            raise self._error(place, f"a {self.text[place]} stands outside all parentheses; add the ( or remove it")
        self._check_complete(place)
        self.parents.append(self._above[-1])
        self.children.append(self._node)

    def _colon(self, place: int) -> None:
        if self._state in (COLON, DONE):
            raise self._error(place, "a second colon stands at one node; remove it")
        self._check_name(place)
        self._state = COLON

    def _end(self, place: int) -> None:
        if self._above:
            raise self._error(place, "the tree ends before all of its parentheses are closed; add the )")
        self._check_complete(place)
        self._begin(place + 1)

    def _check_complete(self, place: int) -> None:
        if self._state == COLON:
            raise self._error(place, "a branch has no length behind its colon; write it or remove the colon")
        self._check_name(place)

    def _check_name(self, place: int) -> None:
        if self._state == FRESH:
            raise self._error(place, "a leaf has no name; give it one")

    def _line(self, place: int) -> int:
        return self.text.count("\n", 0, place) + 1

    def _error(self, place: int, problem: str) -> InputError:
        column = place - self.text.rfind("\n", 0, place)
        return InputError(f"{self.label}:{self._line(place)}: at character {column:,}: {problem}")


# Looking ahead instead of taking the white space, so that an empty name between two is seen.
SEPARATOR = re.compile(r"\s>(?=\s)")


def read_paths(content: Content) -> Reading:
    r"""The edges of all paths, each once. Blank lines are skipped, and a first line that begins with ``#``.

    >>> read_paths(Content("a", "", b"animal > dog > poodle\nanimal > cat")).children
    ['dog', 'poodle', 'cat']
    """
    found = Lines(content.label)
    lines = text_of(content, "a path a line, such as animal > dog > poodle").split("\n")
    for number, line in enumerate(track_progress(lines, "reading", len(lines)), 1):
        if not line.strip() or (number == 1 and line.startswith("#")):
            continue
        path = [name.strip() for name in SEPARATOR.split(f" {line.strip()} ")]
        if "" in path:
            raise InputError(
                f"{content.label}:{number}: a name is missing beside a > in {short(line.strip(), 40)!r}; "
                "write it or remove the >"
            )
        found.add_node(path[0])
        for parent, child in pairwise(path):
            found.add(parent, child, number)
    return found.reading()


def read_indented(content: Content) -> Reading:
    r"""The edges from each line to those one level deeper below it; blank lines are skipped.

    >>> read_indented(Content("a", "", b"animal\n  dog\n    poodle\n  cat\n")).parents
    ['animal', 'dog', 'animal']
    """
    found = Lines(content.label)
    levels: list[str] = []
    above: list[str] = []
    lines = text_of(content, "a name a line, each level indented further").split("\n")
    for number, line in enumerate(track_progress(lines, "reading", len(lines)), 1):
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
