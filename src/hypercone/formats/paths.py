"""Paths (animal > dog > poodle) and outlines by indentation.

A node is named by its id, if the line has one, or else by its path, and labeled by its own text: the same text in two
branches is two nodes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import dropwhile
from operator import itemgetter

from hypercone.errors import InputError, option, short
from hypercone.formats.parsed import LONGEST_NAME, EdgeCollector, ParsedEdges
from hypercone.formats.source import Content, text_of
from hypercone.progress import track_progress

# With a lookahead for the white space, so that an empty name between two separators is found.
SPACED = re.compile(r"\s>(?=\s)")
JOINED = " > "
# Tried in this order where no line has a > between spaces.
MARKS = ("::", "/", ">", "»", "›")
# Arrows and tags, which are neither names nor separators of paths.
NOT_PATHS = re.compile(r"[<{]|[-=]>|>=|://")
# A number before " - " as in Google's taxonomy, or an id before " : " as in Shopify's, which is more than a word.
IDS = (re.compile(r"([0-9]++)\s++-\s++(\S.*)"), re.compile(r"([^\W\d_]*+(?:[\d_]|[^\w\s])\S*+)\s++:\s++(\S.*)"))

# Each line that holds a path, with its number.
Lines = list[tuple[int, str]]


def read_paths(content: Content, *, merge_names: bool = False) -> ParsedEdges:
    r"""The edges of all paths, each once. Skips blank lines and, at the top, lines that begin with ``#``.

    >>> read_paths(Content("a", "", b"animal > dog > poodle\nanimal > cat")).children
    ['animal > dog', 'animal > dog > poodle', 'animal > cat']
    >>> read_paths(Content("a", "", b"7 - animal\n12 - animal > dog")).children
    ['12']
    >>> read_paths(Content("a", "", b"animal/dog/poodle\nanimal/cat")).parents
    ['animal', 'animal > dog', 'animal']
    """
    text = text_of(content, "one path per line, such as animal > dog > poodle")
    stripped = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
    lines = [*dropwhile(lambda numbered: numbered[1].startswith("#"), filter(itemgetter(1), stripped))]
    mark = find_mark([line for _, line in lines])
    paths, id_of = _split_off_ids(content.label, lines, mark)
    shape = f"paths, A{mark}B{mark}C" + (" with ids" if id_of else "")
    return _edges(content.label, paths, mark, id_of, merge_names, shape)


def edges_of_paths(
    label: str, lines: Lines, ids: Sequence[str] | None, *, merge_names: bool = False, shape: str = ""
) -> ParsedEdges:
    """The edges of paths in a table, of which each may have an id.

    >>> edges_of_paths("a.csv", [(2, "animal"), (3, "animal > dog")], ["7", "8"]).children
    ['8']
    """
    mark = find_mark([line for _, line in lines])
    found = _LineIds(label, mark)
    for (number, path), own_id in zip(lines, ids or (), strict=ids is not None):
        if own_id:
            found.add(number, own_id, path)
    if found.problems:
        raise InputError(found.problems[0])
    return _edges(label, [line for line in lines if line[1]], mark, found.id_of, merge_names, shape)


def has_paths(texts: Sequence[str]) -> bool:
    """Whether any of these texts is a path with a > between spaces.

    >>> has_paths(["animal", "animal > dog"]), has_paths(["animal"])
    (True, False)
    """
    return any(SPACED.search(text) for text in texts)


def find_mark(lines: Sequence[str]) -> str:
    """What separates the names of these paths: a > between spaces, or else the mark that most lines have.

    >>> find_mark(["a/b > c"]), find_mark(["a", "a/b"]), find_mark(["a :: b/c", "a :: d"]), find_mark(["a -> b"])
    (' > ', '/', '::', ' > ')
    """
    if has_paths(lines) or any(NOT_PATHS.search(line) for line in lines):
        return JOINED
    counts = {mark: sum(mark in line for line in lines) for mark in MARKS}
    most = max(MARKS, key=lambda mark: counts[mark])
    return most if counts[most] else JOINED


def _names_of_path(written: str, mark: str) -> list[str]:
    if mark == JOINED:
        return [name.strip() for name in SPACED.split(f" {written} ")]
    if mark == "/":
        # As in a file system, where a path may begin or end with the separator.
        written = written.removeprefix(mark).removesuffix(mark)
    return [name.strip() for name in written.split(mark)]


def _edges(label: str, lines: Lines, mark: str, id_of: Mapping[str, str], merge_names: bool, shape: str) -> ParsedEdges:
    found = PathNodes(label, sum(len(line) + 1 for _, line in lines), merge_names)
    sign = mark.strip()
    for number, line in track_progress(lines, "reading", len(lines)):
        path = _names_of_path(line, mark)
        if "" in path:
            raise InputError(
                f"{label}:{number}: a name is missing beside a {sign} in {short(line, 40)!r}; "
                f"write it or remove the {sign}"
            )
        name = found.add_root(path[0], number)
        for word in path[1:]:
            name = found.add_below(name, word, number)
    return found.parsed_edges(id_of, shape=shape)


def read_indented(content: Content, *, merge_names: bool = False) -> ParsedEdges:
    r"""The edges from each line to the lines indented one level deeper below it; skips blank lines.

    >>> read_indented(Content("a", "", b"animal\n  dog\n    poodle\n  cat\n")).parents
    ['animal', 'animal > dog', 'animal']
    """
    found = PathNodes(content.label, len(content.data), merge_names)
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


class PathNodes:
    """Nodes named by their path from a root and labeled by its last element; with ``merge_names``, by that element."""

    def __init__(self, label: str, size: int, merge_names: bool, *, has_lines: bool = True) -> None:
        """``size`` is that of the file, which limits the length of all names together."""
        self._label, self._merge_names, self._has_lines = label, merge_names, has_lines
        self._edges = EdgeCollector(label)
        self._words: dict[str, str] = {}
        self._used, self._most = 0, max(MOST_CHARACTERS, MOST_TIMES * size)

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

    def parsed_edges(self, id_of: Mapping[str, str], *, notes: tuple[str, ...] = (), shape: str = "") -> ParsedEdges:
        """The edges and labels; nodes that have an id are named by it."""
        parsed = self._edges.parsed_edges()
        lines = parsed.lines if self._has_lines else None
        parsed = replace(parsed, lines=lines, notes=parsed.notes + notes, shape=shape)
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

    def _place(self, line: int) -> str:
        return f"{self._label}:{line}" if self._has_lines else self._label

    def _add_word(self, name: str, word: str, line: int) -> None:
        if self._merge_names:
            return
        if name not in self._words:
            self._used += len(name)
            if len(name) > LONGEST_NAME or self._used > self._most:
                raise InputError(
                    f"{self._place(line)}: the path to {short(word, 30)!r} is too long for a name ({len(name):,} "
                    f"characters, the paths so far {self._used:,}); read it with {option('merge_names', True)}"
                )
        if self._words.setdefault(name, word) != word:
            raise InputError(
                f"{self._place(line)}: two nodes would have the name {short(name)!r}, as there is a > in a text; "
                "change that text"
            )


def _split_off_ids(label: str, lines: Lines, mark: str) -> tuple[Lines, dict[str, str]]:
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
            found = _LineIds(label, mark)
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

    def __init__(self, label: str, mark: str) -> None:
        self._label, self._mark = label, mark
        self._line_of: dict[str, int] = {}
        self.id_of: dict[str, str] = {}
        self.problems: list[str] = []

    def add(self, number: int, own_id: str, written: str) -> str:
        """Note that a path has this id; returns the path as it is written."""
        path = JOINED.join(_names_of_path(written, self._mark))
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
