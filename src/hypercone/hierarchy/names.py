"""Names and labels of nodes: validation, the rows of each, and search."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain, compress, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.errors import HierarchyError, InputError, plural, short

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
            # The keys of a dict are unique.
            names.close()
            checked.row_of = names
        elif len(checked.row_of) < len(checked):
            raise _duplicate_name(next(name for row, name in enumerate(checked) if checked.row_of[name] != row))
        return checked

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each name."""
        return dict(zip(self, range(len(self)), strict=True))

    @cached_property
    def by_text(self) -> TextIndex:
        """The row of each name, also without regard to case."""
        return TextIndex(partial(_rows_and_texts, self), self.row_of)

    @cached_property
    def parts(self) -> TextIndex:
        """The rows of each name that a node was condensed from, and of the last part of each name that is an address.

        >>> NodeNames(["a = b", "http://example.org/zoo#Dog"]).parts.exact("Dog")
        [1]
        """
        return TextIndex(self._rows_and_parts)

    def _rows_and_parts(self) -> Iterator[tuple[int, str]]:
        for row, name in enumerate(self):
            if JOINER in name:
                for part in dict.fromkeys(name.split(JOINER)):
                    yield row, part
            elif "://" in name and " " not in name:
                yield row, name[max(name.rfind("#"), name.rfind("/")) + 1 :]

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


class NameIndex(defaultdict[str, int]):
    """The row of each name. Looking up a new name gives it the next row, until the index is closed.

    >>> index = NameIndex()
    >>> [index[name] for name in ("dog", "cat", "dog")]
    [0, 1, 0]
    """

    def __init__(self) -> None:
        # A method in Python would be called for each new name, which takes three times as long.
        super().__init__(count().__next__)

    def close(self) -> None:
        """From now on, looking up a new name is a KeyError, as in any dict."""
        self.default_factory = None

    def __reduce__(self) -> tuple[type, tuple[dict[str, int]]]:
        # Copied and sent to other processes as an ordinary dict.
        return dict, (dict(self),)

    def __copy__(self) -> dict[str, int]:  # type: ignore[override]
        return dict(self)


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


def is_usable(name: str) -> bool:
    r"""Whether this is a valid name of a node.

    >>> is_usable("white pelican"), is_usable("white\tpelican")
    (True, False)
    """
    return bool(name) and not any(mark in name for mark in INVALID_CHARACTERS) and _is_utf8(name)


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


class TextIndex:
    """The rows of texts; a row may have several texts, and a text several rows.

    The texts are read when they are first needed. The texts in normal form, or without regard to case, are stored only
    where they differ from the texts, which are few.

    >>> index = TextIndex(lambda: enumerate(["Dog", "dog", "cat"]))
    >>> index.exact("Dog"), index.in_any_case("DOG"), index.in_any_case("CAT"), index.exact("owl")
    ([0], [0, 1], [2], [])
    """

    def __init__(self, texts: Callable[[], Iterable[tuple[int, str]]], row_of: dict[str, int] | None = None) -> None:
        """``texts`` gives (row, text); ``row_of`` has the row of each text if all are different."""
        self._texts = texts
        if row_of is not None:
            vars(self)["_rows"] = _TextRows(row_of, {})

    def exact(self, text: str) -> list[int]:
        """The rows of this very text, ascending."""
        return self._rows.of(text)

    def normal(self, text: str) -> list[int]:
        """The rows of the texts that have the same Unicode normal form NFC."""
        text = as_nfc(text)
        return _distinct(self._rows.of(text), self._changed_by_nfc.of(text))

    def in_any_case(self, text: str) -> list[int]:
        """The rows of the texts that differ at most in case."""
        text = without_case(text)
        return _distinct(self._rows.of(text), self._changed_by_case.of(text))

    @cached_property
    def _rows(self) -> _TextRows:
        return _TextRows.of_texts(self._texts())

    @cached_property
    def _changed_by_nfc(self) -> _TextRows:
        others = ((row, text) for row, text in self._texts() if not unicodedata.is_normalized("NFC", text))
        return _TextRows.of_texts((row, as_nfc(text)) for row, text in others)

    @cached_property
    def _changed_by_case(self) -> _TextRows:
        folded = ((row, text, without_case(text)) for row, text in self._texts())
        return _TextRows.of_texts((row, fold) for row, text, fold in folded if fold != text)


