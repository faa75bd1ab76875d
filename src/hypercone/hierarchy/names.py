"""Names and labels of nodes: validation, lookup, search, and suggestions for unknown names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress, islice

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.errors import HierarchyError, InputError, UnknownNameError, plural, short, unknown_name, visible

INVALID_CHARACTERS = {"\t": "a tab", "\n": "a line break", "\r": "a carriage return", "\0": "a NUL character"}


class NodeNames(tuple[str, ...]):
    """The name of each row; validated and unique, so that an instance need not be checked again.

    >>> NodeNames(["dog", "cat"]).row_of
    {'dog': 0, 'cat': 1}
    """

    def __new__(cls, names: Iterable[str]) -> NodeNames:
        """The names; HierarchyError if one is empty, not text, not writable to a file, or a duplicate."""
        if isinstance(names, NodeNames):
            return names
        checked = super().__new__(cls, checked_names(names))
        if isinstance(names, NameIndex):
            # The keys of a dict are unique. Copied, because a lookup in a NameIndex would add the name.
            checked.row_of = dict(names)
        elif len(checked.row_of) < len(checked):
            raise _duplicate_name(next(name for row, name in enumerate(checked) if checked.row_of[name] != row))
        return checked

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each name."""
        return dict(zip(self, range(len(self)), strict=True))

    @cached_property
    def condensed(self) -> dict[int, list[str]]:
        """For each row whose node was made of a cycle, the names of its nodes."""
        return {row: name.split(JOINER) for row, name in enumerate(self) if JOINER in name}

    def extended_by(self, more: Iterable[str]) -> NodeNames:
        """These names followed by ``more``; only the new ones are validated.

        >>> NodeNames(["dog", "cat"]).extended_by(["owl"])
        ('dog', 'cat', 'owl')
        """
        added = NodeNames(more)
        duplicate = next((name for name in added if name in self.row_of), None)
        if duplicate is not None:
            raise _duplicate_name(duplicate)
        return super().__new__(NodeNames, (*self, *added))


