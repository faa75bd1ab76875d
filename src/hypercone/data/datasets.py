"""Hierarchies that need no file: the nouns of WordNet, its mammals, and balanced trees."""

from __future__ import annotations

from collections.abc import Callable

from hypercone.data.trees import NAME, tree_named
from hypercone.data.wordnet import mammals, nouns
from hypercone.errors import unknown_name
from hypercone.hierarchy import Hierarchy

NAMED: dict[str, Callable[[], Hierarchy]] = {"wordnet-nouns": nouns, "wordnet-mammals": mammals}
# Trees are generated from their name; this one stands for all of them in lists and suggestions.
EXAMPLE_TREE = "tree-3-4"


def load_dataset(name: str) -> Hierarchy:
    """The hierarchy of that name; a tree of branching B and depth D is ``tree-B-D``.

    >>> load_dataset("tree-2-3")
    <Hierarchy of 15 nodes and 14 edges>
    """
    if name in NAMED:
        return NAMED[name]()
    tree = tree_named(name)
    if tree is None:
        raise unknown_name("dataset", name, dataset_names())
    return tree


def dataset_names() -> list[str]:
    """The datasets there are, with one tree as an example.

    >>> dataset_names()
    ['wordnet-nouns', 'wordnet-mammals', 'tree-3-4']
    """
    return [*NAMED, EXAMPLE_TREE]


def is_dataset(name: str) -> bool:
    """Whether ``load_dataset`` knows the name.

    >>> is_dataset("tree-2-10"), is_dataset("edges.tsv")
    (True, False)
    """
    return name in NAMED or NAME.fullmatch(name) is not None
