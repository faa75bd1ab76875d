"""How many ancestors each node is given, and how many of them rightly, compiled: no answer is ever stored."""
# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel
from hypercone.index.index_kernels import ancestors
from hypercone.methods.generic_kernels import may_reach, reach, signed_energy


@exact_kernel
def count_by_tree(points, queries, tree, cones, stack, offsets, true, dim):
    """(ancestors called, of these the true ones) of each query, found through the tree of the index."""
    called, right = np.empty(queries.size, np.int64), np.zeros(queries.size, np.int64)
    found, marks = np.empty(points.shape[0], np.int32), np.full(points.shape[0], -1, np.int64)
    for i in range(queries.size):
        row = queries[i]
        marks[true[offsets[row] : offsets[row + 1]]] = row
        called[i], _ = ancestors(points, row, tree, cones, found, stack, dim)
        for k in range(called[i]):
            right[i] += marks[found[k]] == row
    return called, right


@exact_kernel
def count_by_scan(points, queries, method, threshold, offsets, true, dim):
    """The same by asking every node, for methods that have no index."""
    called, right = np.zeros(queries.size, np.int64), np.zeros(queries.size, np.int64)
    marks = np.full(points.shape[0], -1, np.int64)
    limit = reach(method, threshold)
    for i in range(queries.size):
        row = queries[i]
        marks[true[offsets[row] : offsets[row + 1]]] = row
        for other in range(points.shape[0]):
            if other == row or not may_reach(method, limit, points, np.uint64(other), np.uint64(row), dim):
                continue
            if signed_energy(method, points, np.uint64(other), np.uint64(row), dim) <= threshold:
                called[i] += 1
                right[i] += marks[other] == row
    return called, right
