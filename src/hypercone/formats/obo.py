"""OBO ontologies and OBO Graphs JSON, read as a stream.

OBO follows the OBO Flat File Format 1.4 guide (owlcollab.github.io/oboformat/doc/obo-syntax.html).

JSON is either OBO Graphs or an object of terms by id, each with a ``label``, perhaps ``deprecated``, and its
``ancestors`` with their distances: those at distance 1 are the parents.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypercone.errors import InputError, plural, short, some, visible
from hypercone.formats.parsed import ParsedEdges, omission_notes
from hypercone.formats.rdf import short_name
from hypercone.formats.source import Content, checked_utf8, is_empty
from hypercone.hierarchy.relation_names import normalized_relation, relation_key
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

    ``aliases`` maps further names of relations, in normal form, to their keys.
    """

    source: str
    labels: dict[str, str] = field(default_factory=dict)
    obsolete: set[str] = field(default_factory=set)
    statements: dict[str, Statements] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
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
        return ParsedEdges(self.source, usable.parents, usable.children, lines, self.labels, notes)

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


USED = (b"id:", b"name:", b"is_a:", b"relationship:", b"is_obsolete:")
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
    # Most lines are definitions and synonyms; only the others are decoded, one at a time.
    lines = io.BytesIO(data)
    with Step("reading", len(data), lines.tell):
        for number, line in enumerate(lines, 1):
            if line.startswith(b"["):
                parser.begin(number, line)
            elif parser.in_term:
                if line.startswith(USED):
                    parser.parse_line(number, line.decode())
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


WINDOW = 4 * 2**20
# No single term of an ontology is nearly as long; a syntax error must not load a whole large file.
LONGEST_VALUE = 256 * 2**20
# A number at the end of the window might continue after it.
MARGIN = 64
SPACE = re.compile(r"[ \t\r\n]*")


class JsonStream:
    """A streaming JSON reader: iterates over members and items; the caller takes or skips the value of each.

    >>> stream = JsonStream("a.json", b'{"a": [1, 2], "b": {"c": 3}}')
    >>> [(key, stream.value()) for key in stream.members()]
    [('a', [1, 2]), ('b', {'c': 3})]
    """

    def __init__(self, label: str, data: bytes) -> None:
        """``data`` must be valid UTF-8."""
        self._label, self._data = label, data
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._scan = json.JSONDecoder().raw_decode
        self._text, self._at, self.reached, self._line = "", 0, 0, 1

    def peek(self) -> str:
        """The first character of the next value; empty at the end."""
        while True:
            if self._text[self._at : self._at + 1] > " ":
                return self._text[self._at]
            self._at = SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text) or not self._more(WINDOW):
                return self._text[self._at : self._at + 1]

    def members(self) -> Iterator[str]:
        """Iterate over the keys of the next object."""
        for _ in self._between("{", "}"):
            if self.peek() != '"':
                raise self.error("expected a key in quotes")
            key = self.value()
            self._expect(":")
            yield key

    def items(self) -> Iterator[None]:
        """Iterate over the next list, once per item."""
        return self._between("[", "]")

    def skip(self) -> None:
        """Skip the next value, item by item if it is a list."""
        if self.peek() == "[":
            for _ in self.items():
                self.value()
        else:
            self.value()

    def value(self) -> Any:
        """The next value."""
        size = WINDOW
        self.peek()
        while True:
            try:
                value, end = self._scan(self._text, self._at)
                problem = ""
                if end + MARGIN < len(self._text):
                    break
            except json.JSONDecodeError as error:
                problem, end = error.msg, self._at
            except (ValueError, RecursionError):
                raise self.error("a number is too long or the nesting too deep") from None
            if len(self._text) - self._at > LONGEST_VALUE or not self._more(size):
                if problem:
                    raise self.error(problem)
                break
            size *= 2
        self._at = end
        return value

    def end(self) -> None:
        """InputError if there is more data."""
        if self.peek():
            raise self.error("there is more after the end")

    def error(self, problem: str) -> InputError:
        """The error at the current position."""
        line = self._line + self._text.count("\n", 0, self._at)
        return InputError(f"{self._label}:{line}: is not valid JSON ({problem}); fetch the file again")

    def _between(self, first: str, last: str) -> Iterator[None]:
        self._expect(first)
        if self.peek() != last:
            yield
            while self.peek() == ",":
                self._at += 1
                yield
        self._expect(last)

    def _expect(self, mark: str) -> None:
        if self.peek() != mark:
            raise self.error(f"expected a {mark}" if self.peek() else "it ends too early")
        self._at += 1

    def _more(self, size: int) -> bool:
        if self.reached >= len(self._data):
            return False
        self._line += self._text.count("\n", 0, self._at)
        piece = self._data[self.reached : self.reached + size]
        self.reached += len(piece)
        self._text = self._text[self._at :] + self._decoder.decode(piece)
        self._at = 0
        return True


