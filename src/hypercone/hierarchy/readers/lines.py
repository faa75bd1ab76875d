"""Edges gathered line by line from a text in which the same edge may stand many times."""

from __future__ import annotations

from hypercone.hierarchy.readers.notes import left_out
from hypercone.hierarchy.readers.reading import Reading


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
