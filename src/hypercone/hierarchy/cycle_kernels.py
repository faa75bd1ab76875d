"""Compiled, iterative algorithms for cycles: a shortest cycle, strongly connected components, back edges."""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import MANY, kernel, kernel_part
from hypercone.hierarchy.graph_kernels import copy_first, entries, list_length


@kernel(weight=MANY)
def shortest_cycle(parents, children, budget):
    """The rows of one shortest cycle in the direction parent to child; empty if there is none.

    Row by row: find the shortest cycle through it, then remove the row and all rows that are then on no cycle. A
    cycle of a million rows costs one search that way, not a million. After ``budget`` steps the shortest cycle found
    so far is returned.
    """
    n = len(parents.offsets) - 1
    alive = np.ones(n, np.bool_)
    above = np.empty(n, np.int64)
    below = np.empty(n, np.int64)
    stack = np.empty(n, np.int32)
    for row in range(n):
        above[row] = list_length(parents, row)
        below[row] = list_length(children, row)
    for row in range(n):
        if alive[row] and (above[row] == 0 or below[row] == 0):
            _remove(row, alive, above, below, parents, children, stack)

    best = np.empty(0, np.int32)
    came_from = np.empty(n, np.int32)
    seen_by = np.full(n, -1, np.int32)
    for start in range(n):
        if not alive[start]:
            continue
        limit = len(best) - 1 if len(best) > 0 else n
        last, steps = _find_return(start, limit, alive, children, stack, came_from, seen_by)
        if last >= 0:
            best = _cycle_through(start, last, came_from)
        budget -= steps
        if len(best) == 2 or (budget < 0 and len(best) > 0):
            break
        _remove(start, alive, above, below, parents, children, stack)
    return best


@kernel_part
def _remove(row, alive, above, below, parents, children, stack):
    """Remove the row, and repeatedly every row left without a parent or without a child."""
    alive[row] = False
    stack[0] = row
    size = 1
    while size > 0:
        size -= 1
        removed = stack[size]
        for i in entries(children, removed):
            child = children.rows[i]
            above[child] -= 1
            if alive[child] and above[child] == 0:
                alive[child] = False
                stack[size] = child
                size += 1
        for i in entries(parents, removed):
            parent = parents.rows[i]
            below[parent] -= 1
            if alive[parent] and below[parent] == 0:
                alive[parent] = False
                stack[size] = parent
                size += 1


@kernel_part
def _find_return(start, limit, alive, children, queue, came_from, seen_by):
    """Breadth-first search for a cycle of at most ``limit`` edges through ``start``: its last row or -1, and steps."""
    queue[0] = start
    filled = 1
    done = 0
    level_end = 1
    length = 1
    steps = 0
    while done < filled and length <= limit:
        row = queue[done]
        done += 1
        for i in entries(children, row):
            child = children.rows[i]
            steps += 1
            if child == start:
                return row, steps
            if alive[child] and seen_by[child] != start:
                seen_by[child] = start
                came_from[child] = row
                queue[filled] = child
                filled += 1
        if done == level_end:
            level_end = filled
            length += 1
    return -1, steps


@kernel_part
def _cycle_through(start, last, came_from):
    length = 1
    row = last
    while row != start:
        row = came_from[row]
        length += 1
    cycle = np.empty(length, np.int32)
    row = last
    for i in range(length - 1, 0, -1):
        cycle[i] = row
        row = came_from[row]
    cycle[0] = start
    return cycle


@kernel
def components(children):
    """The strongly connected component of each row, named by its least row (Tarjan's algorithm)."""
    n = len(children.offsets) - 1
    number = np.full(n, -1, np.int32)
    lowest = np.empty(n, np.int32)
    component = np.full(n, -1, np.int32)
    next_edge = np.empty(n, np.int64)
    copy_first(children.offsets, n, next_edge)
    path = np.empty(n, np.int32)
    open_rows = np.empty(n, np.int32)
    numbered, waiting = 0, 0
    for start in range(n):
        if number[start] >= 0:
            continue
        path[0] = start
        depth = 1
        while depth > 0:
            row = path[depth - 1]
            if number[row] < 0:
                number[row] = lowest[row] = numbered
                numbered += 1
                open_rows[waiting] = row
                waiting += 1
            if next_edge[row] < children.offsets[row + 1]:
                child = children.rows[next_edge[row]]
                next_edge[row] += 1
                if number[child] < 0:
                    path[depth] = child
                    depth += 1
                elif component[child] < 0:
                    lowest[row] = min(lowest[row], number[child])
                continue
            depth -= 1
            if depth > 0:
                lowest[path[depth - 1]] = min(lowest[path[depth - 1]], lowest[row])
            if lowest[row] == number[row]:
                waiting = _close(row, open_rows, waiting, component)
    return component


@kernel_part
def _close(row, open_rows, waiting, component):
    """Assign the open rows down to this one their component, the least of them; return the new stack size."""
    first = waiting - 1
    least = open_rows[first]
    while open_rows[first] != row:
        first -= 1
        least = min(least, open_rows[first])
    for i in range(first, waiting):
        component[open_rows[i]] = least
    return first


@kernel
def closing_edges(children, starts):
    """For each entry of ``children.rows``, whether it is a back edge of the depth-first search from ``starts``.

    Each back edge closes a cycle, and without them there is none.
    """
    n = len(children.offsets) - 1
    closes = np.zeros(len(children.rows), np.bool_)
    is_seen = np.zeros(n, np.bool_)
    is_above = np.zeros(n, np.bool_)
    next_edge = np.empty(n, np.int64)
    copy_first(children.offsets, n, next_edge)
    path = np.empty(n, np.int32)
    for start in starts:
        if is_seen[start]:
            continue
        path[0] = start
        is_seen[start] = is_above[start] = True
        depth = 1
        while depth > 0:
            row = path[depth - 1]
            if next_edge[row] == children.offsets[row + 1]:
                is_above[row] = False
                depth -= 1
                continue
            child = children.rows[next_edge[row]]
            closes[next_edge[row]] = is_above[child]
            next_edge[row] += 1
            if not is_seen[child]:
                is_seen[child] = is_above[child] = True
                path[depth] = child
                depth += 1
    return closes
