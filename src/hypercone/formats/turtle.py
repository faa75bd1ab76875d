"""Turtle and N-Triples, statement by statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from hypercone.errors import InputError, short, visible
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.rdf import RDF_TYPE, Link, Statements, Text, reading_of, resolved, too_long
from hypercone.formats.source import Content, checked_utf8, is_empty
from hypercone.progress import Step

SPACE = rb"[ \t]*+"
LINE_IRI = rb"<[^\s<>]*+>"
# A dot inside a label belongs to it, one at its end closes the statement.
LINE_NODE = LINE_IRI + rb"|_:[^\s<>.#]++(?:\.++[^\s<>.#]++)*+"
LINE_TEXT = rb'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"'
STATEMENT = re.compile(
    rb"%(_)s(?:(%(node)s)%(_)s(%(iri)s)%(_)s(?:(%(node)s)|%(text)s(?:@([A-Za-z0-9-]++)|\^\^%(_)s%(iri)s)?)%(_)s\.%(_)s)?"
    rb"(?:#[^\n]*+)?(?:\n|\r\n?|\Z)|(.)" % {b"_": SPACE, b"node": LINE_NODE, b"iri": LINE_IRI, b"text": LINE_TEXT}
)
OTHER = STATEMENT.groups
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
LETTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def read_ntriples(content: Content, *, relations: Sequence[str] = ("is_a",)) -> ParsedEdges:
    r"""The hierarchy of rdfs:subClassOf and skos:broader statements, and of the properties that ``relations`` name.

    >>> line = b"<http://a/#dog> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://a/#animal> .\n"
    >>> read_ntriples(Content("a.nt", ".nt", line)).children
    ['http://a/#dog']
    """
    data = checked_utf8(content)
    if not data or data.isspace():
        raise is_empty(content, "one statement a line")
    statements = Statements(relations)
    _gather(content.label, data, statements)
    return reading_of(content.label, statements, {}, partial(line_numbers, data))


def _gather(label: str, data: bytes, statements: Statements) -> None:
    keepers, found = _Keepers(statements), None
    with Step("reading", len(data), lambda: found.start() if found else 0):
        for found in STATEMENT.finditer(data):
            # Most statements of an ontology are remarks, so that what is not looked at makes the speed.
            keeper = keepers[found[2]]
            if keeper:
                subject, _, node, text, language, _ = found.groups()
                if node is None and keeper.text:
                    keeper.text(_node(subject), unescaped(text.decode()), (language or b"").decode())
                elif node is not None and keeper.link:
                    keeper.link(_node(subject), _node(node), found.start())
            elif found[OTHER] is not None:
                raise _no_statement(label, data, found.start())


def _no_statement(label: str, data: bytes, place: int) -> InputError:
    line = data.count(b"\n", 0, place) + 1
    culprit = data[place : place + 200].decode(errors="replace").split("\n")[0]
    return InputError(f"{label}:{line}: is no statement of N-Triples: {short(culprit)!r}; fix or remove this line")


class _Keeper(NamedTuple):
    """What keeps the statements of a predicate, by what follows it."""

    link: Link | None
    text: Text | None


class _Keepers(dict[bytes | None, _Keeper | None]):
    """What keeps a statement, by its predicate as it stands in the file; None for those of no interest."""

    def __init__(self, statements: Statements) -> None:
        super().__init__({None: None})
        self._statements = statements

    def __missing__(self, written: bytes) -> _Keeper | None:
        predicate = _node(written)
        keeper = _Keeper(self._statements.links[predicate], self._statements.texts.get(predicate))
        self[written] = keeper if any(keeper) else None
        return self[written]


def _node(written: bytes) -> str:
    text = written.decode()
    return unescaped(text[1:-1] if text.startswith("<") else text)


def unescaped(text: str) -> str:
    r"""The text without its backslashes.

    >>> unescaped(r"caf\u00e9")
    'café'
    """
    return ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if not code:
        return LETTERS.get(found[3], found[3])
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else "\ufffd"


def line_numbers(data: bytes, places: Sequence[int]) -> list[int]:
    r"""The line of each place in the data; places ascend.

    >>> line_numbers(b"a\nb\nc", [0, 4])
    [1, 3]
    """
    lines, line, last = [], 1, 0
    for place in places:
        line += data.count(b"\n", last, place)
        lines.append(line)
        last = place
    return lines


BLANK = r"\s*+(?:#[^\n]*+\s*+)*+"
IRI = r"<[^\s<>\"]*+>"
# Bytes above 127 belong to letters of other scripts.
WORD = r"[\w\x80-\xff-]"
ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
PREFIX = r"(?:[A-Za-z\x80-\xff][\w.\x80-\xff-]*+)?:"
# A dot inside a name belongs to it, one at its end closes the sentence.
LOCAL = rf"(?:[\w:\x80-\xff-]++|{ESCAPED}|(?<![:\s])\.++(?=[\w:\x80-\xff%\\-]))*+"
NODE = rf"{IRI}|{PREFIX}{LOCAL}|_:{WORD}++(?:\.++{WORD}++)*+"
TEXT = (
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"""'
    r"|'''(?:[^'\\]|\\.|'{1,2}(?!'))*+'''"
    r'|"[^"\\\n\r]*+(?:\\.[^"\\\n\r]*+)*+"'
    r"|'[^'\\\n\r]*+(?:\\.[^'\\\n\r]*+)*+'"
)
LITERAL = (
    rf"(?:{TEXT})(?:@[A-Za-z]++(?:-[A-Za-z0-9]++)*+|\s*+\^\^\s*+(?:{IRI}|{PREFIX}{LOCAL}))?"
    r"|[+-]?(?:\d++(?:\.\d++|\.(?=[eE]))?|\.\d++)(?:[eE][+-]?\d++)?|(?:true|false)\b"
)
DIRECTIVE = (
    rf"@prefix\s+{PREFIX}\s*{IRI}\s*\.|@base\s*{IRI}\s*\."
    rf"|(?:[Pp][Rr][Ee][Ff][Ii][Xx])\s+{PREFIX}\s*{IRI}|(?:[Bb][Aa][Ss][Ee])\s*{IRI}"
)
TOKEN = re.compile(
    rf"{BLANK}(?:(?P<mark>[;,\[\]()]|\.(?!\d))|(?P<node>{NODE}|a(?![\w:-]))|(?P<literal>{LITERAL})"
    rf"|(?P<directive>{DIRECTIVE})|(?P<end>\Z)|(?P<other>.))",
    re.ASCII | re.DOTALL,
)
EXPECTED = {"more": "one of . ; ,", "item": "an item of the list", "object": "an object"}
PARTS = re.compile(rf"({TEXT})(?:@([A-Za-z0-9-]+))?", re.ASCII | re.DOTALL)


