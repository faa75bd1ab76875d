"""Logistic regression: from evidence and what turned out to be true, to the probability of what is not known yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypercone._arrays import freeze
from hypercone.methods import Points
from hypercone.queries.regression_kernels import means_and_scales, newton_step, probabilities

# As if a coefficient had been seen to be 0 with this weight, which keeps it finite where the evidence decides alone.
PENALTY = 1.0
MOST_STEPS, SMALLEST_STEP = 30, 1e-9


@dataclass(frozen=True, eq=False)
class Regression:
    """The constant and the coefficients of the evidence, after each column is shifted and scaled."""

    coefficients: Points
    means: Points
    scales: Points

    def probabilities(self, evidence: Points) -> Points:
        """The probability of each line of evidence."""
        found: Points = probabilities(
            freeze(np.ascontiguousarray(evidence)), self.coefficients, self.means, self.scales
        )
        return found


def learn(evidence: Points, is_true: NDArray[np.bool_], weights: Points) -> Regression:
    """The regression of the largest likelihood, found by Newton's method.

    >>> evidence = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> found = learn(evidence, np.array([False, False, True, True]), np.ones(4))
    >>> found.probabilities(evidence).round(2).tolist()
    [0.14, 0.35, 0.65, 0.86]
    """
    evidence, weights = freeze(np.ascontiguousarray(evidence)), freeze(weights)
    labels = freeze(is_true.astype(np.float64))
    means, scales = (freeze(each) for each in means_and_scales(evidence, weights))
    coefficients = np.zeros(1 + evidence.shape[1])
    for _ in range(MOST_STEPS):
        step = newton_step(evidence, labels, weights, freeze(coefficients), means, scales, PENALTY)
        coefficients = coefficients + step
        if np.abs(step).max() < SMALLEST_STEP:
            break
    return Regression(freeze(coefficients), means, scales)
