"""Compiled similarity: sums over descendants, and common ancestors of pairs of rows and of one row with all others.

A row counts as its own ancestor throughout. ``weights`` are what a measure compares, and do not fall from a row to its
descendants: the information content of each row, or its distance from a root.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part
from hypercone._math_kernels import log
from hypercone.hierarchy.graph_kernels import copy_first, entries, list_length, ones

# The measures as kernels take them.
RATIO, RESNIK, JIANG_CONRATH, JACCARD = range(4)


@kernel(weight=MANY)
def sums_below(order, parents, own):
    """For each row the sum of ``own`` over it and its descendants, each counted once.

    What is below a row with one parent is below that parent too, so its sum moves up in one step. Only from rows with
    several parents are all ancestors searched.
    """
    n = len(order)
    sums, moved = np.zeros(n), np.empty(n)
    copy_first(own, n, moved)
    marks, stack = np.zeros(n, np.int64), np.empty(n, np.int32)
    for i in range(n - 1, -1, -1):
        row = order[i]
        sums[row] += moved[row]
        if list_length(parents, row) == 1:
            moved[parents.rows[parents.offsets[row]]] += moved[row]
        elif list_length(parents, row) > 1:
            size = _push_ancestors(row, i + 1, parents, marks, stack)
            for place in range(1, size):
                sums[stack[place]] += moved[row]
    return sums


@kernel_part
def _push_ancestors(row, mark, parents, marks, stack):
    """Write the row and all its ancestors to ``stack``, mark each, and return how many there are."""
    stack[0] = row
    marks[row] = mark
    size, done = 1, 0
    while done < size:
        for i in entries(parents, stack[done]):
            higher = parents.rows[i]
            if marks[higher] != mark:
                marks[higher] = mark
                stack[size] = higher
                size += 1
        done += 1
    return size


@kernel(weight=MANY)
def relative_logarithms(sums, total):
    """1 − log(sum)/log(total) for each sum: 0 for the total, 1 for a sum of 1."""
    found = np.zeros(len(sums))
    if total > 1.0:
        for row in range(len(sums)):
            found[row] = 1.0 - log(sums[row]) / log(total)
    return found


@kernel_part
def _similarity(measure, common, one, other, is_same):
    """The similarity of two rows by their weights and that of their common ancestor, 0 if they have none."""
    if measure == RESNIK:
        return common
    if measure == JIANG_CONRATH:
        return 1.0 / (1.0 + (one + other - 2.0 * common))
    if is_same:
        return 1.0
    # Two rows that say nothing, such as roots, are not similar.
    return 2.0 * common / (one + other) if one + other > 0.0 else 0.0


@kernel_part
def _compare(measure, first, second, parents, weights, memory):
    """The similarity of two rows, and their common ancestor of the largest weight, or -1; of equal ones the smallest.

    ``memory.last`` is the largest mark in ``memory.marks``.
    """
    marks, stack = memory.marks, memory.stack
    mark = memory.last[0] + 1
    memory.last[0] += 2
    own = _push_ancestors(first, mark, parents, marks, stack)
    best, shared = -1, 0
    if marks[second] == mark:
        best, shared = second, 1
    marks[second] = mark + 1
    stack[0] = second
    size, done = 1, 0
    while done < size:
        for i in entries(parents, stack[done]):
            row = parents.rows[i]
            if marks[row] == mark + 1:
                continue
            if marks[row] == mark:
                shared += 1
                if best < 0 or weights[row] > weights[best] or (weights[row] == weights[best] and row < best):
                    best = row
            marks[row] = mark + 1
            stack[size] = row
            size += 1
        done += 1
    if measure == JACCARD:
        return shared / (own + size - shared), best
    common = weights[best] if best >= 0 else 0.0
    return _similarity(measure, common, weights[first], weights[second], first == second), best


@kernel(calls=250)
def compare_two(measure, first, second, parents, weights, memory):
    """The similarity of two rows, and their common ancestor of the largest weight, or -1."""
    return _compare(measure, first, second, parents, weights, memory)


@kernel(weight=MANY)
def compare_pairs(measure, first, second, parents, weights, memory):
    """The similarity of each pair of rows."""
    values = np.empty(len(first))
    for k in range(len(first)):
        values[k] = _compare(measure, first[k], second[k], parents, weights, memory)[0]
    return values


@kernel
def compare_with_all(measure, row, above, order, parents, weights):
    """The similarity of a row to every row; ``above`` are its ancestors and itself."""
    values = np.zeros(len(order))
    for ancestor in above:
        values[ancestor] = weights[ancestor]
    # First the largest weight of a common ancestor, each after those of its parents.
    for lower in order:
        for i in entries(parents, lower):
            values[lower] = max(values[lower], values[parents.rows[i]])
    for lower in range(len(order)):
        values[lower] = _similarity(measure, values[lower], weights[row], weights[lower], lower == row)
    return values


@kernel
def compare_ancestors_with_all(above, order, parents, counts):
    """The share of common ancestors of a row with every row; ``above`` are its own, ``counts`` how many each row has.

    64 of the ancestors are looked for in one pass.
    """
    shared = np.zeros(len(order), np.int64)
    bits = np.empty(len(order), np.uint64)
    for start in range(0, len(above), 64):
        for row in range(len(order)):
            bits[row] = 0
        for i in range(start, min(start + 64, len(above))):
            bits[above[i]] = np.uint64(1) << np.uint64(i - start)
        for row in order:
            for i in entries(parents, row):
                bits[row] |= bits[parents.rows[i]]
            shared[row] += ones(bits[row])
    values = np.empty(len(order))
    for row in range(len(order)):
        values[row] = shared[row] / (counts[row] + len(above) - shared[row])
    return values


@kernel
def largest_values(values, count):
    """The rows of the ``count`` largest values, the largest first, ties by row; for small counts."""
    rows = np.full(count, -1, np.int32)
    filled = 0
    for row in range(len(values)):
        value = values[row]
        if filled == count and value <= values[rows[count - 1]]:
            continue
        filled = min(filled + 1, count)
        place = filled - 1
        while place > 0 and value > values[rows[place - 1]]:
            rows[place] = rows[place - 1]
            place -= 1
        rows[place] = row
    return rows
