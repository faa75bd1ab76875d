"""Counts over lists of neighbours, compiled."""
# mypy: ignore-errors

from hypercone._jit import exact_kernel
from hypercone.hierarchy.graph_kernels import entries


@exact_kernel
def add_lists(totals, rows, weights, lists):
    """Add the weight of each of the rows to the totals of all that stand in its list."""
    for k in range(len(rows)):
        for i in entries(lists, rows[k]):
            totals[lists.rows[i]] += weights[k]
