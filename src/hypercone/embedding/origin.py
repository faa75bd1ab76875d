"""How an embedding was made, in the same words everywhere: its method, and whether it was learned or constructed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from hypercone.errors import InputError, visible

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding


class Kind(StrEnum):
    """How the points were made; all kinds use edges only."""

    LEARNED = "learned"
    LEARNED_IN_A_FOREST = "learned in a forest of the given edges"
    CONSTRUCTED = "constructed"
    LEARNED_FROM_A_CONSTRUCTION = "learned from a construction"


@dataclass(frozen=True)
class Origin:
    """How an embedding was made, and whether it used the transitive closure of its training edges as well."""

    kind: Kind
    closure_aware: bool

    def __str__(self) -> str:
        return f"{self.kind}, closure-aware" if self.closure_aware else str(self.kind)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": str(self.kind), "closure_aware": self.closure_aware}


def kind_of(embedding: Embedding) -> Origin:
    """How an embedding was made, according to its record; *learned* if the record does not say.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-2-3")
    >>> [str(kind_of(hypercone.fit(tree, method=method, dim=2))) for method in ("order", "nested-caps")]
    ['learned, closure-aware', 'constructed']
    """
    kind = embedding.record.get("kind", Kind.LEARNED)
    if kind not in list(Kind):
        raise InputError(f"the model's record says that its kind is {kind!r}, but must say one of: {', '.join(Kind)}")
    aware = embedding.record.get("closure_aware")
    return Origin(Kind(kind), aware if isinstance(aware, bool) else _used_closure(embedding.record))


def _used_closure(record: dict[str, Any]) -> bool:
    """Whether a fit used the closure: a configuration says so, and "edges" only applies to a fit without a split."""
    config = record.get("config")
    if not isinstance(config, dict):
        return False
    return config.get("known") == "closure" or (config.get("edges") == "closure" and not record.get("split"))


def kind_in_words(embedding: Embedding) -> str:
    """The kind of a model for a reader, whatever its record says; *given* for points that no fit made.

    >>> import hypercone
    >>> kind_in_words(hypercone.fit([("thing", "pet"), ("thing", "toy"), ("pet", "tamagotchi"), ("toy", "tamagotchi")]))
    'constructed, closure-aware'
    """
    kind = embedding.record.get("kind", "given")
    return str(kind_of(embedding)) if kind in list(Kind) else visible(" ".join(str(kind).split()))


def method_in_words(embedding: Embedding) -> str:
    """What made the points, and in parentheses the method that interprets them if that has another name.

    >>> import hypercone
    >>> [method_in_words(hypercone.fit("tree-2-3", method, dim=2)) for method in ("nested-caps", "order")]
    ['nested-caps (hyperbolic-cones)', 'order']
    """
    made_by = visible(" ".join(embedding.made_by.split()))
    return made_by if made_by == embedding.method else f"{made_by} ({embedding.method})"
