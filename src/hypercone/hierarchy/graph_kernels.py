"""Walks over a directed graph given as offsets and rows: orders, depths, what is reached, flipped arrows."""

# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel


@exact_kernel
def topological_order(child_offsets, children, parent_counts):
    """Rows such that each comes after its parents; shorter than the graph if there is a cycle."""
    n = len(parent_counts)
    waiting = parent_counts.copy()
    order = np.empty(n, np.int32)
    filled = 0
    for row in range(n):
        if waiting[row] == 0:
            order[filled] = row
            filled += 1
    done = 0
    while done < filled:
        row = order[done]
        done += 1
        for i in range(child_offsets[row], child_offsets[row + 1]):
            child = children[i]
            waiting[child] -= 1
            if waiting[child] == 0:
                order[filled] = child
                filled += 1
    return order[:filled]


@exact_kernel
def longest_depths(order, parent_offsets, parents):
    """The number of edges on the longest way down to each row from a row without parents."""
    depths = np.zeros(len(order), np.int32)
    for row in order:
        deepest = 0
        for i in range(parent_offsets[row], parent_offsets[row + 1]):
            deepest = max(deepest, depths[parents[i]] + 1)
        depths[row] = deepest
    return depths


@exact_kernel
def reachable(start, offsets, rows):
    """Every row that can be reached from ``start`` along the arrows, unsorted, without ``start``."""
    seen = np.zeros(len(offsets) - 1, np.bool_)
    seen[start] = True
    capacity = 64
    found = np.empty(capacity, np.int32)
    found[0] = start
    filled = 1
    done = 0
    while done < filled:
        row = found[done]
        done += 1
        for i in range(offsets[row], offsets[row + 1]):
            neighbour = rows[i]
            if seen[neighbour]:
                continue
            seen[neighbour] = True
            if filled == capacity:
                capacity *= 2
                larger = np.empty(capacity, np.int32)
                larger[:filled] = found
                found = larger
            found[filled] = neighbour
            filled += 1
    return found[1:filled]


@exact_kernel
def flipped(starts, stops, rows, visit):
    """The same arrows seen from their other end; each new list is in the order in which ``visit`` names rows.

    Flipping twice with ``visit`` ascending sorts every list, in linear time.
    """
    n = len(starts)
    offsets = np.zeros(n + 1, np.int64)
    for row in rows:
        offsets[row + 1] += 1
    for row in range(n):
        offsets[row + 1] += offsets[row]
    place = offsets[:-1].copy()
    flipped_rows = np.empty(len(rows), np.int32)
    for row in visit:
        for i in range(starts[row], stops[row]):
            flipped_rows[place[rows[i]]] = row
            place[rows[i]] += 1
    return offsets, flipped_rows
