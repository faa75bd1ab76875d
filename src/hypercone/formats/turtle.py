"""Turtle and N-Triples, read as a stream of statements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from operator import add, sub
from typing import NamedTuple

from hypercone.errors import InputError, short, visible
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.rdf import (
    RDF_TYPE,
    Link,
    Statements,
    Text,
    edges_from_statements,
    problem_with_base,
    resolve_iri,
)
from hypercone.formats.source import Content, checked_utf8, is_empty
from hypercone.progress import Step

SPACE = rb"[ \t]*+"
LINE_IRI = rb"<[^\s<>]*+>"
# A dot inside a label belongs to it; a dot at its end ends the statement.
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
    r"""The edges of rdfs:subClassOf and skos:broader statements, and of the properties in ``relations``.

    >>> line = b"<http://a/#dog> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://a/#animal> .\n"
    >>> read_ntriples(Content("a.nt", ".nt", line)).children
    ['http://a/#dog']
    """
    data = checked_utf8(content)
    if not data or data.isspace():
        raise is_empty(content, "one statement per line")
    statements = Statements(relations)
    _collect_statements(content.label, data, statements)
    return edges_from_statements(content.label, statements, {}, partial(line_numbers, data))


def _collect_statements(label: str, data: bytes, statements: Statements) -> None:
    handlers_of, found = _HandlersByPredicate(statements), None
    with Step("reading", len(data), lambda: found.start() if found else 0):
        for found in STATEMENT.finditer(data):
            # Most statements of an ontology are annotations, which are skipped without parsing.
            handlers = handlers_of[found[2]]
            if handlers:
                subject, _, node, text, language, _ = found.groups()
                if node is None and handlers.text:
                    handlers.text(_node(subject), unescape(text.decode()), (language or b"").decode())
                elif node is not None and handlers.link:
                    handlers.link(_node(subject), _node(node), found.start())
            elif found[OTHER] is not None:
                raise _not_a_statement(label, data, found.start())


def _not_a_statement(label: str, data: bytes, offset: int) -> InputError:
    line = data.count(b"\n", 0, offset) + 1
    culprit = data[offset : offset + 200].decode(errors="replace").split("\n")[0]
    return InputError(f"{label}:{line}: is not an N-Triples statement: {short(culprit)!r}; fix or remove this line")


class _Handlers(NamedTuple):
    """The handlers of a predicate for objects that are nodes and for texts."""

    link: Link | None
    text: Text | None


class _HandlersByPredicate(dict[bytes | None, _Handlers | None]):
    """The handlers by predicate, as written in the file; None for a predicate that is ignored."""

    def __init__(self, statements: Statements) -> None:
        super().__init__({None: None})
        self._statements = statements

    def __missing__(self, written: bytes) -> _Handlers | None:
        predicate = _node(written)
        handlers = _Handlers(self._statements.links[predicate], self._statements.texts.get(predicate))
        self[written] = handlers if any(handlers) else None
        return self[written]


def _node(written: bytes) -> str:
    text = written.decode()
    return unescape(text[1:-1] if text.startswith("<") else text)


def unescape(text: str) -> str:
    r"""The text with its escape sequences replaced.

    >>> unescape(r"caf\u00e9")
    'café'
    """
    return ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if not code:
        return LETTERS.get(found[3], found[3])
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else "\ufffd"


def line_numbers(data: bytes, offsets: Sequence[int]) -> list[int]:
    r"""The line of each offset in the data; the offsets must ascend.

    >>> line_numbers(b"a\nb\nc", [0, 4])
    [1, 3]
    """
    lines, line, last = [], 1, 0
    for offset in offsets:
        line += data.count(b"\n", last, offset)
        lines.append(line)
        last = offset
    return lines


BLANK = r"\s*+(?:#[^\n]*+\s*+)*+"
IRI = r"<[^\s<>\"]*+>"
# Bytes above 127 are parts of non-ASCII letters.
WORD = r"[\w\x80-\xff-]"
ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
PREFIX = r"(?:[A-Za-z\x80-\xff][\w.\x80-\xff-]*+)?:"
# A dot inside a name belongs to it; a dot at its end ends the statement.
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
# Further objects of a statement, and empty lists among the items of a list: the most tokens for the fewest bytes.
NAMED = rf"{IRI}|{PREFIX}{LOCAL}"
OBJECT = re.compile(rf"{BLANK},{BLANK}(?:(?P<node>{NAMED})|\[{BLANK}\])", re.ASCII)
# So many at a time, because all of them may be millions.
OBJECTS = re.compile(rf"(?:{BLANK},{BLANK}(?:{NAMED}|\[{BLANK}\])){{2,10000}}+", re.ASCII)
# A comment, an address in full, an escape, a node without a name, or a letter beyond ASCII.
SPECIAL = re.compile(r"[#<\\\[\x80-\xff]")
EMPTY_LISTS = re.compile(rf"(?:{BLANK}\({BLANK}\))++", re.ASCII)
DEEPEST = 10_000
# Addresses to remember: nearly all statements use the same predicates, but each node is in few of them.
MOST_KNOWN = 100_000
EXPECTED = {"more": "one of . ; ,", "item": "an item of the list", "object": "an object"}
PARTS = re.compile(rf"({TEXT})(?:@([A-Za-z0-9-]+))?", re.ASCII | re.DOTALL)


def literal_of(written: str) -> tuple[str, str]:
    r"""The text of a literal and its language, which is empty if not given.

    >>> literal_of('"caf\\u00e9"@fr'), literal_of("true")
    (('café', 'fr'), ('true', ''))
    """
    parts = PARTS.match(written)
    if parts is None:
        return written, ""
    marks = 3 if parts[1][:3] in ('"""', "'''") and len(parts[1]) >= 6 else 1
    return unescape(parts[1][marks:-marks]), parts[2] or ""


