"""Questions whose answer is a list of nodes: ancestors, descendants, parents, children, siblings, nearest."""

from __future__ import annotations

from hypercone.embedding.relations import ancestors_of, children_of, descendants_of, margins, parents_of, siblings_of
from hypercone.methods.scoring import Rows
from hypercone.queries.asking import Answer, Asked
from hypercone.queries.wording import Item, depth_of, node, table, title, titled


def ancestors(asked: Asked) -> Answer:
    """What the node is a kind of."""
    return _above(asked, "ancestors", "is a", ancestors_of(asked.embedding, asked.rows[0]))


def descendants(asked: Asked) -> Answer:
    """What is a kind of the node."""
    return _below(asked, "descendants", "includes", descendants_of(asked.embedding, asked.rows[0]))


def parents(asked: Asked) -> Answer:
    """The ancestors with no other between."""
    return _above(asked, "parents", "has the parents", parents_of(asked.embedding, asked.rows[0]))


def children(asked: Asked) -> Answer:
    """The descendants with no other between."""
    return _below(asked, "children", "has the children", children_of(asked.embedding, asked.rows[0]))


def siblings(asked: Asked) -> Answer:
    """The other children of the parents."""
    names, shared = asked.embedding.names, siblings_of(asked.embedding, asked.rows[0])
    shown = list(shared)[: asked.limit or None]
    items = [_with_depth(asked, row) | {"parents": [names[parent] for parent in shared[row]]} for row in shown]
    return _listing(asked, "siblings", "has the siblings", items, len(shared))


def nearest(asked: Asked) -> Answer:
    """The nodes at the smallest distance."""
    embedding = asked.embedding
    found = embedding.nearest(embedding.names[asked.rows[0]], asked.limit or len(embedding))
    items = [node(embedding, embedding.row(name)) | {"distance": distance} for name, distance in found]
    lines = [f"{item['distance']:8.4f}  {title(item)}" for item in items]
    return Answer(node(embedding, asked.rows[0]) | {"nearest": items}, "\n".join(lines))


def _above(asked: Asked, kind: str, verb: str, rows: Rows) -> Answer:
    shown = rows[: asked.limit or None]
    inside = margins(asked.embedding, shown, asked.rows[0])
    return _listing(asked, kind, verb, _with_margins(asked, shown, inside.tolist()), len(rows))


def _below(asked: Asked, kind: str, verb: str, rows: Rows) -> Answer:
    shown = rows[: asked.limit or None]
    inside = margins(asked.embedding, asked.rows[0], shown)
    return _listing(asked, kind, verb, _with_margins(asked, shown, inside.tolist()), len(rows))


def _with_depth(asked: Asked, row: int) -> Item:
    return node(asked.embedding, row) | {"depth": depth_of(asked.embedding, row)}


def _with_margins(asked: Asked, rows: Rows, inside: list[float]) -> list[Item]:
    return [_with_depth(asked, row) | {"margin": margin} for row, margin in zip(rows.tolist(), inside, strict=True)]


def _listing(asked: Asked, kind: str, verb: str, items: list[Item], count: int) -> Answer:
    values = node(asked.embedding, asked.rows[0]) | {kind: items, "count": count}
    rest = f"and {count - len(items):,} more" if len(items) < count else ""
    beginning = f"{titled(asked.embedding, asked.rows[0])} {verb}:"
    if asked.long and items:
        return Answer(values, "\n".join(filter(None, [beginning, table(items), rest])))
    names = ", ".join(filter(None, [*map(title, items), rest])) or "nothing"
    return Answer(values, f"{beginning} {names}")
