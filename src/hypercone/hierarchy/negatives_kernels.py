"""Drawing pairs that are not in the closure, uniformly and without trial and error."""

# mypy: ignore-errors

import numpy as np

from hypercone._jit import exact_kernel


@exact_kernel
def draw_strangers(selves, offsets, related, draws):
    """For each row of ``selves``, distinct rows that are neither itself nor related to it, uniformly drawn.

    ``draws`` holds one 64-bit random number for each stranger wanted; a row that has fewer gets them all.
    Unused places are -1. (Taking a remainder of 64 bits favours small numbers by less than one in 10¹².)
    """
    size = len(offsets) - 1
    count = draws.shape[1]
    strangers = np.full((len(selves), count), -1, np.int32)
    for k in range(len(selves)):
        row = selves[k]
        mine = related[offsets[row] : offsets[row + 1]]
        available = size - 1 - len(mine)
        wanted = min(count, available)
        own_place = row - _below(mine, row)
        for i in range(wanted):
            # Floyd's way to draw a subset: one random number each, never a second try.
            last = available - wanted + i
            place = np.int64(draws[k, i] % np.uint64(last + 1))
            if _is_among(place, strangers[k, :i]):
                place = last
            strangers[k, i] = place
        for i in range(wanted):
            place = strangers[k, i]
            strangers[k, i] = _stranger_at(place + 1 if place >= own_place else place, mine)
    return strangers


@exact_kernel
def _is_among(place, places):
    for other in places:
        if other == place:
            return True
    return False


@exact_kernel
def _below(rows, row):
    """How many of the ascending rows are smaller than ``row``."""
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if rows[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


@exact_kernel
def _stranger_at(place, rows):
    """The row at this place, counted from 0, among all that are not in the ascending ``rows``."""
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if rows[middle] - middle <= place:
            low = middle + 1
        else:
            high = middle
    return place + low