def token_error(label: str, text: str, offset: int, expects: str) -> InputError:
    """The error at an offset in the text, with its line and what was expected."""
    line = text.count("\n", 0, offset) + 1
    culprit = text[offset : offset + 60].split("\n")[0].encode("latin-1").decode(errors="replace")
    wanted = EXPECTED.get(expects, f"a {expects}")
    return InputError(f"{label}:{line}: expected {wanted}, found {short(culprit)!r}; is it a complete Turtle file?")


def read_turtle(content: Content, *, relations: Sequence[str] = ("is_a",)) -> ParsedEdges:
    r"""The edges of rdfs:subClassOf and skos:broader statements, and of the properties in ``relations``.

    >>> text = b"@prefix s: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://a/#> . :dog s:broader :animal ."
    >>> read_turtle(Content("a.ttl", ".ttl", text)).parents
    ['animal']
    """
    data = checked_utf8(content)
    if not data or data.isspace():
        raise is_empty(content, "statements about classes or concepts")
    # As Latin-1, offsets in the text are offsets in the file; names and texts are decoded when they are used.
    text = data.decode("latin-1")
    statements = Statements(relations)
    parser = _TurtleParser(content.label, text, statements)
    parser.run()
    return edges_from_statements(content.label, statements, parser.prefixes, partial(line_numbers, data))


class _OpenBracket(NamedTuple):
    """The state to restore after the closing bracket: subject, predicate, and what is expected next."""

    bracket: str
    subject: str
    predicate: str
    expects: str


