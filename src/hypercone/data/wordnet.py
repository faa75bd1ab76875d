"""The nouns of WordNet 3.0, from the file that ships with the package.

``wordnet-nouns.tsv.xz`` is text with one line a synset. A line holds the synset's name and then, separated
by tabs, for each of its hypernyms (pointers ``@`` and ``@i``, in Princeton's order) the number of lines to go
up to it::

    entity.n.01
    abstraction.n.06    1
    attribute.n.02      1
    ballast.n.03        1
    character.n.09      2

so that parents always stand above their children, which also proves that there is no cycle. Names are those
of NLTK. ``scripts/make_wordnet.py`` makes the file; ``WORDNET-LICENSE.txt`` is its licence.
"""

from __future__ import annotations

import lzma
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from hypercone.hierarchy import Hierarchy


def nouns() -> Hierarchy:
    """All nouns below ``entity.n.01``, which would be above everything and is left out, as in the papers.

    >>> nouns().in_words(1)
    ['attribute.n.02 is an abstraction.n.06']
    """
    names, edges = _graph()
    # It stands on the first line: without it every row is one less, and only its own edges are gone.
    return Hierarchy.from_rows(names[1:], edges[edges[:, 0] > 0] - 1)


def mammals() -> Hierarchy:
    """``mammal.n.01`` and everything below it.

    >>> len(mammals())
    1182
    """
    return all_nouns().subtree("mammal.n.01")


def all_nouns() -> Hierarchy:
    """The whole noun graph, ``entity.n.01`` included."""
    return Hierarchy.from_rows(*_graph())


def _graph() -> tuple[list[str], NDArray[np.int64]]:
    lines = [line.split("\t") for line in _text().splitlines()]
    children = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    steps_up = np.array([step for line in lines for step in line[1:]], np.int64)
    return [line[0] for line in lines], np.stack([children - steps_up, children], axis=1)


def _text() -> str:
    packed = files("hypercone.data").joinpath("wordnet-nouns.tsv.xz").read_bytes()
    return lzma.decompress(packed).decode("ascii")
