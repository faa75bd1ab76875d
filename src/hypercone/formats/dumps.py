r"""Dumps of two well-known taxonomies: the NCBI taxonomy (nodes.dmp, names.dmp) and WordNet (data.noun, index.noun).

In the NCBI files, fields are separated by ``\t|\t``, lines end in ``\t|``, and the root is its own parent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import compress
from typing import NamedTuple

from hypercone.errors import InputError, short
from hypercone.formats.parsed import ParsedEdges, omission_notes
from hypercone.formats.source import Content, checked_utf8, sibling_file, text_of
from hypercone.hierarchy.glossary import Entries, Obsolete
from hypercone.progress import Step

NODE = re.compile(r"^([0-9]+)\t\|\t([0-9]+)\t\|(?:[^\n]*\t\|)?$", re.MULTILINE)
# In bytes, because one character beyond Latin-1 would make the decoded text of this large file 2 or 4 times longer.
# Other names than these are citations, names of specimens, and names of parts of a taxon.
SCIENTIFIC = b"scientific name"
NAME = re.compile(
    rb"^([0-9]+)\t\|\t([^\t\n]*)\t\|\t[^\t\n]*\t\|\t(scientific name|synonym|genbank common name|common name"
    rb"|equivalent name|blast name|acronym|genbank acronym|genbank synonym|misspelling)\t\|",
    re.MULTILINE,
)
MERGED = re.compile(rb"^([0-9]+)\t\|\t([0-9]+)\t\|", re.MULTILINE)
NAMES, MERGED_IDS = "names.dmp", "merged.dmp"


def read_ncbi(content: Content) -> ParsedEdges:
    r"""One edge per taxon except the root; names are taxonomy ids, labels scientific names, synonyms the others.

    An id in merged.dmp, in the same folder, is obsolete.

    >>> read_ncbi(Content("nodes.dmp", ".dmp", b"1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tdomain\t|\n")).children
    ['2']
    """
    taxa = _taxa(content)
    names = sibling_file(content, NAMES)
    notes = omission_notes("parent", "not in the file", taxa.undefined)
    if names is None:
        notes += (f"there is no {NAMES} beside the file, so the taxa have no labels",)
    entries = Entries()
    labels = {} if names is None else _labels(names, entries.synonyms)
    merged = sibling_file(content, MERGED_IDS)
    if merged is not None:
        found = MERGED.findall(checked_utf8(merged))
        entries.obsolete = {old.decode(): Obsolete("", (new.decode(),)) for old, new in found}
    return ParsedEdges(content.label, taxa.parents, taxa.children, taxa.lines, labels, notes, entries)


class _Taxa(NamedTuple):
    """The columns of nodes.dmp without the root, and the parents that are not defined."""

    children: list[str]
    parents: list[str]
    lines: list[int]
    undefined: list[str]


def _taxa(content: Content) -> _Taxa:
    text = text_of(content, "one taxon per line: its id, its parent's id and its rank")
    found = NODE.findall(text)
    if len(found) != text.count("\n") + 1:
        raise _bad_line(content, text)
    defined = {child for child, _ in found}
    undefined = {parent for _, parent in found} - defined
    is_edge = [child != parent and parent not in undefined for child, parent in found]
    return _Taxa(
        [child for child, _ in compress(found, is_edge)],
        [parent for _, parent in compress(found, is_edge)],
        list(compress(range(1, len(found) + 1), is_edge)),
        sorted(undefined),
    )


def _labels(content: Content, synonyms: dict[str, list[str]]) -> dict[str, str]:
    """The scientific names; the others are added to the synonyms."""
    data, found = checked_utf8(content), None
    labels: dict[str, str] = {}
    with Step("reading", len(data), lambda: found.start() if found else 0):
        for found in NAME.finditer(data):
            taxon, name, kind = found.groups()
            if kind == SCIENTIFIC:
                labels[taxon.decode()] = name.decode()
            else:
                synonyms.setdefault(taxon.decode(), []).append(name.decode())
    if not labels:
        raise InputError(f"{content.label}: holds no scientific name; fetch it again, or remove it")
    return labels


def _bad_line(content: Content, text: str) -> InputError:
    number, line = next(pair for pair in enumerate(text.split("\n"), 1) if not NODE.match(pair[1]))
    return InputError(
        f"{content.label}:{number}: expected a taxon's id, its parent's id and more, separated by \\t|\\t, "
        f"found {short(line, 40)!r}; give nodes.dmp as NCBI publishes it"
    )


HYPERNYMS = ("@", "@i")
INDEX = "index.noun"


class Synset(NamedTuple):
    """A line of data.noun: its number, its offset, its words, the offsets of its hypernyms, and its gloss."""

    line: int
    offset: str
    lemmas: list[str]
    hypernyms: list[str]
    gloss: str


def read_wordnet(content: Content) -> ParsedEdges:
    """The pointers ``@`` and ``@i``; labels are the first words of the synsets, so "dog" finds all its senses.

    The other words of a synset are its synonyms, and its gloss is its definition.

    Names are ``dog.n.01`` as in NLTK if index.noun is in the same folder, else the word and the synset's offset.
    """
    synsets = [_synset(content, number, line, gloss) for number, line, gloss in _records(content)]
    index = sibling_file(content, INDEX)
    name_of = (
        _sense_names(synsets, index) if index else {s.offset: f"{s.lemmas[0].lower()}.n.{s.offset}" for s in synsets}
    )
    edges = [(synset, parent) for synset in synsets for parent in synset.hypernyms]
    undefined = {parent: None for _, parent in edges if parent not in name_of}
    usable = [(synset, parent) for synset, parent in edges if parent in name_of]
    return ParsedEdges(
        content.label,
        [name_of[parent] for _, parent in usable],
        [name_of[synset.offset] for synset, _ in usable],
        [synset.line for synset, _ in usable],
        {name_of[synset.offset]: synset.lemmas[0].replace("_", " ") for synset in synsets},
        omission_notes("hypernym", "not in the file", list(undefined)),
        Entries(
            {name_of[synset.offset]: synset.gloss for synset in synsets},
            {name_of[synset.offset]: [word.replace("_", " ") for word in synset.lemmas[1:]] for synset in synsets},
        ),
    )


def _records(content: Content) -> Iterator[tuple[int, str, str]]:
    """The lines after the license, which is indented by two spaces: their numbers, fields and glosses."""
    for number, line in enumerate(text_of(content, "one synset per line, as in WordNet's data.noun").split("\n"), 1):
        if line and not line.startswith("  "):
            fields, _, gloss = line.partition(" | ")
            yield number, fields, gloss


def _synset(content: Content, number: int, line: str, gloss: str) -> Synset:
    fields = line.split()
    try:
        start = 4 + 2 * int(fields[3], 16)
        pointers = fields[start + 1 : start + 1 + 4 * int(fields[start])]
        if not fields[0].isdigit() or len(pointers) != 4 * int(fields[start]) or start < 6:
            raise ValueError
    except (IndexError, ValueError):
        raise InputError(
            f"{content.label}:{number}: is not a synset, or is cut short: {short(line, 40)!r}; give WordNet's data.noun"
        ) from None
    targets = zip(pointers[::4], pointers[1::4], strict=True)
    hypernyms = [target for symbol, target in targets if symbol in HYPERNYMS]
    return Synset(number, fields[0], fields[4:start:2], hypernyms, gloss)


def _sense_names(synsets: list[Synset], index: Content) -> dict[str, str]:
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
    """For each lemma, the sense number by the offset of the synset; sense 1 is the most frequent."""
    for number, line, _ in _records(index):
        fields = line.split()
        try:
            offsets = fields[-int(fields[2]) :]
            yield fields[0], {offset: sense for sense, offset in reversed([*enumerate(offsets, 1)])}
        except (IndexError, ValueError):
            raise InputError(f"{index.label}:{number}: is not a line of WordNet's index: {short(line, 40)!r}") from None