class _TextRows(NamedTuple):
    """The first row of each text, and further rows of those that have several: less memory than a list for each."""

    first: dict[str, int]
    more: dict[str, list[int]]

    @classmethod
    def of_texts(cls, texts: Iterable[tuple[int, str]]) -> _TextRows:
        found = cls({}, {})
        for row, text in texts:
            if text and found.first.setdefault(text, row) != row and found.more.get(text, [-1])[-1] != row:
                found.more.setdefault(text, []).append(row)
        return found

    def of(self, text: str) -> list[int]:
        row = self.first.get(text)
        return [] if row is None else [row, *self.more.get(text, ())]


def as_nfc(text: str) -> str:
    """The text in the Unicode normal form NFC, in which a letter with an accent is one character."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def without_case(text: str) -> str:
    """The text for a comparison without regard to case.

    >>> without_case("Straße") == without_case("STRASSE")
    True
    """
    return text.lower() if text.isascii() else as_nfc(as_nfc(text).casefold())


def _rows_and_texts(texts: Sequence[str]) -> Iterable[tuple[int, str]]:
    return enumerate(texts)


def _distinct(rows: list[int], more: list[int]) -> list[int]:
    return sorted({*rows, *more}) if more else rows


# Joins the names, and the labels, of the nodes that were condensed into one.
JOINER = " = "


class Labels:
    """The label of each row; empty for a row without one.

    >>> Labels(["heart", "", "Heart"]).rows_of("heart")
    [0]
    >>> Labels(["heart", "", "Heart"]).rows_of("HEART")
    [0, 2]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Runs of white space become one space, because a label is one line of a file."""
        self.texts = tuple(as_one_line(text) for text in texts)

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
        return self.by_text.exact(text) or self.by_text.in_any_case(text)

    def part(self, is_included: Iterable[bool]) -> Labels:
        """The labels of the included rows."""
        return Labels(compress(self.texts, is_included))

    @cached_property
    def by_text(self) -> TextIndex:
        """The rows of each label."""
        return TextIndex(partial(_rows_and_texts, self.texts))


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


NO_MATCH = np.iinfo(np.int64).max


class SearchText:
    """All names, labels and other names as one text, for substring search without a loop over them.

    >>> kinds = SearchText(["dog", "cat", "hot dog", "dogma"], Labels(["", "DOG", "sausage", ""]), [(3, "creed")])
    >>> kinds.search("Dog").tolist(), kinds.search("s").tolist(), kinds.search("cre").tolist()
    ([0, 1, 3, 2], [2], [3])
    """

    def __init__(self, names: Sequence[str], labels: Labels | None, others: Iterable[tuple[int, str]] = ()) -> None:
        """``others`` are further names, such as synonyms, with their rows."""
        others, labeled = list(others), labels.texts if labels else ()
        lines = [line.casefold().encode() for line in chain(names, labeled, (text for _, text in others))]
        self._size, self._single = len(names), len(names) + len(labeled)
        self._owners = np.fromiter((row for row, _ in others), np.int64, len(others))
        self._text = np.frombuffer(b"\n".join(lines) + b"\n", np.uint8)
        self._lengths = np.fromiter(map(len, lines), np.int64, len(lines))
        self._starts = np.cumsum(self._lengths + 1) - self._lengths - 1

    def search(self, text: str) -> Rows:
        """The rows with the text in a name, ignoring case: equal ones first, then prefixes, then others.

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
        labels, others = np.searchsorted(lines, [self._size, self._single])
        rows = np.concatenate([lines[:others] % max(1, self._size), self._owners[lines[others:] - self._single]])
        # One sort key: the kind of match, the length of the line, the row.
        keys = (is_part << 61) | (np.minimum(self._lengths[lines], 1 << 28) << 32) | rows
        best = np.full(self._size, NO_MATCH)
        best[rows[:labels]] = keys[:labels]
        best[rows[labels:others]] = np.minimum(best[rows[labels:others]], keys[labels:others])
        # A row may have several other names.
        np.minimum.at(best, rows[others:], keys[others:])
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


def as_one_line(text: str) -> str:
    r"""The text with one space for each run of white space, and without what a file of lines cannot hold.

    >>> as_one_line("  white\n pelican")
    'white pelican'
    """
    # Splitting a million labels takes a second, and few need it.
    if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    return " ".join(text.replace("\0", " ").encode(errors="replace").decode().split())
