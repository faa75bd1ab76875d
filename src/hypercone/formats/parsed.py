"""What a reader returns (edges by name, their lines, labels, notes), and how a Hierarchy is built from it."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import length_hint
from types import MappingProxyType
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows, pair_keys
from hypercone.errors import HierarchyError, InputError, option, plural, short, some, warn_renamed
from hypercone.hierarchy.glossary import Entries, Glossary
from hypercone.hierarchy.graph import CycleError, condense_cycles, edges_closing_cycles
from hypercone.hierarchy.hierarchy import Hierarchy, first_self_loop, self_loop
from hypercone.hierarchy.names import NameIndex, is_usable, number_names
from hypercone.progress import Step


@dataclass(frozen=True)
class ParsedEdges:
    """Edges as two lists of names, parents and children, in the order of the file.

    ``lines`` holds the line of each edge, if the format has lines. ``labels`` are human-readable names of nodes; those
    of nodes without edges are ignored. ``notes`` are sentences on what was skipped ("12 obsolete terms skipped").
    ``entries`` are definitions, synonyms and other ids. ``numbered`` are the names in the order in which they appear
    in the edges and the edges as rows, if the reader has them.
    """

    label: str
    parents: Sequence[str]
    children: Sequence[str]
    lines: Sequence[int] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    entries: Entries | None = None
    numbered: tuple[Collection[str], Rows] | None = None

    def location(self, edge: int) -> str:
        """``file:line`` of an edge, or the file if there are no lines."""
        return self.label if self.lines is None else f"{self.label}:{self.lines[edge]}"

    def error(self, edge: int, problem: str) -> InputError:
        """The error for an edge: ``file:line: problem``."""
        return InputError(f"{self.location(edge)}: {problem}")


def omission_notes(thing: str, reason: str, names: Sequence[str]) -> tuple[str, ...]:
    """One note with the number of names and the first three, or none if there are no names.

    >>> omission_notes("target", "not in the file", ["A:1", "A:2"]), omission_notes("target", "obsolete", [])
    (('2 targets that are not in the file left out: A:1, A:2',), ())
    """
    if not names:
        return ()
    verb = "is" if len(names) == 1 else "are"
    return (f"{plural(len(names), thing)} that {verb} {reason} left out: {some(names)}",)


def first_labels(children: Sequence[str], labels_of_children: Sequence[str]) -> dict[str, str]:
    """The first label of each child that is not empty.

    >>> first_labels(["Q144", "Q144", "Q1"], ["", "dog", ""])
    {'Q144': 'dog'}
    """
    labels: dict[str, str] = {}
    for name, label in zip(children, labels_of_children, strict=False):
        if label:
            labels.setdefault(name, label)
    return labels


class EdgeRows:
    """Edges between names as rows, with a line or another position for each; an edge may come several times."""

    def __init__(self) -> None:
        self.rows = NameIndex()
        # A tuple and an entry of a dict for each edge would take ten times the memory.
        self.parents, self.children, self.positions = array("i"), array("i"), array("q")

    def add(self, parent: str, child: str, position: int) -> None:
        """Add an edge."""
        self.parents.append(self.rows[parent])
        self.children.append(self.rows[child])
        self.positions.append(position)

    def add_parents(self, child: str, parents: Sequence[str], positions: Sequence[int]) -> None:
        """Add the edges from several parents to a child."""
        self.parents.extend(map(self.rows.__getitem__, parents))
        self.children.extend(repeat(self.rows[child], len(parents)))
        self.positions.extend(positions)

    def names(self) -> list[str]:
        """The name of each row."""
        return list(self.rows)

    def distinct(self) -> tuple[Rows, NDArray[np.int64]]:
        """The (parent, child) rows, each once, and the position where each came first."""
        edges = np.array([self.parents, self.children], np.int32).T
        _, first = np.unique(pair_keys(edges[:, 0], edges[:, 1], len(self.rows)), return_index=True)
        first.sort()
        return edges[first], np.array(self.positions, np.int64)[first]


class EdgeCollector:
    """Collects each edge once, with the line of its first appearance, and the nodes seen.

    >>> found = EdgeCollector("a.txt")
    >>> found.add("animal", "dog", 1)
    >>> found.add_node("stone")
    >>> found.parsed_edges().notes
    ('1 node that is without an edge left out: stone',)
    """

    def __init__(self, label: str) -> None:
        """``label`` names the file in messages."""
        self.label = label
        self._edges = EdgeRows()
        self._seen: dict[str, None] = {}

    def add(self, parent: str, child: str, line: int) -> None:
        """Add an edge."""
        self._edges.add(parent, child, line)

    def add_node(self, name: str) -> None:
        """Add a node that may have no edge."""
        self._seen[name] = None

    def parsed_edges(self) -> ParsedEdges:
        """The edges, with a note on nodes without one."""
        names, (edges, lines) = self._edges.names(), self._edges.distinct()
        isolated = [name for name in self._seen if name not in self._edges.rows]
        parents, children = ([names[row] for row in side] for side in edges.T.tolist())
        return ParsedEdges(
            self.label, parents, children, lines.tolist(), notes=omission_notes("node", "without an edge", isolated)
        )


ON_CYCLE = ("error", "condense", "drop")
# A longer name is most likely a file without line breaks.
LONGEST_NAME = 10_000


def build_hierarchy(parsed: ParsedEdges, on_cycle: str = "error", cycle_hint: str = "") -> Hierarchy:
    """The hierarchy of the edges; HierarchyError with file and line if they do not form one.

    ``on_cycle`` says what happens to cycles and self-loops. ``cycle_hint`` is added to the message about a cycle.

    >>> build_hierarchy(ParsedEdges("x.tsv", ["a", "b"], ["b", "a"]), "condense").names
    ('a = b',)
    """
    checked_on_cycle(on_cycle)
    if not len(parsed.parents):
        raise InputError(f"{parsed.label}: holds no edges; a hierarchy needs at least one parent with a child")
    names, edges = parsed.numbered or _number(parsed)
    if max(map(len, names)) > LONGEST_NAME:
        _refuse_long_name(parsed)
    graph = _NamedEdges(names, edges, parsed.labels)
    result = {"error": _refuse_self_loops, "condense": _condense, "drop": _drop}[on_cycle](parsed, graph)
    labels = [result.labels.get(name, "") for name in result.names] if result.labels else None
    glossary = None
    if parsed.entries is not None:
        glossary = Glossary.of_names(parsed.entries, list(result.names), parsed.labels, result.merged)
    try:
        return Hierarchy(result.names, result.edges, labels, parsed.notes + result.notes, glossary)
    except CycleError as error:
        location = parsed.location(_closing_edge(edges, error.cycle))
        remedy = f"or read it with {option('on_cycle', 'condense', 'drop')}"
        raise HierarchyError(f"{location}: {error}, {remedy}{cycle_hint and f' ({cycle_hint})'}") from None
    except HierarchyError as error:
        _refuse_bad_name(parsed, error)


def _number(parsed: ParsedEdges) -> tuple[Collection[str], Rows]:
    parents, size = iter(parsed.parents), len(parsed.parents)
    with Step("numbering the names", size, lambda: size - length_hint(parents)):
        return number_names(zip(parents, parsed.children, strict=True))


def numbered_by_appearance(names: Sequence[str], edges: Rows) -> tuple[list[str], Rows]:
    """The names in the order in which they appear in the (parent, child) rows, and the edges as rows of that order.

    >>> numbered_by_appearance(["c", "a", "b"], np.array([[1, 2], [1, 0]], np.int32))[0]
    ['a', 'b', 'c']
    """
    ends = edges.ravel()
    first = np.full(len(names), len(ends), np.int64)
    # Backwards, so that of several places of a name the first is written last.
    first[ends[::-1]] = np.arange(len(ends) - 1, -1, -1)
    order = np.argsort(first, kind="stable")[: int((first < len(ends)).sum())]
    row_of = np.empty(len(names), np.int32)
    row_of[order] = np.arange(len(order), dtype=np.int32)
    return [names[row] for row in order.tolist()], row_of[edges]


def checked_on_cycle(on_cycle: str) -> str:
    """What to do about cycles; InputError if it is not one of ``ON_CYCLE``."""
    if on_cycle == "refuse":
        warn_renamed('on_cycle="refuse"', 'on_cycle="error"')
        return "error"
    if on_cycle not in ON_CYCLE:
        raise InputError(f"{option('on_cycle')} is {on_cycle!r}, but must be one of {', '.join(ON_CYCLE)}")
    return on_cycle


class _NamedEdges(NamedTuple):
    """Names by row, (parent, child) rows in the order of the file, labels by name, notes on changes, merged names."""

    names: Collection[str]
    edges: Rows
    labels: Mapping[str, str]
    notes: tuple[str, ...] = ()
    merged: Mapping[str, Sequence[str]] = MappingProxyType({})


def _refuse_self_loops(parsed: ParsedEdges, graph: _NamedEdges) -> _NamedEdges:
    loop = first_self_loop(graph.edges)
    if loop is not None:
        raise HierarchyError(f"{parsed.location(loop)}: {self_loop(parsed.parents[loop])}")
    return graph


def _condense(parsed: ParsedEdges, graph: _NamedEdges) -> _NamedEdges:
    edges, _, notes = _without_self_loops(parsed, graph.edges)
    found = condense_cycles(list(graph.names), edges, graph.labels)
    if found is None:
        return _NamedEdges(graph.names, edges, graph.labels, notes)
    longest = max(map(len, found.names))
    if longest > LONGEST_NAME:
        raise InputError(
            f"{parsed.label}: the nodes of a cycle would make a name of {longest:,} characters, the most is "
            f"{LONGEST_NAME:,}; read it with {option('on_cycle', 'drop')}"
        )
    return _NamedEdges(found.names, found.edges, found.labels, notes + found.notes, found.merged)


def _drop(parsed: ParsedEdges, graph: _NamedEdges) -> _NamedEdges:
    edges, positions, notes = _without_self_loops(parsed, graph.edges)
    dropped = edges_closing_cycles(edges, len(graph.names))
    if len(dropped):
        notes += (_note_on_edges(parsed, positions[dropped], "that closes a cycle", "that close cycles"),)
        edges = np.delete(edges, dropped, axis=0)
    return _NamedEdges(graph.names, edges, graph.labels, notes)


def _without_self_loops(parsed: ParsedEdges, edges: Rows) -> tuple[Rows, NDArray[np.int64], tuple[str, ...]]:
    """The edges without self-loops, the index of each in ``parsed``, and a note if there were self-loops."""
    is_loop = edges[:, 0] == edges[:, 1]
    if not is_loop.any():
        return edges, np.arange(len(edges)), ()
    words = "from a node to itself"
    return edges[~is_loop], np.flatnonzero(~is_loop), (_note_on_edges(parsed, np.flatnonzero(is_loop), words, words),)


def _note_on_edges(parsed: ParsedEdges, positions: NDArray[np.int64], one: str, several: str) -> str:
    shown = [
        f"{short(parsed.parents[edge], 25)} → {short(parsed.children[edge], 25)}"
        + ("" if parsed.lines is None else f" (line {parsed.lines[edge]})")
        for edge in positions[:3].tolist()
    ]
    count = len(positions)
    return f"{plural(count, 'edge')} {one if count == 1 else several} left out: {some(shown, count)}"


def _refuse_long_name(parsed: ParsedEdges) -> NoReturn:
    for edge, ends in enumerate(zip(parsed.parents, parsed.children, strict=True)):
        for name in ends:
            if len(name) > LONGEST_NAME:
                raise parsed.error(
                    edge,
                    f"the name {short(name, 30)!r} has {len(name):,} characters, the most is {LONGEST_NAME:,}; "
                    f"check the line breaks and {option('format')}",
                )
    raise AssertionError("every name of the index is in the edges")


def _refuse_bad_name(parsed: ParsedEdges, error: HierarchyError) -> NoReturn:
    # A name can contain a tab or a line break only through quotes or escapes.
    ends = enumerate(zip(parsed.parents, parsed.children, strict=True))
    bad = next((edge for edge, pair in ends if not all(map(is_usable, pair))), None)
    raise HierarchyError(f"{parsed.label if bad is None else parsed.location(bad)}: {error}") from None


def _closing_edge(edges: Rows, cycle: tuple[int, ...]) -> int:
    """The index of the edge from the last row of the cycle to its first."""
    return int(np.argmax((edges == np.array([cycle[-1], cycle[0]], np.int32)).all(axis=1)))
