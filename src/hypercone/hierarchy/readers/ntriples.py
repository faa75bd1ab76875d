"""N-Triples: one statement a line. Lines that matter for a hierarchy are kept, the others only checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from hypercone.errors import InputError, short
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.rdf import Link, Statements, Text, reading_of
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.text import checked_utf8, is_empty

SPACE = rb"[ \t]*+"
IRI = rb"<[^\s<>]*+>"
# A dot inside a label belongs to it, one at its end closes the statement.
NODE = IRI + rb"|_:[^\s<>.#]++(?:\.++[^\s<>.#]++)*+"
TEXT = rb'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"'
STATEMENT = re.compile(
    rb"%(_)s(?:(%(node)s)%(_)s(%(iri)s)%(_)s(?:(%(node)s)|%(text)s(?:@([A-Za-z0-9-]++)|\^\^%(_)s%(iri)s)?)%(_)s\.%(_)s)?"
    rb"(?:#[^\n]*+)?(?:\n|\r\n?|\Z)|(.)" % {b"_": SPACE, b"node": NODE, b"iri": IRI, b"text": TEXT}
)
OTHER = STATEMENT.groups
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
LETTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def read(content: Content, *, relations: Sequence[str] = ("is_a",)) -> Reading:
    r"""The hierarchy of rdfs:subClassOf and skos:broader statements, and of the properties that ``relations`` name.

    >>> line = b"<http://a/#dog> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://a/#animal> .\n"
    >>> read(Content("a.nt", ".nt", line)).children
    ['http://a/#dog']
    """
    data = checked_utf8(content)
    if not data or data.isspace():
        raise is_empty(content, "one statement a line")
    statements = Statements(relations)
    _gather(content.label, data, statements)
    return reading_of(content.label, statements, {}, partial(line_numbers, data))


def _gather(label: str, data: bytes, statements: Statements) -> None:
    keepers = _Keepers(statements)
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
