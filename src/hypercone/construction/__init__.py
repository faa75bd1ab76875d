"""Embeddings without learning, by name: what ``method`` and ``init`` of a fit may say beside the methods that learn."""

from __future__ import annotations

from hypercone.construction.forest import Constructed, construct_forest, spanning_forest
from hypercone.construction.layout import points_from_balls
from hypercone.construction.overlapping import construct_overlapping
from hypercone.errors import unknown_name
from hypercone.hierarchy import Hierarchy
from hypercone.runs.folder import DEFAULT_CONTEXT, FitContext

__all__ = ["Constructed", "construct_forest", "points_from_balls", "spanning_forest"]


# What each is, in a line.
CONSTRUCTIONS = {
    "nested-caps": "a spanning forest as nested caps that never overlap; exact for trees, in a second",
    "overlapping-caps": "caps that overlap where nodes have several parents; the best for a taxonomy known whole",
}
# These look at everything the given edges imply; the others at the edges themselves.
CLOSURE_AWARE = frozenset({"overlapping-caps"})


def construct(
    name: str,
    hierarchy: Hierarchy,
    dim: int,
    K: float = 0.1,
    seed: int = 0,
    context: FitContext = DEFAULT_CONTEXT,
) -> Constructed:
    """Points for the hyperbolic cones of a hierarchy, by the construction of that name.

    >>> from hypercone.data import load_dataset
    >>> construct("nested-caps", load_dataset("tree-2-3"), dim=2).counts.f1
    1.0
    """
    if name == "nested-caps":
        # Of true edges alone: what it says is true, and nothing that they only imply was looked at.
        return construct_forest(hierarchy, dim, K, rearrange=False)
    if name == "overlapping-caps":
        return construct_overlapping(hierarchy, dim, K, seed, context=context)
    raise unknown_name("construction", name, CONSTRUCTIONS)
