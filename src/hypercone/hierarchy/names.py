"""What a node may be called, and which name was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from hypercone.errors import HierarchyError, UnknownNameError, short, unknown_name, visible

FORBIDDEN = {"\t": "a tab", "\n": "a line break", "\r": "a carriage return", "\0": "a NUL character"}


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


def row_index(given: Iterable[str], names: Sequence[str]) -> dict[str, int]:
    """The row of each of ``names``, which are the names ``given``; HierarchyError if two are the same."""
    if isinstance(given, NameIndex):
        # Distinct by its making. A plain copy, since looking up a stranger must not add it.
        return dict(given)
    index = dict(zip(names, range(len(names)), strict=True))
    if len(index) < len(names):
        twice = next(name for row, name in enumerate(names) if index[name] != row)
        raise HierarchyError(f"two rows are named {short(twice)!r}; every node needs its own name")
    return index


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
