"""Why a node is, or is not, a kind of another: by geometry, and by the graph if the edges are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from hypercone._arrays import read_only
from hypercone.embedding.relations import is_more_general, margins, parents_of
from hypercone.embedding.relatives import By
from hypercone.hierarchy import Hierarchy
from hypercone.index.index_kernels import reaches

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding


@dataclass(frozen=True)
class Step:
    """A node on a path upwards: the margins by which the previous node and the first child lie inside it."""

    name: str
    margin: float
    child_margin: float


@dataclass(frozen=True)
class Explanation:
    """A verdict with its reasons.

    ``is_a`` is the verdict of the graph or of the geometry, as ``by`` says, and ``geometry`` is always that of the
    geometry. ``margin`` is how far inside the parent the child lies, not negative exactly if the geometry says yes: ψ +
    threshold − Ξ in radians for cones, threshold − energy for other methods, which have no ``angle`` Ξ and no
    ``aperture`` ψ. ``chain`` is a path upwards by geometry, from parent to parent, empty if its verdict is no.
    ``graph`` is the verdict of the graph, None if the edges are not known or a node is not in the graph, and ``path`` a
    shortest path upwards along its edges. ``lost`` are the nodes of the path that are not ancestors of the child by
    geometry; ``stray`` is the first node of the chain that is not an ancestor in the graph.
    """

    child: str
    parent: str
    is_a: bool
    by: By
    geometry: bool
    energy: float
    threshold: float
    margin: float
    angle: float | None
    aperture: float | None
    chain: tuple[Step, ...]
    graph: Literal["edge", "closure", "same", "no"] | None
    path: tuple[Step, ...]
    lost: tuple[str, ...]
    stray: str | None

    @property
    def agrees(self) -> bool | None:
        """Whether geometry and graph give the same verdict; None if the edges are not known."""
        return None if self.graph is None else self.geometry == (self.graph != "no")


def explain(embedding: Embedding, child: int, parent: int, by: str | None = None) -> Explanation:
    """The reasons for the verdict on two rows."""
    names, hierarchy, relatives = embedding.names, embedding.hierarchy, embedding.relatives(by)
    energy = embedding.energy(names[child], names[parent])
    geometry = bool(energy <= embedding.threshold)
    angle, aperture = _angles(embedding, child, parent)
    chain = _steps(embedding, _chain(embedding, child, parent) if geometry else [child])
    path = _steps(embedding, shortest_path(hierarchy, child, parent) if hierarchy else [child])
    known = hierarchy if hierarchy and embedding.relatives("graph").origins(child, [parent])[0] == "graph" else None
    return Explanation(
        child=names[child],
        parent=names[parent],
        is_a=bool(relatives.is_a([[parent, child]])[0]),
        by=relatives.origins(child, [parent])[0],
        geometry=geometry,
        energy=energy,
        threshold=embedding.threshold,
        margin=float(margins(embedding, parent, child)[0]),
        angle=angle,
        aperture=aperture,
        chain=chain,
        graph=_verdict(child, parent, len(path)) if known else None,
        path=path,
        lost=tuple(step.name for step in path if step.child_margin < 0),
        stray=_stray(known, child, [embedding.row(step.name) for step in chain]) if known else None,
    )


def shortest_path(hierarchy: Hierarchy, child: int, parent: int) -> list[int]:
    """The rows of a shortest path along edges from the child up to the parent; only the child if there is none.

    >>> pets = Hierarchy.from_pairs([("animal", "dog"), ("dog", "poodle")])
    >>> shortest_path(pets, 2, 0), shortest_path(pets, 0, 2)
    ([2, 1, 0], [0])
    """
    below: dict[int, int] = {child: child}
    queue = [child]
    for row in queue:
        for above in hierarchy.parent_lists[row].tolist():
            if above not in below:
                below[above] = row
                queue.append(above)
        if parent in below:
            break
    path_rows = [parent] if parent in below else [child]
    while path_rows[-1] != child:
        path_rows.append(below[path_rows[-1]])
    return path_rows[::-1]


def _angles(embedding: Embedding, child: int, parent: int) -> tuple[float, float] | tuple[None, None]:
    """Ξ and ψ; None for methods without cones."""
    scorer = embedding.scorer
    if scorer.method.curvature is None:
        return None, None
    apex = read_only(embedding.points[parent : parent + 1])
    aperture = float(reaches(apex, embedding.settings.K, 0.0, scorer.method.curvature, scorer.dim)[0])
    # The energy is the difference of the two.
    return float(scorer.signed_energies(np.array([[parent, child]], np.int32))[0]) + aperture, aperture


def _chain(embedding: Embedding, child: int, parent: int) -> list[int]:
    path_rows = [child]
    while path_rows[-1] != parent:
        path_rows.append(_next_up(embedding, path_rows[-1], parent))
    return path_rows


def _next_up(embedding: Embedding, row: int, parent: int) -> int:
    """The parent of the row with the largest margin that is below ``parent``; ``parent`` if there is none."""
    steps = parents_of(embedding, row)
    # Each step is more general than the one before, so the path ends even if nodes are kinds of each other.
    steps = steps[
        is_more_general(embedding, steps, row) & ~is_more_general(embedding, steps, parent) & (steps != parent)
    ]
    steps = steps[margins(embedding, parent, steps) >= 0] if steps.size else steps
    return int(steps[np.argmax(margins(embedding, steps, row))]) if steps.size else parent


def _steps(embedding: Embedding, path_rows: Sequence[int]) -> tuple[Step, ...]:
    """The steps of a path, without its first node."""
    if len(path_rows) < 2:
        return ()
    lower, upper = zip(*pairwise(path_rows), strict=True)
    parts = margins(embedding, upper, lower).tolist(), margins(embedding, upper, path_rows[0]).tolist()
    return tuple(Step(embedding.names[row], *each) for row, *each in zip(upper, *parts, strict=True))


def _verdict(child: int, parent: int, steps: int) -> Literal["edge", "closure", "same", "no"]:
    if child == parent:
        return "same"
    if not steps:
        return "no"
    return "edge" if steps == 1 else "closure"


def _stray(hierarchy: Hierarchy, child: int, chain: Sequence[int]) -> str | None:
    known = set(hierarchy.lineage.ancestors(child).tolist())
    return next((hierarchy.names[row] for row in chain if row not in known), None)