def _duplicate_name(name: str) -> HierarchyError:
    return HierarchyError(f"two rows are named {short(name)!r}; every node needs its own name")


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names as a tuple; HierarchyError if one is empty, not text, or not writable to a file."""
    names = tuple(names)
    # One pass over the joined text is far faster than a check per name; the invalid name is searched only on failure.
    if not all(kind is str for kind in set(map(type, names))) or "" in names or _may_be_invalid(names):
        for name in names:
            _check(name)
        return tuple(map(str, names))
    return names


class NameIndex(dict[str, int]):
    """The row of each name. Looking up a new name gives it the next row.

    >>> index = NameIndex()
    >>> [index[name] for name in ("dog", "cat", "dog")]
    [0, 1, 0]
    """

    def __missing__(self, name: str) -> int:
        self[name] = row = len(self)
        return row


def rows_of_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[NameIndex, Rows]:
    """The names in order of first appearance, and the pairs as rows.

    >>> rows_of_pairs([("a", "b"), ("a", "c")])[1].tolist()
    [[0, 1], [0, 2]]
    """
    return number_names(map(_checked_pair, pairs))


def number_names(pairs: Iterable[tuple[str, str]]) -> tuple[NameIndex, Rows]:
    """The same, without checking that each pair has two elements."""
    index = NameIndex()
    rows = np.fromiter(map(index.__getitem__, chain.from_iterable(pairs)), np.int32)
    return index, rows.reshape(-1, 2)


def _checked_pair(pair: tuple[str, str]) -> tuple[str, str]:
    if isinstance(pair, str) or len(pair) != 2:
        raise HierarchyError(f"{pair!r} is not an edge; each edge is two names, (parent, child)")
    return pair


def no_such_node(name: object, names: Sequence[str]) -> UnknownNameError:
    """The error for an unknown node, with up to three suggestions.

    >>> str(no_such_node("dog", ["cat.n.01", "dog.n.01"]))
    "there is no node 'dog'; did you mean dog.n.01?"
    """
    name = str(name)
    longer = sorted(
        (known for known in names if name and known.startswith(name)), key=lambda known: (len(known), known)
    )
    if longer:
        return UnknownNameError(
            f"there is no node {short(name)!r}; did you mean {' or '.join(map(visible, longer[:3]))}?"
        )
    return unknown_name("node", short(name), map(visible, _similar_names(name, names)))


def is_usable(name: str) -> bool:
    r"""Whether this is a valid name of a node.

    >>> is_usable("white pelican"), is_usable("white\tpelican")
    (True, False)
    """
    return bool(name) and not any(mark in name for mark in INVALID_CHARACTERS) and _is_utf8(name)


def _similar_names(name: str, names: Sequence[str], most: int = 3000) -> list[str]:
    # Comparing with a million names takes minutes, so only names of similar length and same first letter are.
    if len(names) <= most:
        return list(names)
    near = (known for known in names if abs(len(known) - len(name)) <= 3)
    alike = (known for known in near if known[:1].casefold() == name[:1].casefold())
    return list(islice(alike, most))


def _may_be_invalid(names: Sequence[str]) -> bool:
    text = "\t".join(names)
    if text.count("\t") != max(0, len(names) - 1) or any(mark in text for mark in "\n\r\0"):
        return True
    return not text.isascii() and not _is_utf8(text)


def _check(name: object) -> None:
    if not isinstance(name, str):
        raise HierarchyError(f"{name!r} is not a name but {type(name).__name__}; names are text, so use str(…)")
    if not name:
        raise HierarchyError("a node has an empty name; every node needs a name of at least one character")
    for mark, words in INVALID_CHARACTERS.items():
        if mark in name:
            raise HierarchyError(
                f"the name {short(name)!r} contains {words}, which an edge file cannot hold; replace it"
            )
    if not _is_utf8(name):
        raise HierarchyError(f"the name {short(name)!r} contains half a character and cannot be written; replace it")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# Joins the names, and the labels, of the nodes that were condensed into one.
JOINER = " = "
SHOWN = 5


class Labels:
    """The label of each row; empty for a row without one.

    >>> Labels(["heart", "", "Heart"]).rows_of("heart")
    [0]
    >>> Labels(["heart", "", "Heart"]).rows_of("HEART")
    [0, 2]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Runs of white space become one space, because a label is one line of a file."""
        self.texts = tuple(_one_line(text) for text in texts)

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, row: int) -> str:
        return self.texts[row]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labels) and self.texts == other.texts

    def __hash__(self) -> int:
        return hash(self.texts)

    def __add__(self, other: Labels) -> Labels:
        """These labels followed by the others."""
        both = Labels(())
        both.texts = self.texts + other.texts
        return both

    def rows_of(self, text: str) -> list[int]:
        """The rows with this label; if there are none, those whose label differs only in case."""
        return self._rows_by_label.get(text) or self._rows_by_folded_label.get(text.casefold(), [])

    def part(self, is_included: Iterable[bool]) -> Labels:
        """The labels of the included rows."""
        return Labels(compress(self.texts, is_included))

    @cached_property
    def _rows_by_label(self) -> dict[str, list[int]]:
        return _rows_by_text(self.texts)

    @cached_property
    def _rows_by_folded_label(self) -> dict[str, list[int]]:
        return _rows_by_text(text.casefold() for text in self.texts)


def checked_labels(labels: Labels | Iterable[str] | None, size: int) -> Labels | None:
    """The labels, one per row; None if all are empty. HierarchyError if their number is not ``size``."""
    if labels is None:
        return None
    labels = labels if isinstance(labels, Labels) else Labels(labels)
    if len(labels) != size:
        raise HierarchyError(
            f"there are {len(labels)} labels for {plural(size, 'node')}; give each one, or none at all"
        )
    return labels if any(labels.texts) else None


def find_row(name: object, row_of: Mapping[str, int], names: Sequence[str], labels: Labels | None) -> int:
    """The row of a node by its name, else its label; an unknown or ambiguous name is an error with the candidates."""
    if isinstance(name, list | tuple):
        raise InputError(f"{short(repr(name))} is a list of names; ask about one at a time")
    if isinstance(name, str):
        rows = rows_called(name, row_of, names, labels)
        if len(rows) == 1:
            return rows[0]
        if rows:
            raise _ambiguous(name, [names[row] for row in rows])
    known = [*names, *(text for text in labels.texts if text)] if labels else names
    raise no_such_node(name, known)


def rows_called(name: str, row_of: Mapping[str, int], names: Sequence[str], labels: Labels | None) -> list[int]:
    """The rows that a text stands for: that of this name, else those of this label; empty if there are none."""
    if name in row_of:
        return [row_of[name]]
    return (labels.rows_of(name) if labels else []) or _rows_condensed_from(name, names)


NO_MATCH = np.iinfo(np.int64).max


class SearchText:
    """All names and labels as one text, for substring search without a loop over them.

    >>> kinds = SearchText(["dog", "cat", "hot dog", "dogma"], Labels(["", "DOG", "sausage", ""]))
    >>> kinds.search("Dog").tolist(), kinds.search("s").tolist(), kinds.search("owl").tolist()
    ([0, 1, 3, 2], [2], [])
    """

    def __init__(self, names: Sequence[str], labels: Labels | None) -> None:
        lines = [line.casefold().encode() for line in (*names, *(labels.texts if labels else ()))]
        self._rows, self._text = len(names), np.frombuffer(b"\n".join(lines) + b"\n", np.uint8)
        self._lengths = np.fromiter(map(len, lines), np.int64, len(lines))
        self._starts = np.cumsum(self._lengths + 1) - self._lengths - 1

    def search(self, text: str) -> Rows:
        """The rows whose name or label contains the text, ignoring case: equal ones first, then prefixes, then others.

        Ties are ordered by the length of the name or label, then by row.
        """
        part = text.casefold().encode()
        if not part:
            raise InputError("the text to search for is empty; give at least one character of a name or label")
        hits = self._positions_of(part) if b"\n" not in part else np.empty(0, np.int64)
        lines = np.searchsorted(self._starts, hits, "right") - 1
        is_first = np.diff(lines, prepend=-1) > 0
        hits, lines = hits[is_first], lines[is_first]
        is_part = np.where(hits > self._starts[lines], 2, self._lengths[lines] > len(part))
        # One sort key: the kind of match, the length of the line, the row.
        rows = lines % max(1, self._rows)
        keys = (is_part << 61) | (np.minimum(self._lengths[lines], 1 << 28) << 32) | rows
        best, labels = np.full(self._rows, NO_MATCH), np.searchsorted(lines, self._rows)
        best[rows[:labels]] = keys[:labels]
        best[rows[labels:]] = np.minimum(best[rows[labels:]], keys[labels:])
        found: Rows = (np.sort(best[best != NO_MATCH]) & 0xFFFFFFFF).astype(np.int32)
        return found

    def _positions_of(self, part: bytes) -> NDArray[np.int64]:
        """The offsets where the bytes occur; each further byte filters the candidates."""
        last = len(self._text) - len(part)
        hits = np.flatnonzero(self._text[: max(0, last + 1)] == part[0])
        for offset, letter in enumerate(part[1:], 1):
            if not hits.size:
                break
            hits = hits[self._text[hits + offset] == letter]
        return hits


def _rows_condensed_from(name: str, names: Sequence[str]) -> list[int]:
    """The rows of the condensed nodes that include this name."""
    return [row for row, parts in NodeNames(names).condensed.items() if name in parts]


def _ambiguous(label: str, names: list[str]) -> InputError:
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return InputError(f"{label!r} is the label of {len(names)} nodes: {shown}; give one of these names")


def _rows_by_text(texts: Iterable[str]) -> dict[str, list[int]]:
    groups = defaultdict(list)
    for row, text in enumerate(texts):
        if text:
            groups[text].append(row)
    return groups


def _one_line(text: str) -> str:
    # Splitting a million labels takes a second, and few need it.
    if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    return " ".join(text.replace("\0", " ").encode(errors="replace").decode().split())
