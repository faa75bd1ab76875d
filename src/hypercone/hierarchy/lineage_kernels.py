"""Compiled search along arrows that all lead to larger numbers, so that what is found comes out in ascending order.

Numbers waiting to be visited are bits of ``words``; ``blocks`` has one bit per word that is not zero, so that empty
stretches are skipped 4,096 at a time. Both are all zero before and after every search.
"""
# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from hypercone._jit import exact_kernel, exact_kernel_part
from hypercone.hierarchy.graph_kernels import entries, ones


@exact_kernel_part
def _lowest(bits):
    """The position of the lowest set bit."""
    return ones((bits & (~bits + np.uint64(1))) - np.uint64(1))


@exact_kernel_part
def _push(number, words, blocks):
    word = number >> 6
    words[word] |= np.uint64(1) << np.uint64(number & 63)
    blocks[word >> 6] |= np.uint64(1) << np.uint64(word & 63)


@exact_kernel
def reachable(start, arrows, words, blocks):
    """All numbers reachable from ``start``, ascending, without ``start``."""
    capacity = 64
    found = np.empty(capacity, np.int32)
    filled = 0
    for i in entries(arrows, start):
        _push(arrows.rows[i], words, blocks)
    for block in range(start >> 12, len(blocks)):
        while blocks[block] != 0:
            word = (block << 6) + _lowest(blocks[block])
            while words[word] != 0:
                number = (word << 6) + _lowest(words[word])
                words[word] &= words[word] - np.uint64(1)
                if filled == capacity:
                    larger = np.empty(2 * capacity, np.int32)
                    for j in range(capacity):
                        larger[j] = found[j]
                    found = larger
                    capacity *= 2
                found[filled] = number
                filled += 1
                for i in entries(arrows, number):
                    _push(arrows.rows[i], words, blocks)
            blocks[block] &= blocks[block] - np.uint64(1)
    return found[:filled]


@exact_kernel
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
