r"""The NCBI taxonomy as it is dumped: nodes.dmp, and names.dmp beside it for what the taxa are called.

Fields are separated by ``\t|\t`` and lines end in ``\t|``; the root is its own parent.
"""

from __future__ import annotations

import re
from itertools import compress
from typing import NamedTuple

from hypercone.errors import InputError, short
from hypercone.hierarchy.files import Content, beside
from hypercone.hierarchy.readers.notes import left_out
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.text import checked_utf8, text_of

NODE = re.compile(r"^([0-9]+)\t\|\t([0-9]+)\t\|(?:[^\n]*\t\|)?$", re.MULTILINE)
# In bytes, for one letter beyond Latin-1 would make the text of this largest of files twice or four times as long.
NAME = re.compile(rb"^([0-9]+)\t\|\t([^\t\n]*)\t\|\t[^\t\n]*\t\|\tscientific name\t\|", re.MULTILINE)
NAMES = "names.dmp"


def read(content: Content) -> Reading:
    r"""An edge for every taxon but the root; names are taxonomy ids, labels the scientific names.

    >>> read(Content("nodes.dmp", ".dmp", b"1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tdomain\t|\n")).children
    ['2']
    """
    taxa = _taxa(content)
    names = beside(content, NAMES)
    notes = left_out("parent", "not in the file", taxa.strangers)
    if names is None:
        notes += (f"there is no {NAMES} beside the file, so the taxa have no labels",)
    labels = {} if names is None else _labels(names)
    return Reading(content.label, taxa.parents, taxa.children, taxa.lines, labels, notes)


class _Taxa(NamedTuple):
    """The columns of nodes.dmp without the root, and the parents that have no line."""

    children: list[str]
    parents: list[str]
    lines: list[int]
    strangers: list[str]


def _taxa(content: Content) -> _Taxa:
    text = text_of(content, "a taxon a line: its id, its parent's id and its rank")
    found = NODE.findall(text)
    if len(found) != text.count("\n") + 1:
        raise _bad_line(content, text)
    defined = {child for child, _ in found}
    strangers = {parent for _, parent in found} - defined
    kept = [child != parent and parent not in strangers for child, parent in found]
    return _Taxa(
        [child for child, _ in compress(found, kept)],
        [parent for _, parent in compress(found, kept)],
        list(compress(range(1, len(found) + 1), kept)),
        sorted(strangers),
    )


def _labels(content: Content) -> dict[str, str]:
    found = NAME.finditer(checked_utf8(content))
    labels = {match[1].decode(): match[2].decode() for match in found}
    if not labels:
        raise InputError(f"{content.label}: holds no scientific name; fetch it again, or take it away")
    return labels


def _bad_line(content: Content, text: str) -> InputError:
    number, line = next(pair for pair in enumerate(text.split("\n"), 1) if not NODE.match(pair[1]))
    return InputError(
        f"{content.label}:{number}: expected a taxon's id, its parent's id and more, separated by \\t|\\t, "
        f"found {short(line, 40)!r}; give nodes.dmp as the NCBI dumps it"
    )
