"""Princeton's WordNet: data.noun, and index.noun beside it for the numbers of the senses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hypercone.errors import InputError, short
from hypercone.hierarchy.files import Content, beside
from hypercone.hierarchy.readers.notes import left_out
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.text import text_of

HYPERNYMS = ("@", "@i")
INDEX = "index.noun"


class Synset(NamedTuple):
    """A line of data.noun: where it stands, its words, and the offsets of its hypernyms."""

    line: int
    offset: str
    lemmas: list[str]
    hypernyms: list[str]


def read(content: Content) -> Reading:
    """The pointers ``@`` and ``@i``; labels are the first words of the synsets, so "dog" finds all it can mean.

    Names are ``dog.n.01`` as in NLTK if index.noun lies beside the file, else the word and the synset's offset.
    """
    synsets = [_synset(content, number, line) for number, line in _records(content)]
    index = beside(content, INDEX)
    name_of = _numbered(synsets, index) if index else {s.offset: f"{s.lemmas[0].lower()}.n.{s.offset}" for s in synsets}
    edges = [(synset, parent) for synset in synsets for parent in synset.hypernyms]
    strange = {parent: None for _, parent in edges if parent not in name_of}
    kept = [(synset, parent) for synset, parent in edges if parent in name_of]
    return Reading(
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