class _TurtleParser:
    """Handles tokens one by one; ``expects`` is what may come next: subject, verb, object, more or item."""

    def __init__(self, label: str, text: str, statements: Statements) -> None:
        self.label, self.text, self.statements = label, text, statements
        self.links, self.texts = statements.links, statements.texts
        self.prefixes = statements.prefixes
        # The addresses of what was written, and of prefixes as they are written, the bytes of a letter apart.
        self.known: dict[str, str] = {"a": RDF_TYPE}
        self.namespaces: dict[str, str] = {}
        self.base = ""
        self.open_brackets: list[_OpenBracket] = []
        self.subject = self.predicate = ""
        self.expects = "subject"
        self.is_list = False
        self.blanks = 0
        self.found: re.Match[str]

    @property
    def offset(self) -> int:
        """The offset of the current token."""
        return self.found.start(self.found.lastgroup or 0)

    def run(self) -> None:
        """Parse the text; InputError with the line of the first unexpected token."""
        position = 0
        with Step("reading", len(self.text), lambda: self.offset):
            while position <= len(self.text):
                position = self._read_tokens(position)
        if self.expects != "subject" or self.open_brackets:
            raise InputError(f"{self.label}: ends in the middle of a statement; fetch the file again")

    def _read_tokens(self, position: int) -> int:
        """Handle tokens one by one up to a list of objects or items, which is read at once; the position behind it."""
        handlers = {"mark": self._mark, "literal": self._literal, "directive": self._directive, "other": self._other}
        known, node = self.known, self._node
        for found in TOKEN.finditer(self.text, position):
            self.found = found
            kind = found.lastgroup or ""
            written = found[kind]
            if kind == "node":
                node(known.get(written) or self._address(written))
                if self.is_list and (objects := OBJECTS.match(self.text, found.end())):
                    self._objects(objects.start(), objects.end())
                    return objects.end()
            elif kind != "end":
                handlers[kind](written)
                if written == "(" and (empty := EMPTY_LISTS.match(self.text, found.end())):
                    return empty.end()
        return len(self.text) + 1

    def _objects(self, start: int, end: int) -> None:
        """Handle objects that follow each other."""
        if self.links[self.predicate] is None:
            return
        written, positions = _split_objects(self.text, start, end)
        # As a rule, all have the same prefix and no escapes.
        prefix = written[0].partition(":")[0] + ":"
        namespace = None if SPECIAL.search(self.text, start, end) else self.namespaces.get(prefix[:-1])
        try:
            if namespace is None:
                nodes = [self._object(each) for each in written]
            else:
                size = len(prefix)
                nodes = [namespace + w[size:] if w.startswith(prefix) else self._object(w) for w in written]
        except InputError:
            # Once more, for the line of the object.
            for found in OBJECT.finditer(self.text, start, end):
                self.found = found
                self._object(found[1] or "")
            raise
        self.statements.add_objects(self.predicate, self.subject, nodes, positions)

    def _object(self, written: str) -> str:
        """The address of an object as written; that of a new node without a name if nothing is written."""
        if written:
            return self.known.get(written) or self._address(written)
        self.blanks += 1
        return f"_: {self.blanks}"

    def _other(self, _written: str) -> None:
        raise self._error()

    def _error(self) -> InputError:
        return token_error(self.label, self.text, self.offset, self.expects)

    def _address(self, written: str) -> str:
        """The absolute address of a node as written; cached, because predicates recur on every line."""
        prefix, _, local = written.partition(":")
        namespace = self.namespaces.get(prefix)
        if namespace is not None and local.isascii() and "\\" not in local:
            iri = namespace + local
            if len(self.known) < MOST_KNOWN:
                self.known[written] = iri
            return iri
        if written.startswith("<"):
            iri = resolve_iri(self.base, unescape(_utf8(written[1:-1])))
        elif written.startswith("_:"):
            return written
        else:
            if ":" not in written:
                raise self._error()
            if _utf8(prefix) not in self.prefixes:
                raise InputError(
                    f"{self.label}:{self._line()}: the prefix {visible(_utf8(prefix))}: is not declared; add @prefix"
                )
            iri = self.prefixes[_utf8(prefix)] + _utf8(local).replace("\\", "")
        if len(self.known) < MOST_KNOWN:
            self.known[written] = iri
        return iri

    def _line(self) -> int:
        return self.text.count("\n", 0, self.offset) + 1

    def _node(self, node: str) -> None:
        expects = self.expects
        if expects == "object":
            link = self.links[self.predicate]
            if link:
                link(self.subject, node, self.offset)
            self.expects = "more"
        elif expects == "verb":
            self.predicate, self.expects = node, "object"
        elif expects == "subject":
            self.subject, self.expects = node, "verb"
        elif expects != "item":
            raise self._error()

    def _literal(self, written: str) -> None:
        if self.expects == "object":
            handle = self.texts.get(self.predicate)
            if handle:
                text, language = literal_of(_utf8(written))
                handle(self.subject, text, language)
            self.expects = "more"
        elif self.expects != "item":
            raise self._error()

    def _mark(self, mark: str) -> None:
        self.is_list = mark == ","
        if mark == ";" and self.expects in ("more", "verb"):
            self.expects = "verb"
        elif mark == "," and self.expects == "more":
            self.expects = "object"
        elif mark in "[(":
            self._open_bracket(mark)
        elif mark in "])":
            self._close_bracket("[" if mark == "]" else "(")
        elif mark == "." and self.expects in ("more", "verb") and not self.open_brackets:
            self.expects = "subject"
        else:
            raise self._error()

    def _open_bracket(self, bracket: str) -> None:
        before = self.expects
        self.blanks += 1
        # With a space, which names in a file cannot contain.
        blank = f"_: {self.blanks}"
        if before not in ("subject", "object", "item"):
            raise self._error()
        self._node(blank)
        if len(self.open_brackets) == DEEPEST:
            raise InputError(
                f"{self.label}:{self._line()}: has brackets in brackets, more than {DEEPEST:,} deep; write it in parts"
            )
        self.open_brackets.append(_OpenBracket(bracket, self.subject, self.predicate, self.expects))
        self.subject, self.expects = blank, "verb" if bracket == "[" else "item"

    def _close_bracket(self, bracket: str) -> None:
        allowed = ("more", "verb") if bracket == "[" else ("item",)
        if not self.open_brackets or self.open_brackets[-1].bracket != bracket or self.expects not in allowed:
            raise self._error()
        _, self.subject, self.predicate, self.expects = self.open_brackets.pop()

    def _directive(self, written: str) -> None:
        if self.expects != "subject":
            raise self._error()
        head, _, rest = written.partition("<")
        iri = resolve_iri(self.base, unescape(_utf8(rest[: rest.index(">")])))
        if problem := problem_with_base(iri):
            raise InputError(f"{self.label}:{self._line()}: {problem}")
        # As bytes, because in Latin-1 the second byte of letters such as à looks like white space.
        _, *prefix = head.encode("latin-1").split()
        if prefix:
            self.prefixes[prefix[0].decode().removesuffix(":")] = iri
            self.namespaces[prefix[0].decode("latin-1").removesuffix(":")] = iri
        else:
            self.base = iri
        self.known.clear()
        self.known["a"] = RDF_TYPE


def _split_objects(text: str, start: int, end: int) -> tuple[list[str], list[int]]:
    """Objects that follow each other as they are written, empty for a node without a name, and their offsets."""
    if SPECIAL.search(text, start, end):
        found = list(OBJECT.finditer(text, start, end))
        return [each[1] or "" for each in found], [each.start(each.lastgroup or 0) for each in found]
    # Only prefixed names, so that commas are between objects and nowhere else; this takes a quarter of the time.
    blank, *parts = text[start:end].split(",")
    lengths = [*map(len, parts)]
    begins = accumulate(lengths, lambda begin, length: begin + length + 1, initial=start + len(blank) + 1)
    return [*map(str.strip, parts)], [*map(add, begins, map(sub, lengths, map(len, map(str.lstrip, parts))))]


def _utf8(text: str) -> str:
    return text if text.isascii() else text.encode("latin-1").decode()
