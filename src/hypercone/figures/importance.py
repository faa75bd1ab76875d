"""Which nodes of a hierarchy a picture should name: those with much below them, and not six in a row of one line."""

from __future__ import annotations

import re

import numpy as np

from hypercone.construction.forest import spanning_forest
from hypercone.figures.arcs import Floats
from hypercone.hierarchy import Hierarchy
from hypercone.methods.scoring import Rows

# A node says little that its largest child does not say if that has so much of what it has.
NEARLY_ALL, FOR_LINKS = 0.75, 0.02
LONGEST_NAME = 40
WORDNET = re.compile(r"(.+)\.[nvasr]\.\d+")


def nodes_below(hierarchy: Hierarchy) -> Rows:
    """How many nodes hang below each row, a node with several parents being counted under the deepest.

    >>> nodes_below(Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])).tolist()
    [3, 1, 0, 0]
    """
    above, depths = spanning_forest(hierarchy), hierarchy.depths()
    sizes = np.zeros(len(hierarchy), np.int32)
    order = np.argsort(depths, kind="stable")
    levels = np.split(order, np.flatnonzero(np.diff(depths[order])) + 1)
    for rows in levels[:0:-1]:
        np.add.at(sizes, above[rows], sizes[rows] + 1)
    return sizes


def invented_depths(rank: Rows) -> Rows:
    """In place of depths that are not known, by the places from general to specific: 0, then two of 1, four of 2 …

    >>> invented_depths(np.array([0, 3, 1, 2])).tolist()
    [0, 2, 1, 1]
    """
    depths: Rows = np.log2(rank + 1.0).astype(np.int32)
    return depths


def most_important(hierarchy: Hierarchy, below: Rows, points: Floats, power: float = 1.0) -> Rows:
    """All rows, those to be named first in front: by what hangs below, to a power, less towards the rim of the picture.

    A node with one overwhelming child comes later, for the child says the same.

    >>> line = Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("c", "e")])
    >>> [line.names[row] for row in most_important(line, nodes_below(line), np.zeros((5, 2)))]
    ['a', 'c', 'd', 'e', 'b']
    """
    largest = np.zeros(len(hierarchy), np.int32)
    np.maximum.at(largest, hierarchy.edges[:, 0], below[hierarchy.edges[:, 1]] + 1)
    is_link = (largest > NEARLY_ALL * below) & (below > 1) & (hierarchy.parents.counts > 0)
    room = np.maximum(0.0, 1 - np.sum(points**2, axis=1)) ** 1.5
    weights = np.float_power(below + 1, power) * room * np.where(is_link, FOR_LINKS**power, 1.0)
    return np.argsort(-weights, kind="stable").astype(np.int32)


def as_written(name: str, longest: int = LONGEST_NAME) -> str:
    """A name as people write it, not too long: WordNet's synsets as their first word; a long name without its middle.

    >>> as_written("even-toed_ungulate.n.01"), as_written("Abnormality of the cardiovascular system", 28)
    ('even-toed ungulate', 'Abnormality o…ascular system')
    """
    synset = WORDNET.fullmatch(name)
    written = synset[1].replace("_", " ") if synset else name
    # Names of one hierarchy often begin alike and end each in its own way.
    end = longest // 2
    return written if len(written) <= longest else f"{written[: longest - 1 - end].rstrip()}…{written[-end:].lstrip()}"
