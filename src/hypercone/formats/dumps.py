r"""Dumps of two well-known taxonomies: the NCBI taxonomy (nodes.dmp, names.dmp) and WordNet (data.noun, index.noun).

Fields are separated by ``\t|\t`` and lines end in ``\t|``; the root is its own parent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import compress
from typing import NamedTuple

from hypercone.errors import InputError, short
from hypercone.formats.parsed import ParsedEdges, left_out
from hypercone.formats.source import Content, beside, checked_utf8, text_of
from hypercone.progress import Step

NODE = re.compile(r"^([0-9]+)\t\|\t([0-9]+)\t\|(?:[^\n]*\t\|)?$", re.MULTILINE)
# In bytes, for one letter beyond Latin-1 would make the text of this largest of files twice or four times as long.
NAME = re.compile(rb"^([0-9]+)\t\|\t([^\t\n]*)\t\|\t[^\t\n]*\t\|\tscientific name\t\|", re.MULTILINE)
NAMES = "names.dmp"


def read_ncbi(content: Content) -> ParsedEdges:
    r"""An edge for every taxon but the root; names are taxonomy ids, labels the scientific names.

    >>> read_ncbi(Content("nodes.dmp", ".dmp", b"1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tdomain\t|\n")).children
    ['2']
    """
    taxa = _taxa(content)
    names = beside(content, NAMES)
    notes = left_out("parent", "not in the file", taxa.strangers)
    if names is None:
        notes += (f"there is no {NAMES} beside the file, so the taxa have no labels",)
    labels = {} if names is None else _labels(names)
    return ParsedEdges(content.label, taxa.parents, taxa.children, taxa.lines, labels, notes)


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
    data, labels, found = checked_utf8(content), {}, None
    with Step("reading", len(data), lambda: found.start() if found else 0):
        for found in NAME.finditer(data):
            labels[found[1].decode()] = found[2].decode()
    if not labels:
        raise InputError(f"{content.label}: holds no scientific name; fetch it again, or take it away")
    return labels


def _bad_line(content: Content, text: str) -> InputError:
    number, line = next(pair for pair in enumerate(text.split("\n"), 1) if not NODE.match(pair[1]))
    return InputError(
        f"{content.label}:{number}: expected a taxon's id, its parent's id and more, separated by \\t|\\t, "
        f"found {short(line, 40)!r}; give nodes.dmp as the NCBI dumps it"
    )


HYPERNYMS = ("@", "@i")
INDEX = "index.noun"


class Synset(NamedTuple):
    """A line of data.noun: where it stands, its words, and the offsets of its hypernyms."""

    line: int
    offset: str
    lemmas: list[str]
    hypernyms: list[str]


def read_wordnet(content: Content) -> ParsedEdges:
    """The pointers ``@`` and ``@i``; labels are the first words of the synsets, so "dog" finds all it can mean.

    Names are ``dog.n.01`` as in NLTK if index.noun lies beside the file, else the word and the synset's offset.
    """
    synsets = [_synset(content, number, line) for number, line in _records(content)]
    index = beside(content, INDEX)
    name_of = _numbered(synsets, index) if index else {s.offset: f"{s.lemmas[0].lower()}.n.{s.offset}" for s in synsets}
    edges = [(synset, parent) for synset in synsets for parent in synset.hypernyms]
    strange = {parent: None for _, parent in edges if parent not in name_of}
    kept = [(synset, parent) for synset, parent in edges if parent in name_of]
    return ParsedEdges(
        content.label,
        [name_of[parent] for _, parent in kept],
        [name_of[synset.offset] for synset, _ in kept],
        [synset.line for synset, _ in kept],
        {name_of[synset.offset]: synset.lemmas[0].replace("_", " ") for synset in synsets},
        left_out("hypernym", "not in the file", list(strange)),
    )


def _records(content: Content) -> Iterator[tuple[int, str]]:
    """The lines below the licence, which is indented by two spaces, without their glosses."""
    for number, line in enumerate(text_of(content, "a synset a line, as WordNet's data.noun").split("\n"), 1):
        if line and not line.startswith("  "):
            yield number, line.split(" | ", 1)[0]


def _synset(content: Content, number: int, line: str) -> Synset:
    fields = line.split()
    try:
        start = 4 + 2 * int(fields[3], 16)
        pointers = fields[start + 1 : start + 1 + 4 * int(fields[start])]
        if not fields[0].isdigit() or len(pointers) != 4 * int(fields[start]) or start < 6:
            raise ValueError
    except (IndexError, ValueError):
        raise InputError(
            f"{content.label}:{number}: is no synset, or one cut short: {short(line, 40)!r}; give WordNet's data.noun"
        ) from None
    targets = zip(pointers[::4], pointers[1::4], strict=True)
    return Synset(number, fields[0], fields[4:start:2], [target for symbol, target in targets if symbol in HYPERNYMS])


def _numbered(synsets: list[Synset], index: Content) -> dict[str, str]:
    senses = dict(_senses(index))
    names = {}
    for synset in synsets:
        lemma = synset.lemmas[0].lower()
        try:
            sense = senses[lemma][synset.offset]
        except KeyError:
            raise InputError(
                f"{index.label}: does not have {short(lemma)!r} at {synset.offset}; take data.noun and index.noun "
                "from the same WordNet"
            ) from None
        names[synset.offset] = f"{lemma}.n.{sense:02d}"
    return names


def _senses(index: Content) -> Iterator[tuple[str, dict[str, int]]]:
    """Of each lemma the number of the sense by the offset of its synset, the most frequent first."""
    for number, line in _records(index):
        fields = line.split()
        try:
            offsets = fields[-int(fields[2]) :]
            yield fields[0], {offset: sense for sense, offset in reversed([*enumerate(offsets, 1)])}
        except (IndexError, ValueError):
            raise InputError(f"{index.label}:{number}: is no line of WordNet's index: {short(line, 40)!r}") from None
