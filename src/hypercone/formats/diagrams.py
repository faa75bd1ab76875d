"""What formats of drawn graphs share: arrows between nodes, whose direction has to be given."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from itertools import compress

from hypercone.errors import InputError, option, plural
from hypercone.formats.parsed import ParsedEdges
from hypercone.formats.source import Content
from hypercone.hierarchy.interop import checked_direction, edges_by_relation, note_on_lost_nodes, relations_of_edges
from hypercone.hierarchy.relation_names import checked_relations

TAG = re.compile("<[^<>]*+>")


def need_direction(content: Content, kind: str, direction: str | None) -> str:
    """The direction; InputError if it is not given."""
    if direction is None:
        raise InputError(
            f"{content.label}: {kind} does not say whether an arrow points to the child or to the parent; "
            f"say {option('direction', 'parent-child', 'child-parent')}"
        )
    return checked_direction(direction)


# Groups of nodes on both ends of an arrow multiply; together they may make so many edges, or so many per byte.
MOST_ARROWS, MOST_PER_BYTE = 2**20, 4


class Arrows:
    """The nodes, labels and arrows of a drawing, in the order of the file."""

    def __init__(self, content: Content) -> None:
        """``content`` is the file, which messages name."""
        self.label = content.label
        self._most = max(MOST_ARROWS, MOST_PER_BYTE * len(content.data))
        self.nodes: dict[str, None] = {}
        self.labels: dict[str, str] = {}
        self.sources: list[str] = []
        self.targets: list[str] = []
        self.lines: list[int] = []
        # By the number of the arrow; of those that have any.
        self.attributes: dict[int, dict[str, str]] = {}

    def add(self, sources: list[str], targets: list[str], line: int) -> None:
        """Add arrows from each of the sources to each of the targets."""
        if len(self.lines) + len(sources) * len(targets) > self._most:
            raise InputError(f"{self.label}:{line}: makes more than {self._most:,} edges; write fewer nodes at once")
        for source in sources:
            self.sources += [source] * len(targets)
            self.targets += targets
            self.lines += [line] * len(targets)

    def describe(self, first: int, attributes: dict[str, str]) -> None:
        """Record the attributes of all arrows from this number on."""
        if attributes:
            self.attributes.update(dict.fromkeys(range(first, len(self.lines)), attributes))

    def parsed_edges(self, direction: str, relations: Sequence[str], kind: str) -> ParsedEdges:
        """The edges with these relations, if edges have relations; nodes without one are left out, with a note."""
        given = [self.attributes.get(arrow, {}) for arrow in range(len(self.lines))]
        found = relations_of_edges([None] * len(given), given)
        wanted = checked_relations(relations)
        is_taken, notes = edges_by_relation(found, wanted, place=f"{self.label}: ")
        taken = is_taken.tolist()
        sources, targets = list(compress(self.sources, taken)), list(compress(self.targets, taken))
        connected, used = {*self.sources, *self.targets}, {*sources, *targets}
        notes += note_on_lost_nodes([node for node in self.nodes if node in connected and node not in used], wanted)
        isolated = len(self.nodes.keys() - connected)
        if isolated:
            notes += (f"{plural(isolated, 'node')} without an edge left out",)
        parents, children = (sources, targets) if direction == "parent-child" else (targets, sources)
        lines = list(compress(self.lines, taken))
        return ParsedEdges(self.label, parents, children, lines, self.labels, notes, shape=f"{kind}, {direction}")


def text_of_markup(text: str) -> str:
    """The text of a label without tags and entities, on one line.

    >>> text_of_markup("<b>white</b> dog &amp; cat")
    'white dog & cat'
    """
    return " ".join(html.unescape(TAG.sub(" ", text)).split())
