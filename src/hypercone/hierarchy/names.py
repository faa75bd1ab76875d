"""What a node may be called, its label beside its name, and which node was meant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress, islice

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.errors import HierarchyError, InputError, UnknownNameError, plural, short, unknown_name, visible

FORBIDDEN = {"\t": "a tab", "\n": "a line break", "\r": "a carriage return", "\0": "a NUL character"}


class NodeNames(tuple[str, ...]):
    """The name of each row, valid and unlike any other: checked when this is made, and trusted from then on.

    >>> NodeNames(["dog", "cat"]).row_of
    {'dog': 0, 'cat': 1}
    """

    def __new__(cls, names: Iterable[str]) -> NodeNames:
        """The names; HierarchyError if one is empty, not text, could not stand in a file, or is there twice."""
        if isinstance(names, NodeNames):
            return names
        made = super().__new__(cls, checked_names(names))
        if isinstance(names, NameIndex):
            # Different by its making. A copy, since looking up a name that is not there must not add it.
            made.row_of = dict(names)
        elif len(made.row_of) < len(made):
            raise _named_twice(next(name for row, name in enumerate(made) if made.row_of[name] != row))
        return made

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each name."""
        return dict(zip(self, range(len(self)), strict=True))

    def extended(self, more: Iterable[str]) -> NodeNames:
        """These names and, for the rows behind them, those; only the new ones are looked at.

        >>> NodeNames(["dog", "cat"]).extended(["owl"])
        ('dog', 'cat', 'owl')
        """
        added = NodeNames(more)
        twice = next((name for name in added if name in self.row_of), None)
        if twice is not None:
            raise _named_twice(twice)
        return super().__new__(NodeNames, (*self, *added))


def _named_twice(name: str) -> HierarchyError:
    return HierarchyError(f"two rows are named {short(name)!r}; every node needs its own name")


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names as a tuple; HierarchyError if one is empty, no text, or could not stand in a file."""
    names = tuple(names)
    # One pass over one long text is far faster than a look at a million names; the culprit is sought later.
    if not all(kind is str for kind in set(map(type, names))) or "" in names or _is_suspect(names):
        for name in names:
            _check(name)
        return tuple(map(str, names))
    return names


class NameIndex(dict[str, int]):
    """The row of each name. A name asked for the first time gets the next row.

    >>> index = NameIndex()
    >>> [index[name] for name in ("dog", "cat", "dog")]
    [0, 1, 0]
    """

    def __missing__(self, name: str) -> int:
        self[name] = row = len(self)
        return row


def rows_of_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[NameIndex, Rows]:
    """The names in the order of first appearance, and the pairs as rows.

    >>> rows_of_pairs([("a", "b"), ("a", "c")])[1].tolist()
    [[0, 1], [0, 2]]
    """
    return numbered(map(_two, pairs))


def numbered(pairs: Iterable[tuple[str, str]]) -> tuple[NameIndex, Rows]:
    """The same for pairs that are known to be pairs."""
    index = NameIndex()
    rows = np.fromiter(map(index.__getitem__, chain.from_iterable(pairs)), np.int32)
    return index, rows.reshape(-1, 2)


def _two(pair: tuple[str, str]) -> tuple[str, str]:
    if isinstance(pair, str) or len(pair) != 2:
        raise HierarchyError(f"{pair!r} is no edge; each must be two names, (parent, child)")
    return pair


def no_such_node(name: object, names: Sequence[str]) -> UnknownNameError:
    """The error for a node that is not there, with up to three that were probably meant.

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
    return unknown_name("node", short(name), map(visible, _lookalikes(name, names)))


def is_usable(name: str) -> bool:
    r"""Whether a node may have this name.

    >>> is_usable("white pelican"), is_usable("white\tpelican")
    (True, False)
    """
    return bool(name) and not any(mark in name for mark in FORBIDDEN) and _is_utf8(name)


def _lookalikes(name: str, names: Sequence[str], most: int = 3000) -> list[str]:
    # Comparing with a million names takes minutes; those of much the same length and first letter do not.
    if len(names) <= most:
        return list(names)
    near = (known for known in names if abs(len(known) - len(name)) <= 3)
    alike = (known for known in near if known[:1].casefold() == name[:1].casefold())
    return list(islice(alike, most))


def _is_suspect(names: Sequence[str]) -> bool:
    text = "\t".join(names)
    if text.count("\t") != max(0, len(names) - 1) or any(mark in text for mark in "\n\r\0"):
        return True
    return not text.isascii() and not _is_utf8(text)


def _check(name: object) -> None:
    if not isinstance(name, str):
        raise HierarchyError(f"{name!r} is no name, it is {type(name).__name__}; names are text, so use str(…)")
    if not name:
        raise HierarchyError("a node has an empty name; every node needs a name of at least one character")
    for mark, words in FORBIDDEN.items():
        if mark in name:
            raise HierarchyError(f"the name {short(name)!r} contains {words}, which no edge file can hold; replace it")
    if not _is_utf8(name):
        raise HierarchyError(f"the name {short(name)!r} contains half a character and cannot be written; replace it")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# How a node that stands for several is named, and how its label is put together.
