r"""OBO ontologies: [Term] stanzas of ``tag: value {modifiers} ! comment``, with escapes such as ``\:``.

Written after the OBO Flat File Format 1.4 guide (owlcollab.github.io/oboformat/doc/obo-syntax.html).
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from hypercone.errors import InputError, short
from hypercone.hierarchy.files import Content
from hypercone.hierarchy.readers.reading import Reading
from hypercone.hierarchy.readers.terms import Terms
from hypercone.hierarchy.text import checked_utf8, is_empty

USED = (b"id:", b"name:", b"is_a:", b"relationship:", b"is_obsolete:")
COMMENT = re.compile(r"(?<!\\)\s!(\s.*)?$")
MODIFIERS = re.compile(r"""\s\{[^{}"]*="[^"]*"[^{}]*\}\s*$""")
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": " ", "W": " ", "t": " "}


def read(content: Content, relations: Sequence[str] = ("is_a",)) -> Reading:
    r"""The statements of these relations, child to parent; names are the ids, labels the names.

    >>> read(Content("a.obo", ".obo", b"[Term]\nid: A:1\nname: dog\nis_a: A:2 ! animal\n[Term]\nid: A:2\n")).parents
    ['A:2']
    """
    data = checked_utf8(content)
    if not data.strip():
        raise is_empty(content, "an OBO ontology with [Term] stanzas")
    stanzas = _Stanzas(content.label)
    # Most lines are definitions and synonyms; only those used are decoded, and they are never all in memory.
    for number, line in enumerate(io.BytesIO(data), 1):
        if line.startswith(b"["):
            stanzas.begin(number, line)
        elif stanzas.in_term:
            if line.startswith(USED):
                stanzas.take(number, line.decode())
            elif b":" not in line and line.strip() and not line.startswith(b"!"):
                shown = short(line[:200].decode(errors="replace").strip(), 40)
                raise InputError(f"{content.label}:{number}: expected 'tag: value', found {shown!r}; mend the line")
    stanzas.end()
    if not stanzas.terms.labels:
        raise InputError(f"{content.label}: has no [Term]; is it an OBO ontology?")
    return stanzas.terms.reading(relations)


class _Stanzas:
    """Takes the stanzas apart, one line at a time."""

    def __init__(self, label: str) -> None:
        self.terms = Terms(label)
        self.in_term = False
        self._begun = 0
        self._id = ""

    def begin(self, number: int, line: bytes) -> None:
        """The first line of a stanza."""
        self.end()
        self.in_term = line.split(b"!")[0].strip() == b"[Term]"
        self._begun, self._id = number, ""

    def end(self) -> None:
        """The stanza is over."""
        if self.in_term and not self._id:
            raise InputError(f"{self.terms.source}:{self._begun}: this [Term] has no id; give it one")

    def take(self, number: int, line: str) -> None:
        """One line of a term."""
        tag, _, value = line.partition(":")
        value = value.strip()
        words = value.split(None, 2)
        if len(words) < 1 + (tag == "relationship"):
            raise InputError(f"{self.terms.source}:{number}: the {tag} is cut short; mend the line")
        if tag == "id":
            self._id = _unescaped(words[0])
            self.terms.labels.setdefault(self._id, "")
        elif not self._id:
            raise InputError(f"{self.terms.source}:{number}: the id of the term should stand before this; move it up")
        elif tag == "name":
            self.terms.labels[self._id] = _unescaped(MODIFIERS.sub("", COMMENT.sub("", value)))
        elif tag == "is_a":
            self.terms.add(self._id, "is_a", _unescaped(words[0]), number)
        elif tag == "relationship":
            self.terms.add(self._id, _unescaped(words[0]), _unescaped(words[1]), number)
        elif words[0] == "true":
            self.terms.obsolete.add(self._id)


def _unescaped(text: str) -> str:
    return ESCAPE.sub(lambda match: ESCAPED.get(match[1], match[1]), text) if "\\" in text else text
