"""What a reader returns (edges by name, their lines, labels, notes), and the Hierarchy that is made of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import length_hint
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import Rows
from hypercone.errors import HierarchyError, InputError, option, plural, short, some, warn_renamed
from hypercone.hierarchy.graph import CycleError, closing, condensed
from hypercone.hierarchy.hierarchy import Hierarchy, first_self_loop, self_loop
from hypercone.hierarchy.names import is_usable, numbered
from hypercone.progress import Step


@dataclass(frozen=True)
class Reading:
    """Edges as two lists of names, parents and children, as they stand in the file.

    ``lines`` holds the line of each edge where the format has lines. ``labels`` are what people call the nodes;
    those of nodes without edges are ignored. ``notes`` say in words what was skipped ("12 obsolete terms skipped").
    """

    label: str
    parents: Sequence[str]
    children: Sequence[str]
    lines: Sequence[int] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def place(self, edge: int) -> str:
        """``file:line`` of an edge, or the file alone."""
        return self.label if self.lines is None else f"{self.label}:{self.lines[edge]}"

    def error(self, edge: int, problem: str) -> InputError:
        """The error at an edge: ``file:line: problem``."""
        return InputError(f"{self.place(edge)}: {problem}")


def left_out(thing: str, reason: str, names: Sequence[str]) -> tuple[str, ...]:
    """One note with the number and the first three, or none if there is nothing to tell.

    >>> left_out("target", "not in the file", ["A:1", "A:2"]), left_out("target", "obsolete", [])
    (('2 targets that are not in the file left out: A:1, A:2',), ())
    """
    if not names:
        return ()
    verb = "is" if len(names) == 1 else "are"
    return (f"{plural(len(names), thing)} that {verb} {reason} left out: {some(names)}",)


def first_labels(children: Sequence[str], called: Sequence[str]) -> dict[str, str]:
    """What each child is called first; a child that is never called anything has no label.

    >>> first_labels(["Q144", "Q144", "Q1"], ["", "dog", ""])
    {'Q144': 'dog'}
    """
    labels: dict[str, str] = {}
    for name, label in zip(children, called, strict=False):
        if label:
            labels.setdefault(name, label)
    return labels


class Lines:
    """Each edge once, with the line on which it first stands, and the nodes that are met.

    >>> found = Lines("a.txt")
    >>> found.add("animal", "dog", 1)
    >>> found.add_node("stone")
    >>> found.reading().notes
    ('1 node that is without an edge left out: stone',)
    """

    def __init__(self, label: str) -> None:
        """``label`` is the file's name in messages."""
        self.label = label
        self._line_of: dict[tuple[str, str], int] = {}
        self._met: dict[str, None] = {}

    def add(self, parent: str, child: str, line: int) -> None:
        """An edge."""
        self._line_of.setdefault((parent, child), line)

    def add_node(self, name: str) -> None:
        """A node that may turn out to have no edge."""
        self._met[name] = None

    def reading(self) -> Reading:
        """All of it."""
        parents = [parent for parent, _ in self._line_of]
        children = [child for _, child in self._line_of]
        joined = {*parents, *children}
        alone = [name for name in self._met if name not in joined]
        lines = list(self._line_of.values())
        return Reading(self.label, parents, children, lines, notes=left_out("node", "without an edge", alone))


ON_CYCLE = ("error", "condense", "drop")
# What is longer is no name but a file without line breaks.
LONGEST_NAME = 10_000


def assembled(reading: Reading, on_cycle: str = "error", cycle_hint: str = "") -> Hierarchy:
    """The hierarchy of a reading; HierarchyError with file and line if its edges are none.

    ``on_cycle`` says what becomes of edges in a circle, and of those from a node to itself. ``cycle_hint`` is added
    to the message about a cycle.

    >>> assembled(Reading("x.tsv", ["a", "b"], ["b", "a"]), "condense").names
    ('a = b',)
    """
    checked_on_cycle(on_cycle)
    if not len(reading.parents):
        raise InputError(f"{reading.label}: holds no edges; a hierarchy needs at least one parent with a child")
    parents, size = iter(reading.parents), len(reading.parents)
    with Step("numbering the names", size, lambda: size - length_hint(parents)):
        index, edges = numbered(zip(parents, reading.children, strict=True))
    if max(map(len, index)) > LONGEST_NAME:
        _refuse_long_name(reading)
    given = _Given(index, edges, reading.labels)
    parts = {"error": _as_they_are, "condense": _condensed, "drop": _dropped}[on_cycle](reading, given)
    labels = [parts.labels.get(name, "") for name in parts.names] if parts.labels else None
    try:
        return Hierarchy(parts.names, parts.edges, labels, reading.notes + parts.notes)
    except CycleError as error:
        place = reading.place(_closing_edge(edges, error.cycle))
        remedy = f"or read it with {option('on_cycle', 'condense', 'drop')}"
        raise HierarchyError(f"{place}: {error}, {remedy}{cycle_hint and f' ({cycle_hint})'}") from None
    except HierarchyError as error:
        _refuse_bad_name(reading, error)


