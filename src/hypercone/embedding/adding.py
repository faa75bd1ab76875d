"""An embedding with new nodes in it: their points are searched for, all others stay as they are, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypercone.embedding.new_nodes import NewNodes, from_the_top, parents_by_name
from hypercone.errors import InputError, short, unknown_name
from hypercone.hierarchy.names import Labels
from hypercone.methods import find_method

if TYPE_CHECKING:
    from hypercone.embedding.embedding import Embedding
    from hypercone.placement import Placer

# The description of a model stays small however much is placed: more unmet wishes than this are only counted.
MOST_LISTED = 100


def add_many(
    embedding: Embedding,
    nodes: NewNodes,
    not_under: Mapping[str, Sequence[str]] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Embedding:
    """The embedding with one more row for each new node, placed from the top down."""
    from hypercone.placement import Placer, Space

    parents = parents_by_name(nodes)
    order = from_the_top(parents)
    apart = _for_new_nodes("not_under", not_under or {}, parents)
    called = _for_new_nodes("labels", labels or {}, parents)
    rows = {name: len(embedding) + place for place, name in enumerate(order)}
    wished = {name: _wishes(embedding, rows, name, parents[name], apart.get(name, ())) for name in order}
    space = Space(find_method(embedding.method), embedding.settings, embedding.threshold)
    placer = Placer(space, embedding.points, embedding.edges, room=len(order))
    unmet: list[tuple[str, str, int]] = []
    for name in order:
        above, not_above = wished[name]
        if not_above:
            _refuse_contradiction(embedding, placer, name, above, not_above)
        # What comes later has no place yet, so that it cannot be kept out of; whether it is above is seen at the end.
        placer.place(above, tuple(row for row in not_above if row < rows[name]))
    for name in order:
        unmet += [(name, wish, row) for wish, row in placer.unmet(rows[name], *wished[name])]
    names = (*embedding.names, *order)
    return replace(
        embedding,
        names=names,
        points=placer.points,
        edges=placer.edges,
        labels=_more_labels(embedding, [called.get(name, "") for name in order]),
        record=_noted(embedding.record, len(order), [(name, wish, names[row]) for name, wish, row in unmet]),
    )


def _wishes(
    embedding: Embedding, rows: Mapping[str, int], name: str, parents: Sequence[str], not_under: Sequence[str]
) -> tuple[list[int], tuple[int, ...]]:
    """The rows of the parents, and of what the node must not be under."""
    if name in embedding:
        raise InputError(f"{name!r} is already in the model; give the new node another name")
    above = [_row(embedding, rows, parent) for parent in parents]
    others = [not_under] if isinstance(not_under, str) else not_under
    not_above = {_row(embedding, rows, other) for other in others} - {rows[name]}
    return list(dict.fromkeys(above)), tuple(sorted(not_above))


def _row(embedding: Embedding, rows: Mapping[str, int], name: str) -> int:
    return rows[name] if name in rows else embedding.row(name)


def _refuse_contradiction(
    embedding: Embedding, placer: Placer, name: str, above: list[int], not_above: tuple[int, ...]
) -> None:
    both = set(above if placer.edges is None else placer.wishes(above).above.tolist()) & set(not_above)
    if both:
        row = min(both)
        other = embedding.names[row] if row < len(embedding) else "a new node"
        raise InputError(f"{name!r} cannot be kept out of {other!r}, which is or is above one of its parents")


def _for_new_nodes(option: str, given: Mapping[str, Any], parents: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in given:
        if name not in parents:
            raise unknown_name(f"new node for {option} called", name, parents)
    return given


def _more_labels(embedding: Embedding, texts: list[str]) -> Labels | None:
    if embedding.labels is None and not any(texts):
        return None
    return (embedding.labels or Labels([""] * len(embedding))) + Labels(texts)


def _noted(record: dict[str, Any], count: int, unmet: list[tuple[str, str, str]]) -> dict[str, Any]:
    placed = record.get("placed")
    before = placed if isinstance(placed, dict) else {}
    listed = before.get("unmet")
    return record | {
        "placed": {
            "nodes": _count(before.get("nodes")) + count,
            "unmet_wishes": _count(before.get("unmet_wishes")) + len(unmet),
            "unmet": [*(listed if isinstance(listed, list) else []), *map(_told, unmet)][:MOST_LISTED],
        }
    }


def _count(value: object) -> int:
    # A record comes from a file, where it may be anything.
    return value if isinstance(value, int) else 0


def _told(wish: tuple[str, str, str]) -> str:
    return " ".join(short(word) for word in wish)