def literal_of(written: str) -> tuple[str, str]:
    r"""The text of a literal and its language, empty if it has none.

    >>> literal_of('"caf\\u00e9"@fr'), literal_of("true")
    (('café', 'fr'), ('true', ''))
    """
    parts = PARTS.match(written)
    if parts is None:
        return written, ""
    marks = 3 if parts[1][:3] in ('"""', "'''") and len(parts[1]) >= 6 else 1
    return unescaped(parts[1][marks:-marks]), parts[2] or ""


def token_error(label: str, text: str, place: int, expects: str) -> InputError:
    """The error at a place in the text, with its line and what was expected there."""
    line = text.count("\n", 0, place) + 1
    culprit = text[place : place + 60].split("\n")[0].encode("latin-1").decode(errors="replace")
    wanted = EXPECTED.get(expects, f"a {expects}")
    return InputError(f"{label}:{line}: expected {wanted}, found {short(culprit)!r}; is the file complete, and Turtle?")


def read_turtle(content: Content, *, relations: Sequence[str] = ("is_a",)) -> ParsedEdges:
    r"""The hierarchy of rdfs:subClassOf and skos:broader statements, and of the properties that ``relations`` name.

    >>> text = b"@prefix s: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://a/#> . :dog s:broader :animal ."
    >>> read_turtle(Content("a.ttl", ".ttl", text)).parents
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
        with Step("reading", len(self.text), lambda: self.place):
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
