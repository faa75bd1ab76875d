"""Newick trees.

Inner nodes without a label, or with a bare number (the support of a branch, not a name), are named ``node_1``,
``node_2``, … in the order in which they open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count

from hypercone.errors import InputError, short
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.source import Content, text_of
from hypercone.progress import Step

# The last alternative matches an unpaired quote or bracket, so that the search for its partner is not repeated.
TOKEN = re.compile(r"\s+|\[[^\]]*\]|[(),:;]|'[^']*(?:''[^']*)*'|[^\s()\[\]',:;]+|['\[\]]")
# Possessive quantifiers, to avoid backtracking over long runs of digits.
NUMBER = re.compile(r"[-+]?(\d++\.?\d*+|\.\d++)([eE][-+]?\d++)?")

# The state of a node: what was read of it last.
FRESH, CLOSED, NAMED, COLON, DONE = "nothing", "its children", "its label", "a colon", "its length"


def read_newick(content: Content) -> ParsedEdges:
    """The edges of the trees in the file; InputError if two nodes have the same label.

    >>> read_newick(Content("a.nwk", ".nwk", b"((poodle,'hot dog'):0.1,cat)animal;")).parents
    ['node_1', 'node_1', 'animal', 'animal']
    """
    text = text_of(content, "a tree such as (poodle,beagle)dog;")
    if text.lstrip().startswith("<"):
        raise InputError(f"{content.label}:1: is XML, not Newick; write the tree as (poodle,beagle)dog; instead")
    forest = _Forest(content.label, text)
    names = forest.names()
    return ParsedEdges(content.label, [names[row] for row in forest.parents], [names[row] for row in forest.children])


class _Forest:
    """The nodes in the order in which they open, with label and position in the text, and the edges by number."""

    def __init__(self, label: str, text: str) -> None:
        self.label, self.text = label, text
        self.labels: list[str] = []
        self.positions: list[int] = []
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
                    self.positions[row],
                    f"there is a node {short(label)!r} already, in line {self._line(self.positions[first[label]])}; "
                    "give each node its own name",
                )
        free = (name for name in map("node_{}".format, count(1)) if name not in first)
        return [label or next(free) for label in self.labels]

    def _read(self) -> None:
        act: dict[str, Callable[[int], None]]
        act = {"(": self._open, ",": self._next, ")": self._close, ":": self._colon, ";": self._end}
        with Step("reading", len(self.text), lambda: self.positions[-1]):
            for token, position in self._tokens():
                if token in act:
                    act[token](position)
                else:
                    self._word(token, position)
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

    def _begin(self, position: int) -> None:
        self._node, self._state = len(self.labels), FRESH
        self.labels.append("")
        self.positions.append(position)

    def _word(self, token: str, position: int) -> None:
        if self._state == COLON:
            if not NUMBER.fullmatch(token):
                raise self._error(position, f"the length of a branch is {short(token, 40)!r}; it should be a number")
            self._state = DONE
            return
        if self._state not in (FRESH, CLOSED):
            raise self._error(position, f"{short(token, 40)!r} follows {self._state}; a comma or a quote is missing")
        if token == "''":
            return
        if token[0] == "'":
            self.labels[self._node] = token[1:-1].replace("''", "'")
        elif self._state == FRESH or not NUMBER.fullmatch(token):
            self.labels[self._node] = token
        self.positions[self._node] = position
        self._state = NAMED

    def _open(self, position: int) -> None:
        if self._state != FRESH:
            raise self._error(position, "a ( follows a node; put a comma between them")
        self._above.append(self._node)
        self._begin(position + 1)

    def _next(self, position: int) -> None:
        self._finish(position)
        self._begin(position + 1)

    def _close(self, position: int) -> None:
        self._finish(position)
        self._node, self._state = self._above.pop(), CLOSED

    def _finish(self, position: int) -> None:
        if not self._above:
            raise self._error(position, f"a {self.text[position]} is outside all parentheses; add the ( or remove it")
        self._check_complete(position)
        self.parents.append(self._above[-1])
        self.children.append(self._node)

    def _colon(self, position: int) -> None:
        if self._state in (COLON, DONE):
            raise self._error(position, "a node has a second colon; remove it")
        self._check_name(position)
        self._state = COLON

    def _end(self, position: int) -> None:
        if self._above:
            raise self._error(position, "the tree ends before all of its parentheses are closed; add the )")
        self._check_complete(position)
        self._begin(position + 1)

    def _check_complete(self, position: int) -> None:
        if self._state == COLON:
            raise self._error(position, "a branch has no length after its colon; write it or remove the colon")
        self._check_name(position)

    def _check_name(self, position: int) -> None:
        if self._state == FRESH:
            raise self._error(position, "a leaf has no name; give it one")

    def _line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def _error(self, position: int, problem: str) -> InputError:
        column = position - self.text.rfind("\n", 0, position)
        return InputError(f"{self.label}:{self._line(position)}: at character {column:,}: {problem}")
