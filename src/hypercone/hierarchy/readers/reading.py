"""What a reader hands over: edges by name with their places in the file, labels, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hypercone.errors import InputError


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
