"""What is known of the nodes besides name and label: definitions, synonyms, other ids, and ids that are obsolete."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from types import MappingProxyType
from typing import NamedTuple

from hypercone.errors import HierarchyError, plural, short
from hypercone.hierarchy.names import JOINER, TextIndex, as_one_line

Texts = tuple[str, ...]
NOTHING: Texts = ()


class Obsolete(NamedTuple):
    """An id that is no longer used: the label it had, the ids that replace it, and those that may be meant instead."""

    label: str = ""
    replaced_by: tuple[str, ...] = ()
    consider: tuple[str, ...] = ()


@dataclass
class Entries:
    """What a reader collects, by the name of the node; entries of nodes that are not in the hierarchy are ignored.

    ``obsolete`` is by the obsolete id, and ``prefixes`` are the namespaces that were shortened in the names.
    """

    definitions: dict[str, str] = field(default_factory=dict)
    synonyms: dict[str, list[str]] = field(default_factory=dict)
    other_ids: dict[str, list[str]] = field(default_factory=dict)
    obsolete: dict[str, Obsolete] = field(default_factory=dict)
    prefixes: dict[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not (self.definitions or self.synonyms or self.other_ids or self.obsolete or self.prefixes)


@dataclass(frozen=True)
class Glossary:
    """One definition (empty if there is none), any number of synonyms and other ids for each row, and obsolete ids.

    ``prefixes`` maps the prefixes in the names to their namespaces, so that a node is found by its whole address.

    >>> terms = Glossary.of_rows(2, {1: "A pump."}, synonyms={1: ["cor"]}, obsolete={"A:9": Obsolete("pump")})
    >>> terms.definitions, terms.synonyms[1], terms.rows_of("cor"), terms.obsolete["A:9"].label
    (('', 'A pump.'), ('cor',), [1], 'pump')
    """

    definitions: Texts
    synonyms: tuple[Texts, ...]
    other_ids: tuple[Texts, ...]
    obsolete: Mapping[str, Obsolete] = field(default_factory=dict)
    prefixes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = vars(self)
        # A glossary may have no definitions at all for millions of nodes.
        for name, each in (("definitions", as_one_line), ("synonyms", _one_line_each), ("other_ids", _one_line_each)):
            values[name] = tuple(map(each, values[name])) if any(values[name]) else (each(""),) * len(values[name])
        if not len(self.definitions) == len(self.synonyms) == len(self.other_ids):
            raise HierarchyError(
                f"there are {plural(len(self.definitions), 'definition')}, {len(self.synonyms):,} lists of synonyms "
                f"and {len(self.other_ids):,} of other ids; give each one for each node"
            )
        obsolete = {as_one_line(name): self.obsolete[name] for name in sorted(self.obsolete)}
        values["obsolete"] = MappingProxyType({name: _clean_entry(name, found) for name, found in obsolete.items()})
        prefixes = {as_one_line(name): as_one_line(self.prefixes[name]) for name in sorted(self.prefixes)}
        values["prefixes"] = MappingProxyType(prefixes)

    @classmethod
    def of_rows(
        cls,
        size: int,
        definitions: Mapping[int, str] = MappingProxyType({}),
        synonyms: Mapping[int, Iterable[str]] = MappingProxyType({}),
        other_ids: Mapping[int, Iterable[str]] = MappingProxyType({}),
        obsolete: Mapping[str, Obsolete] = MappingProxyType({}),
        prefixes: Mapping[str, str] = MappingProxyType({}),
    ) -> Glossary:
        """The glossary of ``size`` rows, by row; HierarchyError for a row that does not exist."""
        wrong = next((row for part in (definitions, synonyms, other_ids) for row in part if not 0 <= row < size), None)
        if wrong is not None:
            raise HierarchyError(f"an entry is about row {wrong}, but there are rows 0 … {size - 1}; leave it out")
        return cls(
            tuple(definitions.get(row, "") for row in range(size)),
            tuple(tuple(synonyms.get(row, NOTHING)) for row in range(size)),
            tuple(tuple(other_ids.get(row, NOTHING)) for row in range(size)),
            obsolete,
            prefixes,
        )

    @classmethod
    def of_names(
        cls,
        entries: Entries,
        names: Sequence[str],
        labels: Mapping[str, str],
        merged: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> Glossary | None:
        """The entries about these names; None if there are none.

        A synonym that repeats the label says nothing and is left out. ``merged`` has the names that became one node,
        by its name; it has all of their entries.

        >>> found = Entries(definitions={"a": "First.", "b": "Second."}, synonyms={"b": ["bee"], "c": ["sea", "C"]})
        >>> both = Glossary.of_names(found, ["a = b", "c"], {"c": "C"}, {"a = b": ["a", "b"]})
        >>> both.definitions, both.synonyms
        (('First. = Second.', ''), (('bee',), ('sea',)))
        """
        if entries.is_empty:
            return None
        definitions, synonyms, other_ids = entries.definitions, entries.synonyms, entries.other_ids
        for name, parts in merged.items():
            definitions[name] = JOINER.join(dict.fromkeys(definitions[part] for part in parts if part in definitions))
            for lists in (synonyms, other_ids):
                lists[name] = [text for part in parts for text in lists.get(part, ())]
        made = cls(
            tuple(definitions.get(name, "") for name in names) if definitions else ("",) * len(names),
            tuple(
                _distinct(synonyms[name], name, labels.get(name, "")) if name in synonyms else NOTHING for name in names
            ),
            tuple(_distinct(other_ids[name], name, "") if name in other_ids else NOTHING for name in names),
            entries.obsolete,
            entries.prefixes,
        )
        return None if made.is_empty else made

    def __len__(self) -> int:
        return len(self.definitions)

    @property
    def is_empty(self) -> bool:
        """Whether there is no entry at all."""
        rows = (self.definitions, self.synonyms, self.other_ids)
        return not (self.obsolete or self.prefixes or any(map(any, rows)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Glossary) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((self.definitions, self.synonyms, self.other_ids))

    def __reduce__(self) -> tuple[object, ...]:
        # A read-only view of a dict cannot be pickled.
        return Glossary, (*self._parts()[:3], dict(self.obsolete), dict(self.prefixes))

    def _parts(self) -> tuple[object, ...]:
        return self.definitions, self.synonyms, self.other_ids, dict(self.obsolete), dict(self.prefixes)

    def part(self, is_included: Sequence[bool]) -> Glossary:
        """The glossary of the included rows; obsolete ids and prefixes stay.

        >>> Glossary.of_rows(2, {0: "A kind.", 1: "A pump."}).part([False, True]).definitions
        ('A pump.',)
        """
        included = list(is_included)
        return self._with_rows(
            tuple(compress(self.definitions, included)),
            tuple(compress(self.synonyms, included)),
            tuple(compress(self.other_ids, included)),
        )

    def extended_by(self, count: int) -> Glossary:
        """The glossary with so many more rows, which have no entries.

        >>> Glossary.of_rows(1, {0: "A pump."}).extended_by(1).definitions
        ('A pump.', '')
        """
        nothing = (NOTHING,) * count
        made = self._with_rows(self.definitions + ("",) * count, self.synonyms + nothing, self.other_ids + nothing)
        # The ids are the same, and adding nodes one by one asks for them each time.
        vars(made)["_every_other_id"] = self._every_other_id
        return made

    def _with_rows(
        self,
        definitions: tuple[str, ...],
        synonyms: tuple[tuple[str, ...], ...],
        other_ids: tuple[tuple[str, ...], ...],
    ) -> Glossary:
        # Not checked again, which would take time for each of a million texts.
        made = object.__new__(Glossary)
        vars(made).update(definitions=definitions, synonyms=synonyms, other_ids=other_ids)
        vars(made).update(obsolete=self.obsolete, prefixes=self.prefixes)
        return made

    def names(self) -> Iterator[tuple[int, str]]:
        """Each synonym and other id, with its row."""
        for row, (synonyms, other_ids) in enumerate(zip(self.synonyms, self.other_ids, strict=True)):
            for text in synonyms:
                yield row, text
            for text in other_ids:
                yield row, text

    @cached_property
    def by_text(self) -> TextIndex:
        """The rows of each synonym and other id."""
        return TextIndex(self.names)

    def has_id(self, text: str) -> bool:
        """Whether this is another id of a node or an obsolete id, exactly; a synonym is not an id.

        >>> terms = Glossary.of_rows(1, synonyms={0: ["cor"]}, other_ids={0: ["B:1"]}, obsolete={"A:9": Obsolete()})
        >>> terms.has_id("B:1"), terms.has_id("A:9"), terms.has_id("cor")
        (True, True, False)
        """
        return text in self._every_other_id or text in self.obsolete

    @cached_property
    def _every_other_id(self) -> frozenset[str]:
        return frozenset(text for texts in self.other_ids for text in texts)

    @cached_property
    def obsolete_ids(self) -> tuple[tuple[str, ...], TextIndex]:
        """The obsolete ids, and the position of each."""
        names = tuple(self.obsolete)
        return names, TextIndex(lambda: enumerate(names))

    def rows_of(self, text: str) -> list[int]:
        """The rows that have this text as a synonym or other id, ascending."""
        return self.by_text.exact(text)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all entries, as hexadecimal."""
        hashed = hashlib.sha256()
        for kind, key, text in self.lines():
            hashed.update(f"{kind}\t{key}\t{text}\n".encode())
        return hashed.hexdigest()

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """All entries as (kind, row or id, text), in a fixed order; ``of_lines`` reads them.

        >>> list(Glossary.of_rows(1, {0: "A pump."}, obsolete={"A:9": Obsolete("", ("A:1",))}).lines())
        [('definition', '0', 'A pump.'), ('obsolete', 'A:9', ''), ('replaced_by', 'A:9', 'A:1')]
        """
        for row, text in enumerate(self.definitions):
            if text:
                yield "definition", str(row), text
        for kind, lists in (("synonym", self.synonyms), ("other_id", self.other_ids)):
            for row, texts in enumerate(lists):
                for text in texts:
                    yield kind, str(row), text
        for name, found in self.obsolete.items():
            yield "obsolete", name, found.label
            for text in found.replaced_by:
                yield "replaced_by", name, text
            for text in found.consider:
                yield "consider", name, text
        for prefix, namespace in self.prefixes.items():
            yield "prefix", prefix, namespace

    @classmethod
    def of_lines(cls, lines: Iterable[Sequence[str]], size: int) -> Glossary:
        """The glossary of ``size`` rows that ``lines`` wrote; HierarchyError for a line that it does not write."""
        by_row: dict[str, dict[int, list[str]]] = {"definition": {}, "synonym": {}, "other_id": {}}
        by_id: dict[str, dict[str, list[str]]] = {"obsolete": {}, "replaced_by": {}, "consider": {}, "prefix": {}}
        for line in lines:
            if len(line) != 3:
                raise _bad_entry(line, "does not have three columns")
            kind, key, text = line
            if kind in by_row:
                if not (len(key) < 20 and key.isascii() and key.isdecimal() and int(key) < size and text):
                    raise _bad_entry(line, f"is empty or not about one of the rows 0 … {size - 1}")
                by_row[kind].setdefault(int(key), []).append(text)
            elif kind in by_id:
                by_id[kind].setdefault(key, []).append(text)
            else:
                raise _bad_entry(line, "is of an unknown kind")
        single = by_row["definition"], by_id["obsolete"], by_id["prefix"]
        if any(len(texts) > 1 for part in single for texts in part.values()):
            raise HierarchyError("a row, an obsolete id or a prefix is described twice")
        if not by_id["obsolete"].keys() >= {*by_id["replaced_by"], *by_id["consider"]}:
            raise HierarchyError("an id is replaced that is not obsolete")
        others = by_id["replaced_by"], by_id["consider"]
        return cls.of_rows(
            size,
            {row: text for row, (text,) in by_row["definition"].items()},
            by_row["synonym"],
            by_row["other_id"],
            {
                name: Obsolete(label, *(tuple(part.get(name, ())) for part in others))
                for name, (label,) in by_id["obsolete"].items()
            },
            {prefix: namespace for prefix, (namespace,) in by_id["prefix"].items()},
        )


