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


def max_margin_loss(
    parent: npt.ArrayLike,
    child: npt.ArrayLike,
    negative_parent: npt.ArrayLike,
    negative_child: npt.ArrayLike,
    margin: float = 1.0,
) -> float:
    """Σ E(u, v) + Σ max(0, γ − E(u′, v′)) over the edges and the negative pairs, the loss that the paper took over.

    >>> max_margin_loss([[1.0, 1.0]], [[2.0, 2.0]], [[2.0, 2.0]], [[1.5, 2.0]])
    0.75
    """
    negatives = energy(negative_parent, negative_child)
    return float(np.sum(energy(parent, child)) + np.sum(np.maximum(margin - negatives, 0)))


def contains(parent: npt.ArrayLike, child: npt.ArrayLike) -> Booleans:
    """Whether the child is at least the parent in every coordinate; every point contains itself.

    >>> bool(contains([1.0, 1.0], [2.0, 1.0])), bool(contains([2.0, 1.0], [1.0, 1.0]))
    (True, False)
    """
    parent, child = as_floats(parent, child)
    return np.asarray(np.all(parent <= child, axis=-1))
