"""The tokens of Turtle, in text of one byte a character."""

from __future__ import annotations

import re

from hypercone.errors import InputError, short
from hypercone.hierarchy.readers.ntriples import unescaped

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
