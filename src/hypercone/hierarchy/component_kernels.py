"""What runs in circles: strongly connected components, and edges whose removal leaves no cycle. No recursion."""

# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel


@exact_kernel
def components(offsets, children):
    """The component of each row: the least row that it can reach and be reached from (Tarjan's algorithm)."""
    n = len(offsets) - 1
    number = np.full(n, -1, np.int32)
    lowest = np.empty(n, np.int32)
    component = np.full(n, -1, np.int32)
    next_edge = offsets[:-1].copy()
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
            if next_edge[row] < offsets[row + 1]:
                child = children[next_edge[row]]
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


@exact_kernel
def _close(row, open_rows, waiting, component):
    """Give the open rows down to this one their component: the least of them."""
    first = waiting - 1
    least = open_rows[first]
    while open_rows[first] != row:
        first -= 1
        least = min(least, open_rows[first])
    for i in range(first, waiting):
        component[open_rows[i]] = least
    return first


@exact_kernel
def closing_edges(offsets, children, starts):
    """Whether each entry of ``children`` leads back to a row that the walk down from ``starts`` is still below.

    Without these there is no cycle, and every one of them closes one.
    """
    n = len(offsets) - 1
    closes = np.zeros(len(children), np.bool_)
    is_seen = np.zeros(n, np.bool_)
    is_above = np.zeros(n, np.bool_)
    next_edge = offsets[:-1].copy()
    path = np.empty(n, np.int32)
    for start in starts:
        if is_seen[start]:
            continue
        path[0] = start
        is_seen[start] = is_above[start] = True
        depth = 1
        while depth > 0:
            row = path[depth - 1]
            if next_edge[row] == offsets[row + 1]:
                is_above[row] = False
                depth -= 1
                continue
            child = children[next_edge[row]]
            closes[next_edge[row]] = is_above[child]
            next_edge[row] += 1
            if not is_seen[child]:
                is_seen[child] = is_above[child] = True
                path[depth] = child
                depth += 1
    return closes
