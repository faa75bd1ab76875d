"""Flowcharts of Mermaid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hypercone.errors import InputError, short
from hypercone.formats.diagrams import Arrows, need_direction, text_of_markup
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.source import Content, text_of
from hypercone.hierarchy.relation_names import DEFAULT_RELATIONS
from hypercone.progress import track_progress

FLOWCHART = re.compile(r"(?:graph|flowchart)(?:-elk)?(?:\s+(?:TB|TD|BT|RL|LR))?\s*(?:;|$)", re.IGNORECASE)
DIAGRAM = re.compile(r"[a-z]+(?:-[a-z]+)*", re.IGNORECASE)
# Statements that are neither nodes nor arrows.
SETTINGS = re.compile(
    r"(?:subgraph|end|direction|classDef|class|style|linkStyle|click|accTitle|accDescr)\b", re.IGNORECASE
)
STATEMENT = re.compile(r'(?:"[^"]*+"|[^;"]|")++')
# Signs of arrows and brackets end a name, but a single dash, dot or colon inside it does not.
LETTER = r"""[^\s\[\](){}<>|&;"'@~=.:-]"""
NAME = re.compile(rf"{LETTER}++(?:(?:-(?![->.])|\.(?![-.])|:(?!::)){LETTER}++)*+")
# The longer brackets first; a label in quotes may contain brackets.
BRACKETS = [("(((", ")))"), ("((", "))"), ("([", "])"), ("[[", "]]"), ("[(", ")]"), ("{{", "}}"), ("[/", "/]"),
            ("[/", "\\]"), ("[\\", "\\]"), ("[\\", "/]"), ("[", "]"), ("(", ")"), ("{", "}"), (">", "]")]  # fmt: skip
LABEL = re.compile(
    "|".join(
        rf'{re.escape(opening)}(?:\s*+"(?P<q{at}>[^"]*+)"\s*+|(?P<p{at}>[^"\n]*?)){re.escape(closing)}'
        for at, (opening, closing) in enumerate(BRACKETS)
    )
)
CLASS = re.compile(r":::[\w-]++")
LINE = r"(?:--++|==++|-\.++-?|~~~++)"
ARROW = re.compile(rf"(?P<left><)?{LINE}(?P<head>[>xo](?=[\s|]|$|\w))?(?:\s*+\|(?P<text>[^|\n]*+)\|)?")
# An arrow with a text in the middle: how it begins, and how it ends.
TEXT_BEGINS = re.compile(r"(?:--|==|-\.)(?=\s)")
TEXT_ENDS = re.compile(r"(?:--++|==++|\.++-)(?P<head>[>xo](?=[\s|]|$|\w))?")


def read_mermaid(
    content: Content, *, direction: str | None = None, relations: Sequence[str] = DEFAULT_RELATIONS
) -> ParsedEdges:
    r"""The arrows of a flowchart of Mermaid; the label of a node is the text in its brackets.

    If all arrows have a text, it is their relation, and only those with one of ``relations`` are taken.

    >>> chart = b"graph TD\n  a[animal] --> dog & cat\n"
    >>> read_mermaid(Content("a.mmd", ".mmd", chart), direction="parent-child").children
    ['dog', 'cat']
    """
    direction = need_direction(content, "Mermaid", direction)
    text = text_of(content, "a flowchart such as graph TD with the line animal --> dog")
    found = Arrows(content)
    statements = list(_statements_of(content.label, text))
    for line, statement in track_progress(statements, "reading", len(statements)):
        _Statement(found, line, statement).read()
    return found.parsed_edges(direction, relations, "Mermaid")


def _statements_of(label: str, text: str) -> Iterator[tuple[int, str]]:
    """The statements below the line that says which kind of diagram it is, with their lines."""
    has_begun = in_front_matter = False
    for number, line in enumerate(text.split("\n"), 1):
        rest = line.strip()
        if rest == "---" and not has_begun:
            in_front_matter = not in_front_matter
        if not rest or rest.startswith(("%%", "```", "---")) or in_front_matter:
            continue
        if not has_begun:
            first = FLOWCHART.match(rest)
            if not first:
                kind = DIAGRAM.match(rest)
                what = f"is the diagram {short(kind[0])!r}" if kind else f"begins with {short(rest, 40)!r}"
                raise InputError(f"{label}:{number}: {what}, not a flowchart; it should begin with graph TD")
            has_begun, rest = True, rest[first.end() :]
        for part in STATEMENT.findall(rest):
            statement = part.strip()
            if statement and not SETTINGS.match(statement):
                yield number, statement


class _Statement:
    """A statement such as ``a[animal] --> b & c``."""

    def __init__(self, found: Arrows, line: int, text: str) -> None:
        self._found, self._line, self._text, self._at = found, line, text, 0

    def read(self) -> None:
        """Add its nodes and arrows."""
        ends = self._nodes()
        while self._at < len(self._text):
            is_left, text = self._arrow()
            first, before, ends = len(self._found.lines), ends, self._nodes()
            self._found.add(*((ends, before) if is_left else (before, ends)), self._line)
            self._found.describe(first, {"label": text} if text else {})

    def _nodes(self) -> list[str]:
        names = [self._node()]
        while self._text.startswith("&", self._at):
            self._at += 1
            names.append(self._node())
        return names

    def _node(self) -> str:
        self._skip_space()
        name = NAME.match(self._text, self._at)
        if not name:
            raise self._error("expected a node")
        self._at = name.end()
        self._found.nodes[name[0]] = None
        label = LABEL.match(self._text, self._at)
        if label:
            self._at = label.end()
            text = next(text for text in label.groups() if text is not None)
            self._found.labels[name[0]] = text_of_markup(text.strip("` ").replace("#quot;", "&quot;"))
        if style := CLASS.match(self._text, self._at):
            self._at = style.end()
        self._skip_space()
        return name[0]

    def _arrow(self) -> tuple[bool, str]:
        """Move behind an arrow: whether it points to the left, and the text on it."""
        begins = TEXT_BEGINS.match(self._text, self._at)
        found = TEXT_ENDS.search(self._text, begins.end()) if begins else ARROW.match(self._text, self._at)
        if not found:
            raise self._error("expected an arrow such as -->")
        is_left, is_right = not begins and bool(found["left"]), bool(found["head"])
        if is_left == is_right:
            what = "an arrow with two heads" if is_left else "a line without an arrowhead"
            raise self._error(f"{what} does not say who is the parent,")
        self._at = found.end()
        text = self._text[begins.end() : found.start()] if begins else found["text"] or ""
        return is_left, text_of_markup(text.strip('" '))

    def _skip_space(self) -> None:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1

    def _error(self, problem: str) -> InputError:
        shown = short(self._text[self._at :], 40) or "the end"
        return InputError(f"{self._found.label}:{self._line}: {problem} at {shown!r}; mend this line")
