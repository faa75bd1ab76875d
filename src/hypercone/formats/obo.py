"""Ontologies in OBO, read as a stream, and the terms that the readers of ontologies collect.

It follows the OBO Flat File Format 1.4 guide (owlcollab.github.io/oboformat/doc/obo-syntax.html).
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from hypercone.errors import InputError, plural, short, some, visible
from hypercone.formats.parsed import ParsedEdges, omission_notes
from hypercone.formats.source import Content, checked_utf8, is_empty
from hypercone.hierarchy.glossary import Entries, Obsolete
from hypercone.hierarchy.relation_names import relation_key
from hypercone.progress import Step


@dataclass
class Statements:
    """Children and parents of one relation, and the line of each pair, if the format has lines."""

    children: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def subset(self, positions: list[int]) -> Statements:
        """The statements at these positions."""
        columns = (self.children, self.parents, self.lines)
        return Statements(*([column[i] for i in positions] if column else [] for column in columns))  # type: ignore[arg-type]


@dataclass
class Terms:
    """``labels`` has every defined term; ``names`` maps the names of relations, as shown in notes, to their keys.

    ``aliases`` maps further names of relations, in normal form, to their keys. ``replaced_by`` and ``consider`` have
    what a term refers to, which matters if it is obsolete.
    """

    source: str
    labels: dict[str, str] = field(default_factory=dict)
    obsolete: set[str] = field(default_factory=set)
    statements: dict[str, Statements] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    entries: Entries = field(default_factory=Entries)
    replaced_by: dict[str, list[str]] = field(default_factory=dict)
    consider: dict[str, list[str]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def add(self, child: str, relation: str, parent: str, line: int | None = None) -> None:
        """Add a statement: the child has this relation to the parent."""
        found = self.statements.get(relation)
        if found is None:
            found = self.statements[relation] = Statements()
        found.children.append(child)
        found.parents.append(parent)
        if line is not None:
            found.lines.append(line)

    def parsed_edges(self, relations: Sequence[str]) -> ParsedEdges:
        """The edges of these relations between defined terms that are not obsolete.

        >>> terms = Terms("a.obo", {"A:1": "thing", "A:2": "dog"})
        >>> terms.add("A:2", "is_a", "A:1")
        >>> terms.add("A:2", "is_a", "B:7")
        >>> terms.parsed_edges(["is_a"]).notes
        ('1 target that is not in the file left out: B:7',)
        """
        gathered = Statements()
        relations = list(dict.fromkeys(map(self._find_relation, relations)))
        for relation in relations:
            found = self.statements[relation]
            gathered.children += found.children
            gathered.parents += found.parents
            gathered.lines += found.lines
        usable, notes = self._usable_statements(gathered)
        notes += self._note_on_skipped(relations)
        lines = usable.lines if len(usable.lines) == len(usable.parents) else None
        for name in self.obsolete:
            others = self.replaced_by.get(name, ()), self.consider.get(name, ())
            self.entries.obsolete[name] = Obsolete(self.labels.get(name, ""), *map(tuple, others))
        return ParsedEdges(self.source, usable.parents, usable.children, lines, self.labels, notes, self.entries)

    def _find_relation(self, relation: str) -> str:
        """The key in ``statements`` of a relation by name, id or address."""
        if relation in self.statements:
            return relation
        names, key = {relation_key(name): name for name in self.statements}, relation_key(relation)
        for name in (key, self.names.get(key), self.aliases.get(key)):
            if name and relation_key(name) in names:
                return names[relation_key(name)]
        other = {name: other for other, name in self.names.items()}
        known = sorted(other.get(name, name) for name in self.statements)
        there = (
            f"its relations are {', '.join(visible(name, 30) for name in known[:20])}"
            if known
            else "it relates no terms at all"
        )
        raise InputError(f"{self.source}: no term has the relation {short(relation)!r}; {there}")

    def _note_on_skipped(self, relations: Sequence[str]) -> tuple[str, ...]:
        """A note on the statements of other relations."""
        other = {name: relation for relation, name in self.names.items()}
        counts = Counter({other.get(name, name): len(found.children) for name, found in self.statements.items()})
        for name in relations:
            counts.pop(other.get(name, name), None)
        shown = [f"{name} {count:,}" for name, count in counts.most_common()]
        return (f"{plural(counts.total(), 'other relation')} skipped ({some(shown)})",) if shown else ()

    def _usable_statements(self, found: Statements) -> tuple[Statements, tuple[str, ...]]:
        notes = [f"{plural(len(self.obsolete), 'obsolete term')} skipped"] if self.obsolete else []
        usable = self.labels.keys() - self.obsolete
        if not (usable.issuperset(found.children) and usable.issuperset(found.parents)):
            ends = list(zip(found.children, found.parents, strict=True))
            outdated = dict.fromkeys(parent for child, parent in ends if parent in self.obsolete and child in usable)
            undefined = dict.fromkeys(name for pair in ends for name in pair if name not in self.labels)
            notes += omission_notes("target", "obsolete", list(outdated))
            notes += omission_notes("target", "not in the file", list(undefined))
            found = found.subset(
                [position for position, pair in enumerate(ends) if pair[0] in usable and pair[1] in usable]
            )
        isolated = len(usable) - len({*found.children, *found.parents})
        if isolated:
            notes.append(f"{plural(isolated, 'term')} without an edge left out")
        return found, tuple(notes)


EDGES = (b"id:", b"name:", b"is_a:", b"relationship:", b"is_obsolete:")
# The last four are of version 1.0 of the format.
SYNONYMS = ("synonym", "exact_synonym", "related_synonym", "broad_synonym", "narrow_synonym")
ENTRIES = (b"def:", b"alt_id:", b"replaced_by:", b"consider:", *(f"{tag}:".encode() for tag in SYNONYMS))
QUOTED = re.compile(r'"((?:[^"\\]++|\\.)*+)"')
NAMES_OF_A_RELATION = (b"id:", b"name:", b"alt_id:", b"xref:")
COMMENT = re.compile(r"(?<!\\)\s!(\s.*)?$")
MODIFIERS = re.compile(r"""\s\{[^{}"]*="[^"]*"[^{}]*\}\s*$""")
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": " ", "W": " ", "t": " "}


def read_obo(content: Content, relations: Sequence[str] = ("is_a",)) -> ParsedEdges:
    r"""The edges of these relations; names are the ids of the terms, labels are their names.

    >>> read_obo(Content("a.obo", ".obo", b"[Term]\nid: A:1\nname: dog\nis_a: A:2 ! animal\n[Term]\nid: A:2\n")).parents
    ['A:2']
    """
    data = checked_utf8(content)
    if not data.strip():
        raise is_empty(content, "an OBO ontology with [Term] stanzas")
    parser = _StanzaParser(content.label)
    lines = io.BytesIO(data)
    with Step("reading", len(data), lines.tell):
        for number, line in enumerate(lines, 1):
            if line.startswith(b"["):
                parser.begin(number, line)
            elif parser.in_term:
                if line.startswith(EDGES):
                    parser.parse_line(number, line.decode())
                elif line.startswith(ENTRIES):
                    parser.parse_entry(line.decode())
                elif b":" not in line and line.strip() and not line.startswith(b"!"):
                    shown = short(line[:200].decode(errors="replace").strip(), 40)
                    raise InputError(f"{content.label}:{number}: expected 'tag: value', found {shown!r}; fix the line")
            elif parser.in_typedef and line.startswith(NAMES_OF_A_RELATION):
                parser.parse_typedef(line.decode())
    parser.end()
    if not parser.terms.labels:
        raise InputError(f"{content.label}: has no [Term]; is it an OBO ontology?")
    return parser.terms.parsed_edges(relations)


class _StanzaParser:
    """Parses stanzas line by line."""

    def __init__(self, label: str) -> None:
        self.terms = Terms(label)
        self.in_term = self.in_typedef = False
        self._first_line = 0
        self._id = ""

    def begin(self, number: int, line: bytes) -> None:
        """Handle the first line of a stanza."""
        self.end()
        kind = line.split(b"!")[0].strip()
        self.in_term, self.in_typedef = kind == b"[Term]", kind == b"[Typedef]"
        self._first_line, self._id = number, ""

    def end(self) -> None:
        """Check the stanza that ends here."""
        if self.in_term and not self._id:
            raise InputError(f"{self.terms.source}:{self._first_line}: this [Term] has no id; give it one")

    def parse_line(self, number: int, line: str) -> None:
        """Handle one line of a term."""
        tag, _, value = line.partition(":")
        value = value.strip()
        words = value.split(None, 2)
        if len(words) < 1 + (tag == "relationship"):
            raise InputError(f"{self.terms.source}:{number}: the {tag} is cut short; fix the line")
        if tag == "id":
            self._id = _unescape(words[0])
            self.terms.labels.setdefault(self._id, "")
        elif not self._id:
            raise InputError(f"{self.terms.source}:{number}: the id of the term must come before this line; move it up")
        elif tag == "name":
            self.terms.labels[self._id] = _unescape(MODIFIERS.sub("", COMMENT.sub("", value)))
        elif tag == "is_a":
            self.terms.add(self._id, "is_a", _unescape(words[0]), number)
        elif tag == "relationship":
            self.terms.add(self._id, _unescape(words[0]), _unescape(words[1]), number)
        elif words[0] == "true":
            self.terms.obsolete.add(self._id)

    def parse_entry(self, line: str) -> None:
        """Handle one line of a term that is about its meaning or its other names; one that is malformed is ignored."""
        tag, _, value = line.partition(":")
        entries, name = self.terms.entries, self._id
        words = value.split(None, 1)
        if not name or not words:
            return
        if tag in ("alt_id", "replaced_by", "consider"):
            lists = {
                "alt_id": entries.other_ids,
                "replaced_by": self.terms.replaced_by,
                "consider": self.terms.consider,
            }
            lists[tag].setdefault(name, []).append(_unescape(words[0]))
            return
        quoted = QUOTED.match(value.lstrip())
        if quoted is None or not quoted[1]:
            return
        if tag == "def":
            entries.definitions.setdefault(name, _unescape(quoted[1]))
        else:
            entries.synonyms.setdefault(name, []).append(_unescape(quoted[1]))

    def parse_typedef(self, line: str) -> None:
        """Handle a line with the id or another name of a relation."""
        tag, _, value = line.partition(":")
        name = _unescape(COMMENT.sub("", value).strip() if tag == "name" else value.strip().partition(" ")[0])
        if tag == "id":
            self._id = name
        elif name and self._id:
            self.terms.aliases.setdefault(relation_key(name), self._id)


def _unescape(text: str) -> str:
    return ESCAPE.sub(lambda match: ESCAPED.get(match[1], match[1]), text) if "\\" in text else text
