"""The answers to all questions, as plain values: Python, the command line and HTTP return the same objects.

A node is always a name and a label; the label is None if the node has none. ``count`` is the total number, of which a
list may contain only the first few. ``by`` says what answered: the graph, the geometry, or in a list that has rows of
both origins, *mixed*.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from hypercone.embedding.relatives import By
from hypercone.hierarchy.similarity import Measure

AnsweredBy = Literal["graph", "geometry", "mixed"]


class Answer:
    """Base class of all answers."""

    __slots__: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON.

        >>> Matches("dog", [Node("A:5", "dog")], 1).as_dict()
        {'text': 'dog', 'matches': [{'name': 'A:5', 'label': 'dog'}], 'count': 1}
        """
        return asdict(self)  # type: ignore[call-overload, no-any-return]


@dataclass(slots=True)
class Node:
    """A node: its name and label."""

    name: str
    label: str | None


@dataclass(slots=True)
class Ranked:
    """A node and its depth, the longest path from a root; None if it is not in a graph."""

    name: str
    label: str | None
    depth: int | None


@dataclass(slots=True)
class Relative:
    """An ancestor or descendant: its depth, and the margin by which the descendant lies inside the ancestor.

    A negative margin beside *graph* means that the geometry does not know the pair.
    """

    name: str
    label: str | None
    depth: int | None
    margin: float
    by: By


@dataclass(slots=True)
class Sibling:
    """A sibling with the parents it shares with the node."""

    name: str
    label: str | None
    depth: int | None
    parents: list[Node]
    by: By


@dataclass(slots=True)
class Neighbor:
    """A node and its distance: hyperbolic for methods in the ball, else Euclidean."""

    name: str
    label: str | None
    distance: float


@dataclass(slots=True)
class Alike:
    """A node and its similarity."""

    name: str
    label: str | None
    similarity: float


@dataclass(slots=True)
class Step:
    """A node on a path upwards: the margins by which the previous node and the first child lie inside it."""

    name: str
    label: str | None
    margin: float
    child_margin: float


@dataclass(slots=True)
class IsA(Answer):
    """Whether the child is a kind of the parent; by geometry, it is where the energy is not above the threshold."""

    child: str
    child_label: str | None
    parent: str
    parent_label: str | None
    is_a: bool
    by: By
    energy: float
    threshold: float


@dataclass(slots=True)
class Energy(Answer):
    """How far the child is from the parent's region."""

    child: str
    child_label: str | None
    parent: str
    parent_label: str | None
    energy: float
    by: By = "geometry"


@dataclass(slots=True)
class Explained(Answer):
    """Why the child is, or is not, a kind of the parent; ``hypercone.embedding.explanation`` documents the fields."""

    child: str
    child_label: str | None
    parent: str
    parent_label: str | None
    is_a: bool
    by: By
    geometry: bool
    energy: float
    threshold: float
    margin: float
    margin_degrees: float | None
    angle: float | None
    angle_degrees: float | None
    aperture: float | None
    aperture_degrees: float | None
    chain: list[Step]
    graph: Literal["edge", "closure", "same", "no"] | None
    path: list[Step]
    agrees: bool | None
    lost: list[str]
    stray: str | None


@dataclass(slots=True)
class Ancestors(Answer):
    """What the node is a kind of, the most general first."""

    name: str
    label: str | None
    ancestors: list[Relative]
    count: int
    by: AnsweredBy


@dataclass(slots=True)
class Descendants(Answer):
    """What is a kind of the node, the most general first."""

    name: str
    label: str | None
    descendants: list[Relative]
    count: int
    by: AnsweredBy


@dataclass(slots=True)
class Parents(Answer):
    """The ancestors with no other between."""

    name: str
    label: str | None
    parents: list[Relative]
    count: int
    by: AnsweredBy


@dataclass(slots=True)
class Children(Answer):
    """The descendants with no other between."""

    name: str
    label: str | None
    children: list[Relative]
    count: int
    by: AnsweredBy


@dataclass(slots=True)
class Siblings(Answer):
    """The other children of the parents."""

    name: str
    label: str | None
    siblings: list[Sibling]
    count: int
    by: AnsweredBy


@dataclass(slots=True)
class Nearest(Answer):
    """The nodes at the smallest distance, nearest first.

    ``ranked_by`` names the distance. It says how near the points are; how similar nodes are in the graph is another
    question.
    """

    name: str
    label: str | None
    nearest: list[Neighbor]
    count: int
    ranked_by: Literal["hyperbolic distance", "Euclidean distance"]
    by: By = "geometry"


@dataclass(slots=True)
class Similarity(Answer):
    """How similar two nodes are in the graph, and the common ancestor that decides it, None if there is none."""

    name: str
    label: str | None
    other: str
    other_label: str | None
    similarity: float
    measure: Measure
    common_ancestor: Node | None
    by: By = "graph"


@dataclass(slots=True)
class SetSimilarity(Answer):
    """How similar two sets of nodes are in the graph."""

    names: list[str]
    labels: list[str | None]
    others: list[str]
    other_labels: list[str | None]
    similarity: float
    measure: Measure
    by: By = "graph"


@dataclass(slots=True)
class MostSimilar(Answer):
    """The nodes that are most similar in the graph, the most similar first."""

    name: str
    label: str | None
    most_similar: list[Alike]
    count: int
    measure: Measure
    by: By = "graph"


@dataclass(slots=True)
class Vector(Answer):
    """The point of the node."""

    name: str
    label: str | None
    vector: list[float]


@dataclass(slots=True)
class LowestCommonAncestors(Answer):
    """The lowest common ancestors of the nodes; also those by geometry and by the graph, None if there is no graph."""

    names: list[str]
    labels: list[str | None]
    lowest_common_ancestors: list[Ranked]
    by: By
    geometry: list[Ranked]
    graph: list[Ranked] | None
    agree: bool | None


@dataclass(slots=True)
class Centroid(Answer):
    """One point for the nodes, what it is a kind of (``count`` in all), and what is near it."""

    names: list[str]
    labels: list[str | None]
    point: list[float]
    ancestors: list[Relative]
    count: int
    nearest: list[Neighbor]
    by: By = "geometry"


@dataclass(slots=True)
class Matches(Answer):
    """The nodes with the text in one of their names: the whole of it first, then its beginning, then any part."""

    text: str
    matches: list[Node]
    count: int


@dataclass(slots=True)
class Described(Answer):
    """What the node is called and what it means; None or empty for what the model does not know."""

    name: str
    label: str | None
    definition: str | None
    synonyms: list[str]
    other_ids: list[str]


@dataclass(slots=True)
class Verdicts(Answer):
    """Whether each of many children is a kind of its parent; ``by_pair`` says what answered each if ``by`` is mixed."""

    threshold: float
    is_a: list[bool]
    energies: list[float]
    by: AnsweredBy
    by_pair: list[By] | None


@dataclass(slots=True)
class Energies(Answer):
    """How far each of many children is from its parent's region."""

    energies: list[float]
    by: By = "geometry"


@dataclass(slots=True)
class Results(Answer):
    """The answers to one question about many nodes, in their order."""

    results: list[Any]
