"""Nodes and numbers as answers show them, to programs and to people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hypercone.embedding import Embedding

Item = dict[str, Any]


def node(embedding: Embedding, row: int, prefix: str = "name") -> Item:
    """The name of a row and, if it has one, its label.

    >>> from hypercone.hierarchy.names import Labels
    >>> import numpy as np
    >>> from hypercone.methods import Settings
    >>> heart = Embedding(["HP:1"], np.array([[0.5, 0.0]]), "order", Settings(), 0.0, labels=Labels(["Heart"]))
    >>> node(heart, 0), node(heart, 0, "child"), titled(heart, 0)
    ({'name': 'HP:1', 'label': 'Heart'}, {'child': 'HP:1', 'child_label': 'Heart'}, 'HP:1 (Heart)')
    """
    label = embedding.labels[row] if embedding.labels else ""
    key = "label" if prefix == "name" else f"{prefix}_label"
    return {prefix: embedding.names[row]} | ({key: label} if label else {})


def title(item: Item) -> str:
    """The name of a node with its label beside it, where that says more."""
    name, label = item["name"], item.get("label", "")
    return f"{name} ({label})" if label not in ("", name) else name


def titled(embedding: Embedding, row: int) -> str:
    """The same for a row."""
    return title(node(embedding, row))


def depth_of(embedding: Embedding, row: int) -> int | None:
    """The longest path from a root to a row, if the edges are known."""
    return None if embedding.hierarchy is None else int(embedding.hierarchy.depths[row])


def listed(things: Sequence[str]) -> str:
    """The things with commas and an and.

    >>> listed(["poodle", "beagle", "eel"]), listed(["poodle"])
    ('poodle, beagle and eel', 'poodle')
    """
    return " and ".join(filter(None, [", ".join(things[:-1]), *things[-1:]]))


def in_both_units(angle: float) -> str:
    """An angle in radians and degrees.

    >>> in_both_units(0.1)
    '0.1000 rad (5.73°)'
    """
    return f"{angle:.4f} rad ({math.degrees(angle):.2f}°)"


def table(items: Sequence[Item]) -> str:
    """A line for each node, its name last, under a heading.

    >>> print(table([{"name": "animal", "depth": 0, "margin": 0.5}, {"name": "dog", "depth": None, "margin": 0.25}]))
      depth  margin  name
          0  0.5000  animal
          -  0.2500  dog
    """
    columns = [key for key in items[0] if key not in ("name", "label")]
    lines = [[*columns, "name"], *([*(_cell(item[key]) for key in columns), title(item)] for item in items)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(columns))]
    return "\n".join(
        "".join(f"  {part:>{width}}" for part, width in zip(line, [*widths, 0], strict=True)) for line in lines
    )


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4f}"
    return ", ".join(value) if isinstance(value, list) else str(value)
