"""The points as a data frame; pandas is loaded when one is asked for."""

from __future__ import annotations

from typing import Any

from hypercone._system import needed
from hypercone.embedding.coordinates import coordinates_of
from hypercone.embedding.embedding import Embedding


def to_frame(embedding: Embedding, coordinates: str = "own") -> Any:
    """A pandas DataFrame of the coordinates, with the names as its index, called name.

    >>> import numpy as np
    >>> from hypercone.methods import Settings
    >>> embedding = Embedding(["dog"], np.array([[0.5, 0.0]]), "hyperbolic-cones", Settings(), threshold=0.0)
    >>> to_frame(embedding, "klein").loc["dog"].tolist()
    [0.8, 0.0]
    """
    pandas = needed("pandas", "a data frame needs", "pandas")
    columns, values = coordinates_of(embedding, coordinates)
    index = pandas.Index(list(embedding.names), name="name")
    # A copy, for the points of an embedding never change and those of a frame may.
    return pandas.DataFrame(values.copy(), index=index, columns=list(columns))
