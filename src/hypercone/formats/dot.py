"""Graphs in DOT, the language of Graphviz."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypercone.errors import InputError, short
from hypercone.formats.diagrams import Arrows, need_direction, text_of_markup
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.source import Content, text_of
from hypercone.hierarchy.relation_names import DEFAULT_RELATIONS
from hypercone.progress import Step

# Possessive, so that a quote or comment that is never closed is noticed at once. The last alternative is the rest.
TOKEN = re.compile(
    r"""(?P<space>\s++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/|^\#[^\n]*+)"""
    r"""|(?P<quoted>"(?:[^"\\]++|\\.)*+")|(?P<html><)|(?P<arrow>->|--)"""
    r"""|(?P<word>[^\W\d]\w*+|-?(?:\.\d++|\d++(?:\.\d*+)?)|[{}\[\]=;,:+])|(?P<other>.)""",
    re.MULTILINE | re.DOTALL,
)
# Each level repeats the nodes of those inside it.
DEEPEST = 100
ANGLE = re.compile("[<>]")
KEYWORDS = {"node", "edge", "graph"}


def read_dot(
    content: Content, *, direction: str | None = None, relations: Sequence[str] = DEFAULT_RELATIONS
) -> ParsedEdges:
    """The arrows of a digraph in DOT; the label of a node is its attribute ``label``.

    If edges have a relation, as an attribute named relation, relationship or predicate, or all of them type or label,
    only those with one of ``relations`` are taken.

    >>> graph = b'digraph { animal -> {dog cat}; dog [label="a dog"] }'
    >>> read_dot(Content("a.dot", ".dot", graph), direction="parent-child").children
    ['dog', 'cat']
    """
    direction = need_direction(content, "DOT", direction)
    text = text_of(content, "a graph such as digraph { animal -> dog }")
    return _Dot(content, text).read().parsed_edges(direction, relations, "DOT")


