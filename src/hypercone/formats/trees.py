"""Trees as text: Newick, paths (animal > dog > poodle) and outlines by indentation.

In Newick, inner nodes without a label, or with a bare number (the support of a branch, not a name), are named
``node_1``, ``node_2``, … in the order in which they open. In paths and outlines, a node is named by its id, if the line
has one, or else by its path, and labeled by its own text: the same text in two branches is two nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, dropwhile
from operator import itemgetter

import numpy as np

from hypercone.errors import InputError, option, short
from hypercone.formats.parsed import LONGEST_NAME, EdgeCollector, ParsedEdges, numbered_by_appearance
from hypercone.formats.source import Content, text_of
from hypercone.progress import Step, track_progress

# The last alternative matches an unpaired quote or bracket, so that the search for its partner is not repeated.
TOKEN = re.compile(r"\s+|\[[^\]]*\]|[(),:;]|'[^']*(?:''[^']*)*'|[^\s()\[\]',:;]+|['\[\]]")
# Parentheses or a comma, and the label and length that follow without quotes and comments, as in most of most files.
PIECE = re.compile(r"(\(++|\)++|,)\s*+([^\s()\[\]',:;]*+)\s*+(?::([-+\d.eE]++)\s*+)?+(?=[(),;])")
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
    names, edges = forest.names(), np.array([forest.parents, forest.children], np.int32).T
    return ParsedEdges(
        content.label,
        [names[row] for row in forest.parents],
        [names[row] for row in forest.children],
        numbered=numbered_by_appearance(names, edges),
    )


class _Forest:
    """The nodes in the order in which they open, with label and position in the text, and the edges by number."""

    def __init__(self, label: str, text: str) -> None:
        self.label, self.text = label, text
        self.labels: list[str] = []
        self.positions: list[int] = []
        self.parents: list[int] = []
        self.children: list[int] = []
        self._above: list[int] = []
        self._node, self._state = 0, FRESH
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
        free: Iterator[str] = map("node_{}".format, count(1))
        if any(label.startswith("node_") for label in first):
            free = (name for name in free if name not in first)
        return [label or next(free) for label in self.labels]

    def _read(self) -> None:
        act: dict[str, Callable[[int], None]]
        act = {"(": self._open, ",": self._next, ")": self._close, ":": self._colon, ";": self._end}
        position = 0
        with Step("reading", len(self.text), lambda: self.positions[-1]):
            while (position := self._read_pieces(position)) < len(self.text):
                token, position = self._token(position)
                if token in act:
                    act[token](position - 1)
                elif token:
                    self._word(token, position - len(token))
        if self._above or self._state != FRESH:
            raise self._error(len(self.text) - 1, "the file ends before the tree does; a tree ends in a semicolon")
        self.labels.pop()

    def _token(self, position: int) -> tuple[str, int]:
        """The next token, empty if it is a comment or white space, and the position behind it."""
        match = TOKEN.match(self.text, position)
        assert match, "every character begins a token"
        token = match[0]
        if token in ("'", "[", "]"):
            raise self._error(position, f"a {token} is never matched by another; add it or remove this one")
        return "" if token[0] == "[" or token.isspace() else token, match.end()

    def _read_pieces(self, position: int) -> int:
        """Read as many pieces as are as usual, and return the position behind them; the rest goes token by token.

        The same as ``_open``, ``_next``, ``_close`` and ``_word`` would do, for all parentheses of a run at once.
        """
        match_at, is_number = PIECE.match, NUMBER.fullmatch
        labels, positions, above, node, state = self.labels, self.positions, self._above, self._node, self._state
        while piece := match_at(self.text, position):
            marks, word, length = piece.groups()
            mark = marks[0]
            if length and not word and mark != ")":
                break
            if mark == "(":
                if state != FRESH:
                    break
                size = len(marks)
                above.extend(range(node, node + size))
                labels.extend([""] * size)
                positions.extend(range(position + 1, position + size + 1))
                node += size
            elif state in (FRESH, COLON) or len(marks) > len(above):
                break
            elif mark == ",":
                self.parents.append(above[-1])
                self.children.append(node)
                node, state = len(labels), FRESH
                labels.append("")
                positions.append(position + 1)
            else:
                for _ in marks:
                    self.children.append(node)
                    node = above.pop()
                    self.parents.append(node)
                state = CLOSED
            if word:
                if state == FRESH or not is_number(word):
                    labels[node] = word
                positions[node] = piece.start(2)
                state = NAMED
            if length:
                if not is_number(length):
                    raise self._length_error(piece.start(3), length)
                state = DONE
            position = piece.end()
        self._node, self._state = node, state
        return position

    def _begin(self, position: int) -> None:
        self._node, self._state = len(self.labels), FRESH
        self.labels.append("")
        self.positions.append(position)

    def _word(self, token: str, position: int) -> None:
        if self._state == COLON:
            if not NUMBER.fullmatch(token):
                raise self._length_error(position, token)
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

    def _length_error(self, position: int, length: str) -> InputError:
        return self._error(position, f"the length of a branch is {short(length, 40)!r}; it should be a number")

    def _line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def _error(self, position: int, problem: str) -> InputError:
        column = position - self.text.rfind("\n", 0, position)
        return InputError(f"{self.label}:{self._line(position)}: at character {column:,}: {problem}")


# With a lookahead for the white space, so that an empty name between two separators is found.
SEPARATOR = re.compile(r"\s>(?=\s)")
JOINED = " > "
# A number before " - " as in Google's taxonomy, or an id before " : " as in Shopify's, which is more than a word.
IDS = (re.compile(r"([0-9]++)\s++-\s++(\S.*)"), re.compile(r"([^\W\d_]*+(?:[\d_]|[^\w\s])\S*+)\s++:\s++(\S.*)"))


def read_paths(content: Content, *, merge_names: bool = False) -> ParsedEdges:
    r"""The edges of all paths, each once. Skips blank lines and, at the top, lines that begin with ``#``.

    >>> read_paths(Content("a", "", b"animal > dog > poodle\nanimal > cat")).children
    ['animal > dog', 'animal > dog > poodle', 'animal > cat']
    >>> read_paths(Content("a", "", b"7 - animal\n12 - animal > dog")).children
    ['12']
    """
    found = _PathNodes(content, merge_names)
    lines, id_of = _split_off_ids(content.label, _lines_of_paths(content))
    for number, line in track_progress(lines, "reading", len(lines)):
        path = _names_of_path(line)
        if "" in path:
            raise InputError(
                f"{content.label}:{number}: a name is missing beside a > in {short(line, 40)!r}; "
                "write it or remove the >"
            )
        name = found.add_root(path[0], number)
        for word in path[1:]:
            name = found.add_below(name, word, number)
    return found.parsed_edges(id_of)


def _lines_of_paths(content: Content) -> list[tuple[int, str]]:
    """The lines that hold a path, with their numbers."""
    text = text_of(content, "one path per line, such as animal > dog > poodle")
    lines = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
    return [*dropwhile(lambda numbered: numbered[1].startswith("#"), filter(itemgetter(1), lines))]


def _names_of_path(written: str) -> list[str]:
    return [name.strip() for name in SEPARATOR.split(f" {written} ")]


def read_indented(content: Content, *, merge_names: bool = False) -> ParsedEdges:
    r"""The edges from each line to the lines indented one level deeper below it; skips blank lines.

    >>> read_indented(Content("a", "", b"animal\n  dog\n    poodle\n  cat\n")).parents
    ['animal', 'animal > dog', 'animal']
    """
    found = _PathNodes(content, merge_names)
    levels: list[str] = []
    above: list[str] = []
    lines = text_of(content, "one name per line, each level indented further").split("\n")
    for number, line in enumerate(track_progress(lines, "reading", len(lines)), 1):
        word = line.strip()
        if not word:
            continue
        level = _level(content.label, number, line, levels)
        del levels[level:], above[level:]
        name = found.add_below(above[-1], word, number) if above else found.add_root(word, number)
        levels.append(line[: len(line) - len(line.lstrip())])
        above.append(name)
    return found.parsed_edges({})


# Names repeat the path of each node; together they may have so many characters, or so many times those of the file.
MOST_CHARACTERS, MOST_TIMES = 2**28, 20


class _PathNodes:
    """Nodes named by their path from a root and labeled by its last element; with ``merge_names``, by that element."""

    def __init__(self, content: Content, merge_names: bool) -> None:
        self._label, self._merge_names = content.label, merge_names
        self._edges = EdgeCollector(content.label)
        self._words: dict[str, str] = {}
        self._used, self._most = 0, max(MOST_CHARACTERS, MOST_TIMES * len(content.data))

    def add_root(self, word: str, line: int) -> str:
        """The name of a node without a parent."""
        self._add_word(word, word, line)
        self._edges.add_node(word)
        return word

    def add_below(self, parent: str, word: str, line: int) -> str:
        """The name of a node below this parent."""
        name = word if self._merge_names else f"{parent}{JOINED}{word}"
        self._add_word(name, word, line)
        self._edges.add(parent, name, line)
        return name

    def parsed_edges(self, id_of: Mapping[str, str]) -> ParsedEdges:
        """The edges and labels; nodes that have an id are named by it."""
        parsed = self._edges.parsed_edges()
        if self._merge_names:
            return parsed
        labels = {id_of.get(name, name): word for name, word in self._words.items()}
        if len(labels) < len(self._words):
            unnamed = {name for name in self._words if name not in id_of}
            both = next(name for name in id_of.values() if name in unnamed)
            raise InputError(f"{self._label}: {short(both)!r} is an id and also a path without one; change the id")
        if not id_of:
            return replace(parsed, labels=labels)
        parents, children = ([id_of.get(name, name) for name in side] for side in (parsed.parents, parsed.children))
        return replace(parsed, parents=parents, children=children, labels=labels)

    def _add_word(self, name: str, word: str, line: int) -> None:
        if self._merge_names:
            return
        if name not in self._words:
            self._used += len(name)
            if len(name) > LONGEST_NAME or self._used > self._most:
                raise InputError(
                    f"{self._label}:{line}: the path to {short(word, 30)!r} is too long for a name ({len(name):,} "
                    f"characters, the paths so far {self._used:,}); read it with {option('merge_names', True)}"
                )
        if self._words.setdefault(name, word) != word:
            raise InputError(
                f"{self._label}:{line}: two nodes would have the name {short(name)!r}, as there is a > in a text; "
                "change that text"
            )


def _split_off_ids(label: str, lines: list[tuple[int, str]]) -> tuple[list[tuple[int, str]], dict[str, str]]:
    """The lines without their ids, and the id of each path; the lines as they are if they have no ids.

    They have ids if each line begins with one and each path has its own. Where only a few lines break this rule, that
    is a mistake in the file; where more do, what looks like an id is a part of a name.
    """
    for pattern in IDS:
        without = [at for at, (_, line) in enumerate(lines) if not pattern.fullmatch(line)]
        if without and _are_few(len(without), lines):
            number, line = lines[without[0]]
            first, with_id = lines[1 if without[0] == 0 else 0]
            raise InputError(
                f"{label}:{number}: {short(line, 40)!r} has no id, but line {first} has one, "
                f"{short(with_id, 40)!r}; give every line one, or none"
            )
        if not without:
            found = _LineIds(label)
            paths = [(number, found.add(number, *pattern.findall(line)[0])) for number, line in lines]
            if not found.problems:
                return paths, found.id_of
            if _are_few(len(found.problems), lines):
                raise InputError(found.problems[0])
    return lines, {}


def _are_few(count: int, lines: Sequence[object]) -> bool:
    return 10 * count < len(lines)


class _LineIds:
    """The ids at the beginning of lines, and sentences on those that are not of exactly one path."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._line_of: dict[str, int] = {}
        self.id_of: dict[str, str] = {}
        self.problems: list[str] = []

    def add(self, number: int, own_id: str, written: str) -> str:
        """Note that a path has this id; returns the path as it is written."""
        path = JOINED.join(_names_of_path(written))
        if own_id in self._line_of and self.id_of.get(path) != own_id:
            self.problems.append(
                f"{self._label}:{number}: the id {short(own_id)!r} is that of line {self._line_of[own_id]}, which has "
                "another path; give each path its own id"
            )
        elif self.id_of.setdefault(path, own_id) != own_id:
            other = self.id_of[path]
            self.problems.append(
                f"{self._label}:{number}: the path {short(path)!r} has the id {short(other)!r} on line "
                f"{self._line_of[other]} and here another; give each path one id"
            )
        else:
            self._line_of.setdefault(own_id, number)
        return written


def _level(label: str, number: int, line: str, levels: list[str]) -> int:
    """The number of open lines that are ancestors of this one."""
    indent = line[: len(line) - len(line.lstrip())]
    if indent in levels:
        return levels.index(indent)
    if not levels or (indent.startswith(levels[-1]) and len(indent) > len(levels[-1])):
        return len(levels)
    if len(indent) > len(levels[-1]):
        problem = "mixes tabs and spaces, so that its level is ambiguous"
    else:
        problem = "goes back to an indentation that no line above it has"
    raise InputError(f"{label}:{number}: {short(line.strip(), 40)!r} {problem}; indent it like its siblings")
