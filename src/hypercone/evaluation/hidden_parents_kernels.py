"""Counts over lists of neighbours, compiled."""
# mypy: ignore-errors

from hypercone._jit import exact_kernel


@exact_kernel
def add_lists(totals, rows, weights, offsets, lists):
    """Add the weight of each of the rows to the totals of all that stand in its list."""
    for k in range(len(rows)):
        for i in range(offsets[rows[k]], offsets[rows[k] + 1]):
            totals[lists[i]] += weights[k]
