"""The text format of word2vec: a header with the size, then a word and its numbers on each line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hypercone.embedding.exports.table import Table, write_lines
from hypercone.errors import InputError


def write(table: Table, path: Path) -> None:
    """Write the lines; two names that would become one word are refused, for readers keep only the first."""
    write_lines(path, _lines(table, words_of(table.names)))


def words_of(names: Sequence[str]) -> list[str]:
    """The names with ``_`` for white space, which separates the columns here; InputError if two become the same.

    >>> words_of(["white pelican", "owl"])
    ['white_pelican', 'owl']
    >>> words_of(["white pelican", "white_pelican"])
    Traceback (most recent call last):
    hypercone.errors.InputError: 'white pelican' and 'white_pelican' would both be written white_pelican as word2vec \
text, which has no spaces in a name; rename one of them, or use another format
    """
    words = [re.sub(r"\s", "_", name) for name in names]
    if len(set(words)) < len(words):
        raise _merged(names, words)
    return words


def _merged(names: Sequence[str], words: list[str]) -> InputError:
    first: dict[str, str] = {}
    one, other, word = next(
        (earlier, name, word)
        for name, word in zip(names, words, strict=True)
        if (earlier := first.setdefault(word, name)) is not name
    )
    return InputError(
        f"{one!r} and {other!r} would both be written {word} as word2vec text, which has no spaces in a name;"
        " rename one of them, or use another format"
    )


def _lines(table: Table, words: list[str]) -> Iterator[str]:
    yield f"{len(words)} {len(table.columns)}"
    for word, numbers in zip(words, table.numbers(), strict=True):
        yield " ".join([word, *numbers])
