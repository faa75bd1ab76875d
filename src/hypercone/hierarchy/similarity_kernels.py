"""Compiled sums over descendants, and common ancestors of pairs of rows and of one row with all others.

A row counts as its own ancestor throughout.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part
from hypercone._math_kernels import log
from hypercone.hierarchy.graph_kernels import copy_first, entries, list_length, ones


@kernel(weight=MANY)
def sums_below(order, parents, own):
    """For each row the sum of ``own`` over it and its descendants, each counted once.

    What is below a row with one parent is below that parent too, so its sum moves up in one step. Only from rows with
    several parents are all ancestors searched.
    """
    n = len(order)
    sums, moved = np.zeros(n), np.empty(n)
    copy_first(own, n, moved)
    marks, stack = np.zeros(n, np.int32), np.empty(n, np.int32)
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


@kernel(weight=MANY)
def common_ancestors(first, second, parents, weights, marks, other_marks, stack):
    """For each pair of rows the common ancestor of the largest weight, and how many they share and have together.

    The ancestor is -1 if there is none; of equal weights it is the smallest row. Both ``marks`` are zero before, and
    ``stack`` is memory for all rows. Pairs with one ``first`` in sequence are faster.
    """
    best = np.full(len(first), -1, np.int32)
    shared, united = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    mark, own = 0, 0
    for k in range(len(first)):
        if k == 0 or first[k] != first[k - 1]:
            mark = k + 1
            own = _push_ancestors(first[k], mark, parents, marks, stack)
        size = _push_ancestors(second[k], k + 1, parents, other_marks, stack)
        for place in range(size):
            row = stack[place]
            if marks[row] == mark:
                shared[k] += 1
                if best[k] < 0 or weights[row] > weights[best[k]]:
                    best[k] = row
                elif weights[row] == weights[best[k]]:
                    best[k] = min(best[k], row)
        united[k] = own + size - shared[k]
    return best, shared, united


@kernel
def largest_shared_weights(above, order, parents, weights):
    """For each row the largest weight of the rows in ``above`` that are its ancestors; 0 if there are none."""
    largest = np.zeros(len(order))
    for row in above:
        largest[row] = weights[row]
    for row in order:
        for i in entries(parents, row):
            largest[row] = max(largest[row], largest[parents.rows[i]])
    return largest


@kernel
def count_shared_ancestors(above, order, parents):
    """For each row how many of the rows in ``above`` are its ancestors, 64 of them in one pass."""
    counts = np.zeros(len(order), np.int64)
    bits = np.empty(len(order), np.uint64)
    for start in range(0, len(above), 64):
        for row in range(len(order)):
            bits[row] = 0
        for i in range(start, min(start + 64, len(above))):
            bits[above[i]] = np.uint64(1) << np.uint64(i - start)
        for row in order:
            for i in entries(parents, row):
                bits[row] |= bits[parents.rows[i]]
            counts[row] += ones(bits[row])
    return counts


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
