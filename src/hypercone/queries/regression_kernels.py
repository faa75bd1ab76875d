"""Compiled steps of a logistic regression; all sums are taken in one order, so that digits are the same everywhere."""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part
from hypercone._math_kernels import exp


@kernel
def means_and_scales(evidence, weights):
    """The weighted mean of each column and its standard deviation, 1 for a column that does not vary."""
    rows, columns = evidence.shape
    means, scales = np.zeros(columns), np.zeros(columns)
    total = 0.0
    for i in range(rows):
        total += weights[i]
        for k in range(columns):
            means[k] += weights[i] * evidence[i, k]
    for k in range(columns):
        means[k] /= max(total, 1.0)
    for i in range(rows):
        for k in range(columns):
            away = evidence[i, k] - means[k]
            scales[k] += weights[i] * away * away
    for k in range(columns):
        scales[k] = np.sqrt(scales[k] / max(total, 1.0))
        if not scales[k] > 1e-12:
            scales[k] = 1.0
    return means, scales


@kernel_part
def _probability(logit):
    return 1.0 / (1.0 + exp(-logit)) if logit >= 0.0 else exp(logit) / (1.0 + exp(logit))


@kernel_part
def _scale_row(evidence, row, means, scales, line):
    """Write 1 and the shifted and scaled columns of a row."""
    line[0] = 1.0
    for k in range(evidence.shape[1]):
        line[k + 1] = (evidence[row, k] - means[k]) / scales[k]


@kernel_part
def _product(line, coefficients):
    total = 0.0
    for k in range(len(line)):
        total += line[k] * coefficients[k]
    return total


@kernel(weight=MANY)
def probabilities(evidence, coefficients, means, scales):
    """The probability of each row."""
    found, line = np.empty(len(evidence)), np.empty(len(coefficients))
    for i in range(len(evidence)):
        _scale_row(evidence, i, means, scales, line)
        found[i] = _probability(_product(line, coefficients))
    return found


@kernel(weight=2 * MANY)
def newton_step(evidence, labels, weights, coefficients, means, scales, penalty):
    """The step from these coefficients towards the largest likelihood; the constant is not penalized."""
    size = len(coefficients)
    gradient, curvature, line = np.zeros(size), np.zeros((size, size)), np.empty(size)
    for i in range(len(evidence)):
        _scale_row(evidence, i, means, scales, line)
        probability = _probability(_product(line, coefficients))
        difference = weights[i] * (labels[i] - probability)
        spread = weights[i] * probability * (1.0 - probability)
        for k in range(size):
            gradient[k] += difference * line[k]
            for m in range(k + 1):
                curvature[k, m] += spread * line[k] * line[m]
    for k in range(1, size):
        gradient[k] -= penalty * coefficients[k]
        curvature[k, k] += penalty
    # Without any spread the constant would be free.
    curvature[0, 0] += 1e-9
    return _solve(curvature, gradient)


@kernel_part
def _solve(matrix, vector):
    """The solution for a positive definite matrix, of which the lower half is given; both are overwritten."""
    size = len(vector)
    for k in range(size):
        for m in range(k):
            matrix[k, k] -= matrix[k, m] * matrix[k, m]
        matrix[k, k] = np.sqrt(max(matrix[k, k], 1e-300))
        for i in range(k + 1, size):
            for m in range(k):
                matrix[i, k] -= matrix[i, m] * matrix[k, m]
            matrix[i, k] /= matrix[k, k]
    for k in range(size):
        for m in range(k):
            vector[k] -= matrix[k, m] * vector[m]
        vector[k] /= matrix[k, k]
    for k in range(size - 1, -1, -1):
        for m in range(k + 1, size):
            vector[k] -= matrix[m, k] * vector[m]
        vector[k] /= matrix[k, k]
    return vector
