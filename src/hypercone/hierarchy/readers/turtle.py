"""Turtle, statement by statement: sentences about subjects, with brackets for things that have no name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from hypercone.errors import InputError, visible
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.iris import RDF_TYPE, resolved, too_long
from hypercone.hierarchy.readers.ntriples import line_numbers, unescaped
from hypercone.hierarchy.readers.rdf import Statements, reading_of
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.readers.turtle_tokens import TOKEN, literal_of, token_error
from hypercone.hierarchy.text import checked_utf8, is_empty


def read(content: Content, *, relations: Sequence[str] = ("is_a",)) -> Reading:
    r"""The hierarchy of rdfs:subClassOf and skos:broader statements, and of the properties that ``relations`` name.

    >>> text = b"@prefix s: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://a/#> . :dog s:broader :animal ."
    >>> read(Content("a.ttl", ".ttl", text)).parents
    ['animal']
    """
    data = checked_utf8(content)
    if not data or data.isspace():
        raise is_empty(content, "statements about classes or concepts")
    # One byte a character keeps places in the text places in the file; what is kept is decoded later.
    text = data.decode("latin-1")
    statements = Statements(relations)
    sentences = _Sentences(content.label, text, statements)
    sentences.run()
    return reading_of(content.label, statements, sentences.prefixes, partial(line_numbers, data))


class _Open(NamedTuple):
    """What goes on after a closing bracket: the subject, the predicate, and what may follow."""

    bracket: str
    subject: str
    predicate: str
    expects: str


class _Sentences:
    """Reads tokens one by one; ``expects`` says what the next may be: subject, verb, object, more or item."""

    def __init__(self, label: str, text: str, statements: Statements) -> None:
        self.label, self.text = label, text
        self.links, self.texts = statements.links, statements.texts
        self.prefixes: dict[str, str] = {}
        self.known: dict[str, str] = {"a": RDF_TYPE}
        self.base = ""
        self.open: list[_Open] = []
        self.subject = self.predicate = ""
        self.expects = "subject"
        self.blanks = 0
        self.found: re.Match[str]

    @property
    def place(self) -> int:
        """Where the token begins."""
        return self.found.start(self.found.lastgroup or 0)

    def run(self) -> None:
        """Read it all; InputError with the line of the first token that does not fit."""
        handlers = {"mark": self._mark, "literal": self._literal, "directive": self._directive, "other": self._other}
        known, node = self.known, self._node
        for found in TOKEN.finditer(self.text):
            self.found = found
            kind = found.lastgroup or ""
            written = found[kind]
            if kind == "node":
                node(known.get(written) or self._address(written))
            elif kind != "end":
                handlers[kind](written)
        if self.expects != "subject" or self.open:
            raise InputError(f"{self.label}: ends in the middle of a statement; fetch the file again")

    def _other(self, _written: str) -> None:
        raise self._error()

    def _error(self) -> InputError:
        return token_error(self.label, self.text, self.place, self.expects)

    def _address(self, written: str) -> str:
        """The whole address of a node as it is written; remembered, for predicates recur on every line."""
        if written.startswith("<"):
            iri = resolved(self.base, unescaped(_utf8(written[1:-1])))
        elif written.startswith("_:"):
            return written
        else:
            prefix, colon, local = written.partition(":")
            if not colon:
                raise self._error()
            if _utf8(prefix) not in self.prefixes:
                raise InputError(
                    f"{self.label}:{self._line()}: the prefix {visible(_utf8(prefix))}: is not declared; add @prefix"
                )
            iri = self.prefixes[_utf8(prefix)] + _utf8(local).replace("\\", "")
        self.known[written] = iri
        return iri

    def _line(self) -> int:
        return self.text.count("\n", 0, self.place) + 1

    def _node(self, node: str) -> None:
        expects = self.expects
        if expects == "object":
            link = self.links[self.predicate]
            if link:
                link(self.subject, node, self.place)
            self.expects = "more"
        elif expects == "verb":
            self.predicate, self.expects = node, "object"
        elif expects == "subject":
            self.subject, self.expects = node, "verb"
        elif expects != "item":
            raise self._error()

    def _literal(self, written: str) -> None:
        if self.expects == "object":
            keep = self.texts.get(self.predicate)
            if keep:
                text, language = literal_of(_utf8(written))
                keep(self.subject, text, language)
            self.expects = "more"
        elif self.expects != "item":
            raise self._error()

    def _mark(self, mark: str) -> None:
        if mark == ";" and self.expects in ("more", "verb"):
            self.expects = "verb"
        elif mark == "," and self.expects == "more":
            self.expects = "object"
        elif mark in "[(":
            self._opened(mark)
        elif mark in "])":
            self._closed("[" if mark == "]" else "(")
        elif mark == "." and self.expects in ("more", "verb") and not self.open:
            self.expects = "subject"
        else:
            raise self._error()

    def _opened(self, bracket: str) -> None:
        before = self.expects
        self.blanks += 1
        # A space keeps it apart from the names that a file may give.
        blank = f"_: {self.blanks}"
        if before not in ("subject", "object", "item"):
            raise self._error()
        self._node(blank)
        self.open.append(_Open(bracket, self.subject, self.predicate, self.expects))
        self.subject, self.expects = blank, "verb" if bracket == "[" else "item"

    def _closed(self, bracket: str) -> None:
        allowed = ("more", "verb") if bracket == "[" else ("item",)
        if not self.open or self.open[-1].bracket != bracket or self.expects not in allowed:
            raise self._error()
        _, self.subject, self.predicate, self.expects = self.open.pop()

    def _directive(self, written: str) -> None:
        if self.expects != "subject":
            raise self._error()
        head, _, rest = written.partition("<")
        iri = resolved(self.base, unescaped(_utf8(rest[: rest.index(">")])))
        if problem := too_long(iri):
            raise InputError(f"{self.label}:{self._line()}: {problem}")
        # By white space as Turtle knows it: halves of letters such as à look like other kinds of it.
        _, *prefix = head.encode("latin-1").split()
        if prefix:
            self.prefixes[prefix[0].decode().removesuffix(":")] = iri
        else:
            self.base = iri
        self.known.clear()
        self.known["a"] = RDF_TYPE


def _utf8(text: str) -> str:
    return text if text.isascii() else text.encode("latin-1").decode()
