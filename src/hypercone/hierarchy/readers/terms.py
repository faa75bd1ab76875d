"""An ontology as its files have it: terms, some obsolete, and statements that relate them; and its edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from hypercone.errors import InputError, counted, short, some, visible
from hypercone.hierarchy.readers.notes import left_out
from hypercone.hierarchy.readers.reading import Reading


@dataclass
class Statements:
    """Children and parents of one relation, and the lines they stand on where there are lines."""

    children: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def part(self, places: list[int]) -> Statements:
        """Some of them."""
        columns = (self.children, self.parents, self.lines)
        return Statements(*([column[i] for i in places] if column else [] for column in columns))  # type: ignore[arg-type]


@dataclass
class Terms:
    """``labels`` has every term that is defined, ``names`` other names of a relation."""

    source: str
    labels: dict[str, str] = field(default_factory=dict)
    obsolete: set[str] = field(default_factory=set)
    statements: dict[str, Statements] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def add(self, child: str, relation: str, parent: str, line: int | None = None) -> None:
        """A statement: the child stands in this relation to the parent."""
        found = self.statements.get(relation)
        if found is None:
            found = self.statements[relation] = Statements()
        found.children.append(child)
        found.parents.append(parent)
        if line is not None:
            found.lines.append(line)

    def reading(self, relations: Sequence[str]) -> Reading:
        """The edges of these relations between terms that are defined and not obsolete.

        >>> terms = Terms("a.obo", {"A:1": "thing", "A:2": "dog"})
        >>> terms.add("A:2", "is_a", "A:1")
        >>> terms.add("A:2", "is_a", "B:7")
        >>> terms.reading(["is_a"]).notes
        ('1 target that is not in the file left out: B:7',)
        """
        gathered = Statements()
        for relation in relations:
            found = self._related(relation)
            gathered.children += found.children
            gathered.parents += found.parents
            gathered.lines += found.lines
        kept, notes = self._kept(gathered)
        notes += self._skipped(relations)
        lines = kept.lines if len(kept.lines) == len(kept.parents) else None
        return Reading(self.source, kept.parents, kept.children, lines, self.labels, notes)

    def _related(self, relation: str) -> Statements:
        for name in (relation, self.names.get(relation, "")):
            if name in self.statements:
                return self.statements[name]
        other = {name: other for other, name in self.names.items()}
        known = sorted(other.get(name, name) for name in self.statements)
        there = (
            f"its relations are {', '.join(visible(name, 30) for name in known[:20])}"
            if known
            else "it relates no terms at all"
        )
        raise InputError(f"{self.source}: no term has the relation {short(relation)!r}; {there}")

    def _skipped(self, relations: Sequence[str]) -> tuple[str, ...]:
        """A note on the statements of relations that nobody asked for."""
        wanted = {*relations, *(self.names.get(relation, relation) for relation in relations)}
        other = {name: relation for relation, name in self.names.items()}
        counts = Counter({other.get(name, name): len(found.children) for name, found in self.statements.items()})
        for name in wanted:
            counts.pop(other.get(name, name), None)
        shown = [f"{name} {count:,}" for name, count in counts.most_common()]
        return (f"{counted(counts.total(), 'other relation')} skipped ({some(shown)})",) if shown else ()

    def _kept(self, found: Statements) -> tuple[Statements, tuple[str, ...]]:
        notes = [f"{counted(len(self.obsolete), 'obsolete term')} skipped"] if self.obsolete else []
        usable = self.labels.keys() - self.obsolete
        if not (usable.issuperset(found.children) and usable.issuperset(found.parents)):
            ends = list(zip(found.children, found.parents, strict=True))
            outdated = dict.fromkeys(parent for child, parent in ends if parent in self.obsolete and child in usable)
            absent = dict.fromkeys(name for pair in ends for name in pair if name not in self.labels)
            notes += left_out("target", "obsolete", list(outdated))
            notes += left_out("target", "not in the file", list(absent))
            found = found.part([place for place, pair in enumerate(ends) if pair[0] in usable and pair[1] in usable])
        alone = len(usable) - len({*found.children, *found.parents})
        if alone:
            notes.append(f"{counted(alone, 'term')} without an edge left out")
        return found, tuple(notes)
