"""Constructed embeddings, by name: the values of ``method`` and ``init`` that do not learn."""

from __future__ import annotations

import math

from hypercone.construction.forest import Constructed, construct_forest, spanning_forest
from hypercone.construction.layout import points_from_balls
from hypercone.construction.overlapping import construct_overlapping
from hypercone.errors import unknown_name
from hypercone.hierarchy import Hierarchy
from hypercone.runs.folder import DEFAULT_CONTEXT, FitContext

__all__ = ["Constructed", "construct_forest", "points_from_balls", "spanning_forest"]


# One line about each.
CONSTRUCTIONS = {
    "nested-caps": "a spanning forest as nested caps that never overlap; exact for trees, in a second",
    "overlapping-caps": "caps that overlap where nodes have several parents; the best for a taxonomy known whole",
}
# Starts of training that learn from the given edges alone; one line about each.
LEARNERS = {
    "given-edges": "caps in a spanning forest of the training edges, moved by these and by what they do not explain",
    "exact-caps": "caps learned from a random start, then moved by the training edges and by what they do not explain",
}
# These use the transitive closure of the given edges; the others only the edges themselves.
CLOSURE_AWARE = frozenset({"overlapping-caps"})


def construct(
    name: str,
    hierarchy: Hierarchy,
    dim: int,
    K: float = 0.1,
    seed: int = 0,
    context: FitContext = DEFAULT_CONTEXT,
    seconds: float = 0.0,
) -> Constructed:
    """Points for the hyperbolic cones of a hierarchy, by the construction of that name.

    Overlapping caps are moved for so many ``seconds`` at most; 0 means without a limit.

    >>> from hypercone.data import load_dataset
    >>> construct("nested-caps", load_dataset("tree-2-3"), dim=2).counts.f1
    1.0
    """
    if name == "nested-caps":
        # Without rearranging, only given edges are used: no false pair, and the closure is not consulted.
        return construct_forest(hierarchy, dim, K, rearrange=False)
    if name == "overlapping-caps":
        return construct_overlapping(hierarchy, dim, K, seed, seconds=seconds or math.inf, context=context)
    raise unknown_name("construction", name, CONSTRUCTIONS)
