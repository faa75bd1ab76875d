"""What the geometry says about every pair of some nodes, as a sparse array; SciPy is loaded when one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hypercone._system import needed
from hypercone.embedding.embedding import Embedding
from hypercone.errors import InputError
from hypercone.index import ConeIndex
from hypercone.methods import find_method


def relation(embedding: Embedding, names: Sequence[str] | None = None) -> Any:
    """A SciPy CSR array of booleans whose [i, j] is True if names[i] is a names[j]; all names if None are given.

    A node is not listed under itself, as in ``ancestors``. Cones are searched by the index; for other methods every
    pair is looked at, so the time grows with the square of the names.

    >>> from hypercone.methods import Settings
    >>> points = np.array([[0.5, 0.0], [0.9, 0.0], [0.0, 0.5]])
    >>> embedding = Embedding(["animal", "dog", "stone"], points, "hyperbolic-cones", Settings(), threshold=0.0)
    >>> relation(embedding).toarray().astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    """
    sparse = needed("scipy.sparse", "a relation needs", "scipy")
    if isinstance(names, str):
        raise InputError(f"names is the text {names!r}; give a list of names")
    rows = range(len(embedding)) if names is None else [embedding.row(name) for name in names]
    points = embedding.points if names is None else np.ascontiguousarray(embedding.points[list(rows)])
    index = ConeIndex(points, find_method(embedding.method), embedding.settings, embedding.threshold)
    above = index.ancestors_of_many(range(len(rows)))
    indptr = np.cumsum([0, *map(len, above)])
    indices = np.concatenate([np.empty(0, np.int64), *above])
    return sparse.csr_array((np.ones(len(indices), np.bool_), indices, indptr), shape=(len(rows), len(rows)))
