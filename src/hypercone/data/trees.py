"""Balanced trees, generated: the shapes on which one can see at once whether a method works."""

from __future__ import annotations

import re

import numpy as np

from hypercone.errors import InputError
from hypercone.hierarchy import Hierarchy

MOST_NODES = 5_000_000
MOST_LETTERS = 200_000_000
NAME = re.compile(r"tree-(\d{1,9})-(\d{1,9})", re.ASCII)


def balanced_tree(branching: int, depth: int) -> Hierarchy:
    """A root ``r`` and ``depth`` levels below it; every node above the last level has ``branching`` children.

    >>> balanced_tree(2, 2).names
    ('r', 'r.0', 'r.1', 'r.0.0', 'r.0.1', 'r.1.0', 'r.1.1')
    """
    size = _checked_size(branching, depth)
    level = ["r"]
    names = ["r"]
    for _ in range(depth):
        level = [f"{name}.{i}" for name in level for i in range(branching)]
        names += level
    children = np.arange(1, size, dtype=np.int64)
    return Hierarchy.from_rows(names, np.stack([(children - 1) // branching, children], axis=1))


def tree_named(name: str) -> Hierarchy | None:
    """The tree that a name like ``tree-3-4`` asks for; None if it is no such name."""
    found = NAME.fullmatch(name)
    return balanced_tree(int(found[1]), int(found[2])) if found else None


def _checked_size(branching: int, depth: int) -> int:
    if branching < 1 or depth < 0:
        raise InputError(
            f"tree-{branching}-{depth} is no tree; the branching must be at least 1 and the depth at least 0"
        )
    size = level = 1
    # A name in a chain spells the whole way to the root, so letters are limited as well as nodes.
    letters = 1
    for step in range(1, depth + 1):
        level *= branching
        size += level
        letters += level * 2 * step
        if size > MOST_NODES or letters > MOST_LETTERS:
            raise InputError(
                f"tree-{branching}-{depth} is too large to make (over {MOST_NODES:,} nodes or "
                f"{MOST_LETTERS:,} letters of names); take a smaller branching or depth"
            )
    return size