def checked_glossary(glossary: Glossary | None, size: int) -> Glossary | None:
    """The glossary; None if it has no entries. HierarchyError if it is not one of ``size`` rows."""
    if glossary is None:
        return None
    if not isinstance(glossary, Glossary):
        raise HierarchyError(f"the glossary is {short(repr(glossary))}; give a hypercone.Glossary")
    if len(glossary) != size:
        raise HierarchyError(
            f"the glossary has {plural(len(glossary), 'row')} for {plural(size, 'node')}; give each one"
        )
    return None if glossary.is_empty else glossary


def _bad_entry(line: Sequence[str], problem: str) -> HierarchyError:
    return HierarchyError(f"the entry {short(' '.join(line), 40)!r} {problem}")


def _one_line_each(texts: Iterable[str]) -> tuple[str, ...]:
    # Most rows have none, and share one empty tuple.
    return tuple(filter(None, map(as_one_line, texts))) if texts else NOTHING


def _clean_entry(name: str, found: Obsolete) -> Obsolete:
    if not name:
        raise HierarchyError("an obsolete id is empty; leave it out")
    return Obsolete(as_one_line(found[0]), _one_line_each(found[1]), _one_line_each(found[2]))


def _distinct(texts: Sequence[str], name: str, label: str) -> Texts:
    return tuple(text for text in dict.fromkeys(texts) if text not in (name, label))
