"""Compiled search along arrows that all lead to larger numbers, so that every number is visited once and in order.

Numbers waiting to be visited are bits of ``words``; ``blocks`` has one bit per word that is not zero, so that empty
stretches are skipped 4,096 at a time. Both are all zero before and after every search. The same bits sort the answer.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import kernel, kernel_part
from hypercone.hierarchy.graph_kernels import entries, ones


@kernel_part
def _lowest(bits):
    """The position of the lowest set bit."""
    return ones((bits & (~bits + np.uint64(1))) - np.uint64(1))


@kernel_part
def _push(number, words, blocks):
    word = number >> 6
    words[word] |= np.uint64(1) << np.uint64(number & 63)
    blocks[word >> 6] |= np.uint64(1) << np.uint64(word & 63)


@kernel
def reachable(start, arrows, rows, depths, bounds, is_up, words, blocks, found):
    """The rows reachable from the number ``start``, without its own, by depth and then by row.

    ``rows`` and ``depths`` are by number. Numbers grow with the depth, and ``bounds`` has the end of each depth; if
    ``is_up``, they fall, and it has the first number of each depth. ``found`` is memory for one number per row.
    """
    count = _collect_reachable(start, arrows, words, blocks, found)
    answer = np.empty(count, np.int32)
    filled = 0
    place = count - 1 if is_up else 0
    step = -1 if is_up else 1
    while 0 <= place < count:
        # The rows of one depth are sorted by the same bits.
        bound = bounds[depths[found[place]]]
        low, high = len(blocks), 0
        while 0 <= place < count and (found[place] >= bound if is_up else found[place] < bound):
            row = rows[found[place]]
            _push(row, words, blocks)
            low, high = min(low, row >> 12), max(high, row >> 12)
            place += step
        for block in range(low, high + 1):
            waiting = blocks[block]
            blocks[block] = 0
            while waiting != 0:
                word = (block << 6) + _lowest(waiting)
                waiting &= waiting - np.uint64(1)
                bits = words[word]
                words[word] = 0
                while bits != 0:
                    answer[filled] = (word << 6) + _lowest(bits)
                    filled += 1
                    bits &= bits - np.uint64(1)
    return answer


@kernel_part
def _collect_reachable(start, arrows, words, blocks, found):
    """Write all numbers reachable from ``start`` to ``found``, ascending, and return how many there are."""
    count = 0
    for i in entries(arrows, start):
        _push(arrows.rows[i], words, blocks)
    for block in range(start >> 12, len(blocks)):
        while blocks[block] != 0:
            word = (block << 6) + _lowest(blocks[block])
            while words[word] != 0:
                number = (word << 6) + _lowest(words[word])
                words[word] &= words[word] - np.uint64(1)
                found[count] = number
                count += 1
                for i in entries(arrows, number):
                    _push(arrows.rows[i], words, blocks)
            blocks[block] &= blocks[block] - np.uint64(1)
    return count


@kernel
def reaches(starts, goals, arrows, words, blocks):
    """For each start, whether its goal is the start itself or reachable from it."""
    answers = np.empty(len(starts), np.bool_)
    for pair in range(len(starts)):
        goal = goals[pair]
        answers[pair] = starts[pair] == goal
        if starts[pair] >= goal:
            continue
        _push(starts[pair], words, blocks)
        for block in range(starts[pair] >> 12, (goal >> 12) + 1):
            while blocks[block] != 0:
                word = (block << 6) + _lowest(blocks[block])
                while words[word] != 0:
                    number = (word << 6) + _lowest(words[word])
                    words[word] &= words[word] - np.uint64(1)
                    # Once the goal is found, what still waits is only removed. Numbers beyond the goal cannot reach it.
                    if not answers[pair]:
                        for i in entries(arrows, number):
                            if arrows.rows[i] < goal:
                                _push(arrows.rows[i], words, blocks)
                            elif arrows.rows[i] == goal:
                                answers[pair] = True
                blocks[block] &= blocks[block] - np.uint64(1)
    return answers
