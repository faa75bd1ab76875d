"""Order embeddings (Vendrov et al. 2015), the paper's baseline: a child is larger in every coordinate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hypercone.geometry._vectors import Array, Booleans, as_floats, dot


def energy(parent: npt.ArrayLike, child: npt.ArrayLike) -> Array:
    """|max(0, parent − child)|², how far the child is from the parent's orthant, squared; 0 inside.

    >>> float(energy([1.0, 3.0], [2.0, 1.0]))
    4.0
    """
    parent, child = as_floats(parent, child)
    # Paper §4.1 prints max(0, v − u) with u the parent, which would penalize exactly the pairs that its region
    # O_x = {y : y_i ≥ x_i} allows. The sign is reversed here.
    shortfall = np.maximum(parent - child, 0)
    return dot(shortfall, shortfall)


def contains(parent: npt.ArrayLike, child: npt.ArrayLike) -> Booleans:
    """Whether the child is at least the parent in every coordinate; every point contains itself.

    >>> bool(contains([1.0, 1.0], [2.0, 1.0])), bool(contains([2.0, 1.0], [1.0, 1.0]))
    (True, False)
    """
    parent, child = as_floats(parent, child)
    return np.asarray(np.all(parent <= child, axis=-1))