def checked_on_cycle(on_cycle: str) -> str:
    """What to do about cycles, or InputError if it is none of the three."""
    if on_cycle == "refuse":
        warn_renamed('on_cycle="refuse"', 'on_cycle="error"')
        return "error"
    if on_cycle not in ON_CYCLE:
        raise InputError(f"{option('on_cycle')} is {on_cycle!r}, but must be one of {', '.join(ON_CYCLE)}")
    return on_cycle


class _Given(NamedTuple):
    """Names by row, (parent, child) rows in the order of the file, labels by name, and what was changed."""

    names: Collection[str]
    edges: Rows
    labels: Mapping[str, str]
    notes: tuple[str, ...] = ()


def _as_they_are(reading: Reading, given: _Given) -> _Given:
    loop = first_self_loop(given.edges)
    if loop is not None:
        raise HierarchyError(f"{reading.place(loop)}: {self_loop(reading.parents[loop])}")
    return given


def _condensed(reading: Reading, given: _Given) -> _Given:
    edges, _, notes = _without_self_loops(reading, given.edges)
    found = condensed(list(given.names), edges, given.labels)
    if found is None:
        return _Given(given.names, edges, given.labels, notes)
    longest = max(map(len, found.names))
    if longest > LONGEST_NAME:
        raise InputError(
            f"{reading.label}: the nodes of a cycle would make a name of {longest:,} characters, the most is "
            f"{LONGEST_NAME:,}; read it with {option('on_cycle', 'drop')}"
        )
    return _Given(found.names, found.edges, found.labels, notes + found.notes)


def _dropped(reading: Reading, given: _Given) -> _Given:
    edges, places, notes = _without_self_loops(reading, given.edges)
    left_out = closing(edges, len(given.names))
    if len(left_out):
        notes += (_left_out(reading, places[left_out], "that closes a cycle", "that close cycles"),)
        edges = np.delete(edges, left_out, axis=0)
    return _Given(given.names, edges, given.labels, notes)


def _without_self_loops(reading: Reading, edges: Rows) -> tuple[Rows, NDArray[np.int64], tuple[str, ...]]:
    """The other edges, where each stands in the reading, and a note if some were left out."""
    is_loop = edges[:, 0] == edges[:, 1]
    if not is_loop.any():
        return edges, np.arange(len(edges)), ()
    words = "from a node to itself"
    return edges[~is_loop], np.flatnonzero(~is_loop), (_left_out(reading, np.flatnonzero(is_loop), words, words),)


def _left_out(reading: Reading, places: NDArray[np.int64], one: str, several: str) -> str:
    shown = [
        f"{short(reading.parents[edge], 25)} → {short(reading.children[edge], 25)}"
        + ("" if reading.lines is None else f" (line {reading.lines[edge]})")
        for edge in places[:3].tolist()
    ]
    return f"{plural(len(places), 'edge')} {one if len(places) == 1 else several} left out: {some(shown, len(places))}"


def _refuse_long_name(reading: Reading) -> NoReturn:
    for edge, ends in enumerate(zip(reading.parents, reading.children, strict=True)):
        for name in ends:
            if len(name) > LONGEST_NAME:
                raise reading.error(
                    edge,
                    f"the name {short(name, 30)!r} has {len(name):,} characters, the most is {LONGEST_NAME:,}; "
                    f"check the line breaks and {option('format')}",
                )
    raise AssertionError("a name in the index is in the reading")


def _refuse_bad_name(reading: Reading, error: HierarchyError) -> NoReturn:
    # Only quotes or escapes can smuggle a tab or a line break into a name.
    ends = enumerate(zip(reading.parents, reading.children, strict=True))
    bad = next((edge for edge, pair in ends if not all(map(is_usable, pair))), None)
    raise HierarchyError(f"{reading.label if bad is None else reading.place(bad)}: {error}") from None


def _closing_edge(edges: Rows, cycle: tuple[int, ...]) -> int:
    """Where the edge from the last row of the cycle back to its first stands."""
    return int(np.argmax((edges == np.array([cycle[-1], cycle[0]], np.int32)).all(axis=1)))
