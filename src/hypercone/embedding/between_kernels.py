"""Which nodes of a set stand at its upper or lower edge, compiled.

With a positive threshold "is a" is not transitive, so a node may be hidden by one that is hidden itself: every pair has
to be asked. Those that stand at the edge are asked first, for they hide nearly all others; whoever hides one moves half
way to the front, so that those who hide many are soon asked before the rest.
"""
# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel, exact_kernel_part
from hypercone.methods.generic_kernels import may_reach, reach, signed_energy


@exact_kernel_part
def _is_a(points, child, parent, threshold, bound, method, dim):
    child, parent = np.uint64(child), np.uint64(parent)
    if not may_reach(method, bound, points, parent, child, dim):
        return False
    return signed_energy(method, points, parent, child, dim) <= threshold


@exact_kernel
def topmost(points, rows, threshold, method, dim):
    """Of rows sorted from general to specific, whether each is a kind of none before it."""
    bound = reach(method, threshold)
    kept = np.zeros(len(rows), np.bool_)
    edge = np.empty(len(rows), np.int64)
    count = 0
    for i in range(len(rows)):
        is_hidden = False
        for place in range(count):
            if _is_a(points, rows[i], edge[place], threshold, bound, method, dim):
                edge[place], edge[place // 2] = edge[place // 2], edge[place]
                is_hidden = True
                break
        if is_hidden:
            continue
        for j in range(i):
            if not kept[j] and _is_a(points, rows[i], rows[j], threshold, bound, method, dim):
                is_hidden = True
                break
        if not is_hidden:
            kept[i] = True
            edge[count] = rows[i]
            count += 1
    return kept


@exact_kernel
def lowest(points, rows, threshold, method, dim):
    """Of rows sorted from general to specific, whether none after each is a kind of it."""
    bound = reach(method, threshold)
    kept = np.zeros(len(rows), np.bool_)
    edge = np.empty(len(rows), np.int64)
    count = 0
    for i in range(len(rows) - 1, -1, -1):
        is_hidden = False
        for place in range(count):
            if _is_a(points, edge[place], rows[i], threshold, bound, method, dim):
                edge[place], edge[place // 2] = edge[place // 2], edge[place]
                is_hidden = True
                break
        if is_hidden:
            continue
        for j in range(len(rows) - 1, i, -1):
            if not kept[j] and _is_a(points, rows[j], rows[i], threshold, bound, method, dim):
                is_hidden = True
                break
        if not is_hidden:
            kept[i] = True
            edge[count] = rows[i]
            count += 1
    return kept
