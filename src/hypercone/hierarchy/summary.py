"""The size and shape of a hierarchy, in numbers."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hypercone.hierarchy.hierarchy import Hierarchy


@dataclass(frozen=True)
class Summary:
    """The size and shape of a hierarchy.

    ``closure_edges`` is exact, counted without storing the closure, or None where counting would take minutes.
    ``depth`` is the longest path; ``branching`` is the mean number of children of a node that has any. Parents and
    children are those of the basic edges, which do not follow from others, as ``Hierarchy.parents`` lists them.
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
        """The numbers by name, as JSON can hold them."""
        return asdict(self)


def summarize(hierarchy: Hierarchy) -> Summary:
    """The size and shape of a hierarchy; ``seconds`` is the time that it took to count."""
    start = time.perf_counter()
    lineage = hierarchy.lineage
    basic = len(lineage.parent_lists.rows)
    closure = hierarchy.count_closure()
    depth = int(hierarchy.depths.max(initial=0))
    inner = len(hierarchy) - len(hierarchy.leaf_rows)
    return Summary(
        nodes=len(hierarchy),
        edges=len(hierarchy.edges),
        basic_edges=basic,
        closure_edges=closure,
        nonbasic_edges=None if closure is None else closure - basic,
        roots=len(hierarchy.root_rows),
        leaves=len(hierarchy.leaf_rows),
        depth=depth,
        branching=basic / inner if inner else 0.0,
        max_branching=int(lineage.child_lists.counts.max(initial=0)),
        multi_parent_nodes=int((lineage.parent_lists.counts > 1).sum()),
        seconds=time.perf_counter() - start,
    )
