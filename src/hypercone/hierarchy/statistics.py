"""What a hierarchy looks like, in numbers."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass

from hypercone.hierarchy.hierarchy import Hierarchy


@dataclass(frozen=True)
class Statistics:
    """The size and shape of a hierarchy.

    ``closure_edges`` is counted without storing the closure: exactly, or None where that would take minutes.
    """

    nodes: int
    edges: int
    basic_edges: int
    closure_edges: int | None
    nonbasic_edges: int | None
    roots: int
    leaves: int
    depth: int
    branching: float
    max_branching: int
    multi_parent_nodes: int
    seconds: float

    def as_dict(self) -> dict[str, int | float | None]:
        """The numbers by name, ready for JSON."""
        return asdict(self)


def describe(hierarchy: Hierarchy) -> Statistics:
    """Count what there is: ``depth`` is the longest path, ``branching`` the mean children of a non-leaf.

    >>> birds = Hierarchy.from_pairs([("bird", "pelican"), ("pelican", "white_pelican")])
    >>> describe(birds).closure_edges, describe(birds).depth
    (3, 2)
    """
    start = time.perf_counter()
    basic = len(hierarchy.reduction())
    closure = hierarchy.count_closure()
    depth = int(hierarchy.depths().max(initial=0))
    below = hierarchy.children.counts
    inner = len(hierarchy) - len(hierarchy.leaves)
    return Statistics(
        nodes=len(hierarchy),
        edges=len(hierarchy.edges),
        basic_edges=basic,
        closure_edges=closure,
        nonbasic_edges=None if closure is None else closure - basic,
        roots=len(hierarchy.roots),
        leaves=len(hierarchy.leaves),
        depth=depth,
        branching=len(hierarchy.edges) / inner if inner else 0.0,
        max_branching=int(below.max(initial=0)),
        multi_parent_nodes=int((hierarchy.parents.counts > 1).sum()),
        seconds=time.perf_counter() - start,
    )
