"""OBO Graphs JSON, read as a stream.

The file holds graphs, or an object of terms by id, each with a ``label``, perhaps ``deprecated``, and its ``ancestors``
with their distances: those at distance 1 are the parents. A term may have a ``description``, ``synonyms``,
``replaced_by`` and ``consider``.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from hypercone.errors import InputError, option, visible
from hypercone.formats.obo import Terms
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.rdf import local_name, short_name
from hypercone.formats.source import Content, checked_utf8, is_empty
from hypercone.hierarchy.relation_names import normalized_relation, relation_key
from hypercone.progress import Step

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
    meta = node.get("meta")
    if meta:
        _add_meta(name, meta, terms)


# What the values of a term's properties are, by the last part of the property's address.
PROPERTIES = {
    "hasAlternativeId": "other_ids",
    "IAO_0100001": "replaced_by",
    "consider": "consider",
    "hasExactSynonym": "synonyms",
    "hasRelatedSynonym": "synonyms",
    "hasBroadSynonym": "synonyms",
    "hasNarrowSynonym": "synonyms",
    "altLabel": "synonyms",
}


def _add_meta(name: str, meta: dict[str, Any], terms: Terms) -> None:
    if meta.get("deprecated"):
        terms.obsolete.add(name)
    entries = terms.entries
    if definition := _text_in(meta.get("definition")):
        entries.definitions.setdefault(name, definition)
    lists = {
        "other_ids": entries.other_ids,
        "synonyms": entries.synonyms,
        "replaced_by": terms.replaced_by,
        "consider": terms.consider,
    }
    for synonym in _list_in(meta, "synonyms"):
        _append(entries.synonyms, name, _text_in(synonym))
    for value in _list_in(meta, "basicPropertyValues"):
        kind = PROPERTIES.get(local_name(str(value.get("pred")))) if isinstance(value, dict) else None
        if kind is not None:
            text = _text_in(value)
            _append(lists[kind], name, text if kind == "synonyms" else short_name(text, {}))


def _list_in(meta: dict[str, Any], key: str) -> list[Any]:
    found = meta.get(key)
    return found if isinstance(found, list) else []


def _text_in(value: object) -> str:
    text = value.get("val") if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def _append(lists: dict[str, list[str]], name: str, text: object) -> None:
    if text and isinstance(text, str):
        lists.setdefault(name, []).append(text)


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
    entries, definition = terms.entries, term.get("description") or term.get("definition")
    if definition and isinstance(definition, str):
        entries.definitions[key] = definition
    for field_name, lists in (
        ("synonyms", entries.synonyms),
        ("replaced_by", terms.replaced_by),
        ("consider", terms.consider),
    ):
        texts = term.get(field_name)
        for text in texts if isinstance(texts, list) else [texts]:
            _append(lists, key, text)
    for parent in [name for name, distance in above.items() if distance == 1]:
        terms.add(key, "is_a", parent)


def _wrong_kind_of_json(content: Content) -> InputError:
    return InputError(
        f"{content.label}: is JSON of another kind; it should hold the graphs of OBO Graphs, or terms by id with "
        f"their ancestors; if it is a nested tree, say {option('format', 'json')}"
    )
