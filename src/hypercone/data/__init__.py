"""Bundled datasets: the nouns of WordNet 3.0, its mammals, and balanced trees.

``wordnet-nouns.tsv.xz`` is text with one line per synset. A line holds the synset's name and then, separated by tabs,
for each of its hypernyms (pointers ``@`` and ``@i``, in Princeton's order) the number of lines up to it::

    entity.n.01
    abstraction.n.06    1
    attribute.n.02      1
    ballast.n.03        1
    character.n.09      2

so that parents always precede their children, which also proves that there is no cycle. Names are those of NLTK.
``scripts/make_wordnet.py`` writes the file; ``WORDNET-LICENSE.txt`` is its license.
"""

from __future__ import annotations

import lzma
import os
import re
from collections.abc import Callable
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from hypercone.errors import InputError, unknown_name
from hypercone.hierarchy import Hierarchy

__all__ = ["check_source", "datasets", "is_dataset", "load_dataset"]


def nouns() -> Hierarchy:
    """All nouns except ``entity.n.01``, the ancestor of all others, which is left out as in the papers.

    >>> nouns().in_words(1)
    ['attribute.n.02 is an abstraction.n.06']
    """
    names, edges = _graph()
    # It is row 0: without it every row is one less, and only its own edges are removed.
    return Hierarchy(names[1:], edges[edges[:, 0] > 0] - 1)


def mammals() -> Hierarchy:
    """``mammal.n.01`` and all its descendants.

    >>> len(mammals())
    1182
    """
    return all_nouns().subtree("mammal.n.01")


def all_nouns() -> Hierarchy:
    """All nouns, including ``entity.n.01``."""
    return Hierarchy(*_graph())


def _graph() -> tuple[list[str], NDArray[np.int64]]:
    lines = [line.split("\t") for line in _text().splitlines()]
    children = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    steps_up = np.array([step for line in lines for step in line[1:]], np.int64)
    return [line[0] for line in lines], np.stack([children - steps_up, children], axis=1)


def _text() -> str:
    packed = files("hypercone.data").joinpath("wordnet-nouns.tsv.xz").read_bytes()
    return lzma.decompress(packed).decode("ascii")


NAMED: dict[str, Callable[[], Hierarchy]] = {"wordnet-nouns": nouns, "wordnet-mammals": mammals}
# Trees are generated from their name; this is the example shown in lists and suggestions.
EXAMPLE_TREE = "tree-3-4"


def load_dataset(name: str) -> Hierarchy:
    """The dataset with this name; a tree with branching B and depth D is ``tree-B-D``.

    >>> load_dataset("tree-2-3")
    <Hierarchy of 15 nodes and 14 edges>
    """
    if name in NAMED:
        return NAMED[name]()
    tree = tree_named(name)
    if tree is None:
        raise unknown_name("dataset", name, datasets())
    return tree


def datasets() -> list[str]:
    """The names of the datasets, with one tree as an example.

    >>> datasets()
    ['wordnet-nouns', 'wordnet-mammals', 'tree-3-4']
    """
    return [*NAMED, EXAMPLE_TREE]


def is_dataset(name: str) -> bool:
    """Whether ``load_dataset`` accepts the name.

    >>> is_dataset("tree-2-10"), is_dataset("edges.tsv")
    (True, False)
    """
    return name in NAMED or NAME.fullmatch(name) is not None


MOST_NODES = 5_000_000
MOST_LETTERS = 200_000_000
NAME = re.compile(r"tree-(\d{1,9})-(\d{1,9})", re.ASCII)


def balanced_tree(branching: int, depth: int) -> Hierarchy:
    """A tree with root ``r`` and ``depth`` more levels; every inner node has ``branching`` children.

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
    return Hierarchy(names, np.stack([(children - 1) // branching, children], axis=1))


def tree_named(name: str) -> Hierarchy | None:
    """The tree for a name such as ``tree-3-4``; None for any other name."""
    found = NAME.fullmatch(name)
    return balanced_tree(int(found[1]), int(found[2])) if found else None


def _checked_size(branching: int, depth: int) -> int:
    if branching < 1 or depth < 0:
        raise InputError(
            f"tree-{branching}-{depth} is not a tree; the branching must be at least 1 and the depth at least 0"
        )
    size = level = 1
    # A name contains the whole path from the root, so the total length of the names is limited too.
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


def check_source(source: str) -> None:
    """InputError for a text that is neither a dataset nor looks like a file: a mistyped dataset name.

    >>> check_source("wordnet-mamals")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    hypercone.errors.InputError: there is no file or dataset 'wordnet-mamals'; the datasets are wordnet-nouns, ...
    """
    is_file = source == "-" or os.path.exists(source) or os.path.splitext(source)[1]
    if not is_file and not is_dataset(source):
        raise InputError(f"there is no file or dataset {source!r}; the datasets are {', '.join(datasets())}")