class _Dot:
    """A parser of DOT: statements of a graph, with subgraphs, attribute lists and ports."""

    def __init__(self, content: Content, text: str) -> None:
        self._label, self._text = content.label, text
        self._found = Arrows(content)
        self._at, self._token_start, self._quoted = 0, 0, False
        self._line, self._line_at = 1, 0
        self._token = ""
        self._next()

    def read(self) -> Arrows:
        """The arrows of the graph."""
        with Step("reading", len(self._text), lambda: self._at):
            self._keyword("strict")
            if self._keyword("graph"):
                raise self._error("the graph is undirected, so it does not say who is the parent; give a digraph")
            if not self._keyword("digraph"):
                raise self._error("expected digraph, as DOT begins; name the format if it is another")
            if self._token != "{" or self._quoted:
                self._id()
            self._statements()
        if not self._is(""):
            raise self._error("there is more after the end of the graph; keep one graph")
        return self._found

    def _statements(self) -> None:
        """The statements of the graph and of its subgraphs, which are opened and closed without recursion."""
        self._expect("{")
        # For each open brace: its nodes, and the sources of an arrow that leads to it.
        nodes: list[dict[str, None]] = [{}]
        sources: list[list[str] | None] = [None]
        while nodes:
            if self._is("}"):
                self._next()
                inside, before = list(nodes.pop()), sources.pop()
                if not nodes:
                    return
                nodes[-1].update(dict.fromkeys(inside))
                self._after_ends(inside, before, nodes, sources)
            elif self._is(";") or self._is(","):
                self._next()
            elif self._is("{") or self._is_subgraph():
                self._open(None, nodes, sources)
            elif self._is(""):
                raise self._error("the file ends before the graph does; a graph ends in }")
            else:
                self._statement(nodes, sources)

    def _statement(self, nodes: list[dict[str, None]], sources: list[list[str] | None]) -> None:
        if not self._quoted and self._token.casefold() in KEYWORDS:
            self._next()
            self._attributes()
            return
        name = self._id()
        if self._is("="):
            self._next()
            self._id()
            return
        self._port()
        self._found.nodes[name] = nodes[-1][name] = None
        self._after_ends([name], None, nodes, sources)

    def _after_ends(
        self,
        ends: list[str],
        before: list[str] | None,
        nodes: list[dict[str, None]],
        sources: list[list[str] | None],
    ) -> None:
        """What may follow one or several ends of arrows: another arrow, or attributes."""
        first = len(self._found.lines)
        if before is not None:
            self._found.add(before, ends, self._line_of(self._token_start))
        is_chain = before is not None
        while self._is("->") or self._is("--"):
            if self._is("--"):
                raise self._error("the edge -- is undirected, so it does not say who is the parent; write ->")
            self._next()
            if self._is("{") or self._is_subgraph():
                self._open(ends, nodes, sources)
                return
            line, name = self._line_of(self._token_start), self._id()
            self._port()
            self._found.nodes[name] = nodes[-1][name] = None
            self._found.add(ends, [name], line)
            ends, is_chain = [name], True
        attributes = self._attributes()
        if is_chain:
            self._found.describe(first, attributes)
        elif len(ends) == 1 and attributes.get("label"):
            self._found.labels[ends[0]] = attributes["label"]

    def _open(self, before: list[str] | None, nodes: list[dict[str, None]], sources: list[list[str] | None]) -> None:
        if self._keyword("subgraph") and not self._is("{"):
            self._id()
        self._expect("{")
        if len(nodes) > DEEPEST:
            raise self._error(f"subgraphs are nested more than {DEEPEST} deep; close some of them")
        nodes.append({})
        sources.append(before)

    def _attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self._is("["):
            self._next()
            while not self._is("]"):
                if self._is(",") or self._is(";"):
                    self._next()
                    continue
                key = self._id().casefold()
                value = "true"
                if self._is("="):
                    self._next()
                    value = self._id()
                found[key] = value
            self._next()
        return found

    def _port(self) -> None:
        while self._is(":"):
            self._next()
            self._id()

    def _id(self) -> str:
        """A name: a word, a number, a quoted text, several joined by +, or HTML, whose tags are left out."""
        if self._is(""):
            raise self._error("the file ends in the middle of a statement; a graph ends in }")
        if not self._quoted and not (self._token[0].isalnum() or self._token[0] in "_-."):
            raise self._error(f"expected a name, found {short(self._token, 40)!r}; put the name in quotes")
        if self._token in ("->", "--") and not self._quoted:
            raise self._error(f"expected a name, found {self._token!r}; put the name in quotes")
        parts = [self._token]
        self._next()
        while self._is("+"):
            self._next()
            if not self._quoted:
                raise self._error("a + joins two texts in quotes; write the second one")
            parts.append(self._token)
            self._next()
        return "".join(parts)

    def _keyword(self, word: str) -> bool:
        if self._quoted or self._token.casefold() != word:
            return False
        self._next()
        return True

    def _is_subgraph(self) -> bool:
        return not self._quoted and self._token.casefold() == "subgraph"

    def _is(self, sign: str) -> bool:
        return not self._quoted and self._token == sign

    def _expect(self, sign: str) -> None:
        if not self._is(sign):
            raise self._error(f"expected {sign}, found {short(self._token, 40)!r}; add it")
        self._next()

    def _next(self) -> None:
        while True:
            match = TOKEN.match(self._text, self._at)
            if match is None:
                self._token_start, self._token, self._quoted = len(self._text), "", False
                return
            self._token_start, self._at, kind = match.start(), match.end(), match.lastgroup
            if kind == "space":
                continue
            self._quoted = kind in ("quoted", "html")
            if kind == "html":
                self._token = self._html()
            elif kind == "quoted":
                # A line break in quotes is written \n, or centered by \l and \r; a backslash before a line end joins.
                inside = re.sub(r"\\\n", "", match[0][1:-1])
                self._token = re.sub(r"\\([nlr])", " ", inside).replace('\\"', '"').strip()
            elif match[0] == '"':
                raise self._error("a quote is never closed; close it")
            elif kind == "other":
                raise self._error(f"{short(match[0])!r} is not a part of DOT; put names with it in quotes")
            else:
                self._token = match[0]
            return

    def _html(self) -> str:
        """The text of an HTML label, which is between balanced angle brackets."""
        depth = 0
        for found in ANGLE.finditer(self._text, self._token_start):
            depth += 1 if found[0] == "<" else -1
            if not depth:
                self._at = found.end()
                inside = self._text[self._token_start + 1 : found.start()]
                return text_of_markup(inside)
        raise self._error("a < is never matched by a >; add it")

    def _line_of(self, position: int) -> int:
        # Counted from the last one asked for, because a file is read from its beginning to its end.
        self._line += self._text.count("\n", self._line_at, position)
        self._line_at = max(self._line_at, position)
        return self._line

    def _error(self, problem: str) -> InputError:
        line = self._text.count("\n", 0, self._token_start) + 1
        return InputError(f"{self._label}:{line}: {problem}")
