"""Sums over coordinates for the training loops, in an order that does not depend on the processor.

Up to 32 dimensions they are taken one after the other; loops for that many are unrolled, and the sums of several pairs
overlap. A squared norm, which a step waits for, is taken in two halves. Above, sums are taken in eight lanes. Products
are fused with sums explicitly: the compiler must not choose where.
"""
# mypy: ignore-errors

from __future__ import annotations

from numpy import uint64

from hypercone._jit import (
    LANES,
    by_width,
    fma,
    fma_lanes,
    kernel_part,
    load_lanes,
    no_lanes,
    positive_lanes,
    subtract_lanes,
    sum_lanes,
    width,
)


@kernel_part
def _squared_norm(points, row, dim):
    even = 0.0
    odd = 0.0
    for k in range(0, width(dim) - 1, 2):
        even = fma(points[row, k], points[row, k], even)
        odd = fma(points[row, k + 1], points[row, k + 1], odd)
    if width(dim) % 2 == 1:
        even = fma(points[row, width(dim) - 1], points[row, width(dim) - 1], even)
    return even + odd


@kernel_part
def _squared_norm_in_lanes(points, row, dim):
    total = no_lanes()
    for k in range(0, dim - dim % LANES, LANES):
        x = load_lanes(points, row, uint64(k))
        total = fma_lanes(x, x, total)
    norm = sum_lanes(total)
    for k in range(dim - dim % LANES, dim):
        norm = fma(points[row, k], points[row, k], norm)
    return norm


@kernel_part
def _along_and_apart(points, parent, child, dim):
    along = 0.0
    apart = 0.0
    for k in range(width(dim)):
        delta = points[child, k] - points[parent, k]
        along = fma(points[parent, k], delta, along)
        apart = fma(delta, delta, apart)
    return along, apart


@kernel_part
def _along_and_apart_in_lanes(points, parent, child, dim):
    along_lanes = no_lanes()
    apart_lanes = no_lanes()
    for k in range(0, dim - dim % LANES, LANES):
        x = load_lanes(points, parent, uint64(k))
        delta = subtract_lanes(load_lanes(points, child, uint64(k)), x)
        along_lanes = fma_lanes(x, delta, along_lanes)
        apart_lanes = fma_lanes(delta, delta, apart_lanes)
    along = sum_lanes(along_lanes)
    apart = sum_lanes(apart_lanes)
    for k in range(dim - dim % LANES, dim):
        difference = points[child, k] - points[parent, k]
        along = fma(points[parent, k], difference, along)
        apart = fma(difference, difference, apart)
    return along, apart


@kernel_part
def _norm_and_apart(points, anchor, other, dim):
    norm = 0.0
    apart = 0.0
    for k in range(width(dim)):
        x = points[other, k]
        delta = points[anchor, k] - x
        norm = fma(x, x, norm)
        apart = fma(delta, delta, apart)
    return norm, apart


@kernel_part
def _norm_and_apart_in_lanes(points, anchor, other, dim):
    norm_lanes = no_lanes()
    apart_lanes = no_lanes()
    for k in range(0, dim - dim % LANES, LANES):
        x = load_lanes(points, other, uint64(k))
        delta = subtract_lanes(load_lanes(points, anchor, uint64(k)), x)
        norm_lanes = fma_lanes(x, x, norm_lanes)
        apart_lanes = fma_lanes(delta, delta, apart_lanes)
    norm = sum_lanes(norm_lanes)
    apart = sum_lanes(apart_lanes)
    for k in range(dim - dim % LANES, dim):
        difference = points[anchor, k] - points[other, k]
        norm = fma(points[other, k], points[other, k], norm)
        apart = fma(difference, difference, apart)
    return norm, apart


@kernel_part
def _squared_excess(points, parent, child, dim):
    total = 0.0
    for k in range(width(dim)):
        excess = max(0.0, points[parent, k] - points[child, k])
        total = fma(excess, excess, total)
    return total


@kernel_part
def _squared_excess_in_lanes(points, parent, child, dim):
    lanes = no_lanes()
    for k in range(0, dim - dim % LANES, LANES):
        x = load_lanes(points, parent, uint64(k))
        excess_lanes = positive_lanes(subtract_lanes(x, load_lanes(points, child, uint64(k))))
        lanes = fma_lanes(excess_lanes, excess_lanes, lanes)
    total = sum_lanes(lanes)
    for k in range(dim - dim % LANES, dim):
        excess = max(0.0, points[parent, k] - points[child, k])
        total = fma(excess, excess, total)
    return total


# squared_norm(points, row, dim) -> |x|²
squared_norm = by_width(_squared_norm, _squared_norm_in_lanes)
# along_and_apart(points, parent, child, dim) -> (⟨parent, δ⟩, |δ|²) with δ = child − parent
along_and_apart = by_width(_along_and_apart, _along_and_apart_in_lanes)
# norm_and_apart(points, anchor, other, dim) -> (|other|², |anchor − other|²)
norm_and_apart = by_width(_norm_and_apart, _norm_and_apart_in_lanes)
# squared_excess(points, parent, child, dim) -> |max(0, parent − child)|²
squared_excess = by_width(_squared_excess, _squared_excess_in_lanes)
