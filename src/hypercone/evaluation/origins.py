"""What an embedding was made from and how, so that no table sets unlike things side by side without saying so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hypercone.embedding import Embedding
from hypercone.errors import InputError


class Kind(StrEnum):
    """How the points came about; all three are given edges alone."""

    LEARNED = "learned"
    CONSTRUCTED = "constructed"
    LEARNED_FROM_A_CONSTRUCTION = "learned from a construction"


@dataclass(frozen=True)
class Origin:
    """How an embedding came about, and whether it used the closure of its training edges beside themselves."""

    kind: Kind
    closure_aware: bool

    def __str__(self) -> str:
        return f"{self.kind}, closure-aware" if self.closure_aware else str(self.kind)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"kind": str(self.kind), "closure_aware": self.closure_aware}


def kind_of(embedding: Embedding) -> Origin:
    """How an embedding came about, as its record tells; what does not say was learned.

    >>> import hypercone
    >>> tree = hypercone.load_dataset("tree-2-3")
    >>> [str(kind_of(hypercone.fit(tree, method=method, dim=2))) for method in ("order", "construction")]
    ['learned, closure-aware', 'constructed']
    """
    said = embedding.record.get("kind", Kind.LEARNED)
    if said not in list(Kind):
        raise InputError(f"the model's record says that its kind is {said!r}, but must say one of: {', '.join(Kind)}")
    aware = embedding.record.get("closure_aware")
    return Origin(Kind(said), aware if isinstance(aware, bool) else _used_closure(embedding.record))


def _used_closure(record: dict[str, Any]) -> bool:
    """A fit without a split learns from the closure unless told otherwise, and may leave out what it implies."""
    config = record.get("config")
    if not isinstance(config, dict):
        return False
    return config.get("known") == "closure" or (config.get("edges") == "closure" and not record.get("split"))