SAME = " = "
SHOWN = 5


class Labels:
    """The label of each row, empty for a row that has none.

    >>> Labels(["heart", "", "Heart"]).rows_of("heart")
    [0]
    >>> Labels(["heart", "", "Heart"]).rows_of("HEART")
    [0, 2]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """White space inside a label becomes one space, for a label is one line of a file."""
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
        """These labels and, for the rows behind them, those."""
        both = Labels(())
        both.texts = self.texts + other.texts
        return both

    def rows_of(self, text: str) -> list[int]:
        """The rows with this label; if there are none, those whose label differs in case alone."""
        return self._exactly.get(text) or self._roughly.get(text.casefold(), [])

    def part(self, kept: Iterable[bool]) -> Labels:
        """The labels of some of the rows."""
        return Labels(compress(self.texts, kept))

    @cached_property
    def _exactly(self) -> dict[str, list[int]]:
        return _grouped(self.texts)

    @cached_property
    def _roughly(self) -> dict[str, list[int]]:
        return _grouped(text.casefold() for text in self.texts)


def checked_labels(labels: Labels | Iterable[str] | None, size: int) -> Labels | None:
    """The labels if each of so many rows has one, if only an empty one; None if no row is labelled."""
    if labels is None:
        return None
    labels = labels if isinstance(labels, Labels) else Labels(labels)
    if len(labels) != size:
        raise HierarchyError(
            f"there are {len(labels)} labels for {plural(size, 'node')}; give each one, or none at all"
        )
    return labels if any(labels.texts) else None


def find_row(name: object, row_of: Mapping[str, int], names: Sequence[str], labels: Labels | None) -> int:
    """The row of a node by its name or else its label; what is unknown or ambiguous is refused with the candidates."""
    if isinstance(name, list | tuple):
        raise InputError(f"{short(repr(name))} is a list of names; ask about one at a time")
    if isinstance(name, str):
        if name in row_of:
            return row_of[name]
        rows = (labels.rows_of(name) if labels else []) or _standing_for(name, names)
        if len(rows) == 1:
            return rows[0]
        if rows:
            raise _ambiguous(name, [names[row] for row in rows])
    known = [*names, *(text for text in labels.texts if text)] if labels else names
    raise no_such_node(name, known)


NOWHERE = np.iinfo(np.int64).max


class SearchText:
    """All names and labels as one text, so that a part of any is found without a look at each.

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
        """The rows with the text in their name or label, in any case: as the whole, as its beginning, anywhere.

        Of rows that are alike in this the shorter text comes first, then the earlier row.
        """
        part = text.casefold().encode()
        if not part:
            raise InputError("the text to search for is empty; give at least one character of a name or label")
        hits = self._places_of(part) if b"\n" not in part else np.empty(0, np.int64)
        lines = np.searchsorted(self._starts, hits, "right") - 1
        is_first = np.diff(lines, prepend=-1) > 0
        hits, lines = hits[is_first], lines[is_first]
        is_part = np.where(hits > self._starts[lines], 2, self._lengths[lines] > len(part))
        # One number to sort by: how much of the line it is, how long the line is, and which row.
        rows = lines % max(1, self._rows)
        keys = (is_part << 61) | (np.minimum(self._lengths[lines], 1 << 28) << 32) | rows
        best, labels = np.full(self._rows, NOWHERE), np.searchsorted(lines, self._rows)
        best[rows[:labels]] = keys[:labels]
        best[rows[labels:]] = np.minimum(best[rows[labels:]], keys[labels:])
        found: Rows = (np.sort(best[best != NOWHERE]) & 0xFFFFFFFF).astype(np.int32)
        return found

    def _places_of(self, part: bytes) -> NDArray[np.int64]:
        """Where the bytes begin; a byte after the other is compared in what is left."""
        last = len(self._text) - len(part)
        hits = np.flatnonzero(self._text[: max(0, last + 1)] == part[0])
        for offset, letter in enumerate(part[1:], 1):
            if not hits.size:
                break
            hits = hits[self._text[hits + offset] == letter]
        return hits


def _standing_for(name: str, names: Sequence[str]) -> list[int]:
    """The rows of nodes that were put together out of several, this one among them."""
    return [row for row, known in enumerate(names) if SAME in known and name in known.split(SAME)]


def _ambiguous(label: str, names: list[str]) -> InputError:
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return InputError(f"{label!r} is the label of {len(names)} nodes: {shown}; give one of these names")


def _grouped(texts: Iterable[str]) -> dict[str, list[int]]:
    groups = defaultdict(list)
    for row, text in enumerate(texts):
        if text:
            groups[text].append(row)
    return groups


def _one_line(text: str) -> str:
    # Splitting a million labels takes a second, and hardly any needs it.
    if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    return " ".join(text.replace("\0", " ").encode(errors="replace").decode().split())