def read_obographs(content: Content, relations: Sequence[str] = ("is_a",)) -> ParsedEdges:
    """The edges of these relations; names are the ids of the terms (``HP:0000118``).

    >>> read_obographs(Content("a.json", ".json", b'{"A:2": {"label": "dog", "ancestors": {"A:1": 1}}, '
    ...     b'"A:1": {"label": "animal", "ancestors": {}}}')).parents
    ['A:1']
    """
    data = checked_utf8(content)
    if not data.strip():
        raise is_empty(content, "an ontology as OBO Graphs JSON")
    stream = JsonStream(content.label, data)
    terms = Terms(content.label)
    if stream.peek() != "{":
        raise _wrong_kind_of_json(content)
    with Step("reading", len(data), lambda: stream.reached):
        for key in stream.members():
            if key == "graphs" and stream.peek() == "[":
                for _ in stream.items():
                    _add_graph(stream, terms)
            else:
                _add_term(key, stream.value(), terms)
    stream.end()
    if not terms.labels:
        raise _wrong_kind_of_json(content)
    return terms.parsed_edges(relations)


def _add_graph(stream: JsonStream, terms: Terms) -> None:
    add = {"nodes": _add_node, "edges": _add_edge}
    for key in stream.members():
        if key not in add or stream.peek() != "[":
            stream.skip()
            continue
        for _ in stream.items():
            item = stream.value()
            try:
                add[key](item, terms)
            except (KeyError, TypeError, AttributeError):
                raise stream.error(f"{visible(str(item), 40)} is not one of the {key} of OBO Graphs") from None


def _add_node(node: dict[str, Any], terms: Terms) -> None:
    label = str(node.get("lbl") or "")
    if node.get("type") == "PROPERTY":
        if label:
            terms.names.setdefault(normalized_relation(label), relation_key(node["id"]))
        return
    name = short_name(node["id"], {})
    terms.labels[name] = label or terms.labels.get(name, "")
    if (node.get("meta") or {}).get("deprecated"):
        terms.obsolete.add(name)


def _add_edge(edge: dict[str, Any], terms: Terms) -> None:
    child, parent = short_name(edge["sub"], {}), short_name(edge["obj"], {})
    terms.add(child, relation_key(edge["pred"]), parent)


def _add_term(key: str, term: object, terms: Terms) -> None:
    above = term.get("ancestors") if isinstance(term, dict) else None
    if not isinstance(term, dict) or not isinstance(above, dict):
        return
    terms.labels[key] = str(term.get("label") or "")
    if term.get("deprecated"):
        terms.obsolete.add(key)
    for parent in [name for name, distance in above.items() if distance == 1]:
        terms.add(key, "is_a", parent)


def _wrong_kind_of_json(content: Content) -> InputError:
    return InputError(
        f"{content.label}: is JSON of another kind; it should hold the graphs of OBO Graphs, or terms by id with "
        "their ancestors"
    )
