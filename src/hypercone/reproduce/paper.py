"""What the paper prints: table 1 of Ganea, Bécigneul and Hofmann (2018), and the speed of the authors' code."""

from __future__ import annotations

DIMS = (5, 10)
PERCENTS = (0, 10, 25, 50)

# Test F1 in per cent, in the order of PERCENTS.
TABLE1 = {
    "euclidean": {5: (26.8, 71.3, 73.8, 72.8), 10: (29.4, 75.4, 78.4, 78.1)},
    "poincare": {5: (29.4, 70.2, 78.2, 83.6), 10: (28.9, 71.4, 82.0, 85.3)},
    "order": {5: (34.4, 70.2, 75.9, 81.7), 10: (43.0, 69.7, 79.4, 84.1)},
    "euclidean-cones": {5: (28.5, 69.7, 75.0, 77.4), 10: (31.3, 81.5, 84.5, 81.6)},
    "hyperbolic-cones": {5: (29.2, 80.1, 86.0, 92.8), 10: (32.2, 85.9, 91.0, 94.4)},
}

TITLES = {
    "euclidean": "Simple Euclidean",
    "poincare": "Poincaré",
    "order": "Order embeddings",
    "euclidean-cones": "Euclidean cones",
    "hyperbolic-cones": "Hyperbolic cones",
}

# Pairs a second of the released code on one core, 50 % of the nouns, 5 dimensions; measured, not printed in the paper.
AUTHORS_PAIRS_PER_SECOND = 0.25e6


def paper_f1(method: str, dim: int, percent: float) -> float | None:
    """The paper's test F1 in per cent, or None where its table has no such cell.

    >>> paper_f1("hyperbolic-cones", 5, 50), paper_f1("order", 7, 50)
    (92.8, None)
    """
    if dim not in TABLE1[method] or percent not in PERCENTS:
        return None
    return TABLE1[method][dim][PERCENTS.index(int(percent))]
