"""Balls in the coordinates of their skeleton, compiled: from offsets to balls, gradients back, and one step.

A ball is given by where it lies in the ball above it: its centre is ``centre + radius · offset`` of that one, its
radius ``radius · exp(log_ratio)``. As long as |offset| + ratio ≤ 1 the skeleton's pairs hold, and moving one ball moves
all below it along.
"""
# mypy: ignore-errors

import math

from hypercone._jit import exact_kernel, kernel, width

# The usual decay of Adam's first moment, and a second moment short enough to follow violations that come and go.
FIRST_DECAY, SECOND_DECAY = 0.9, 0.99
TINY = 1e-12
# A ball stays inside the one above by so much of its radius, more than rounding can take away.
INSIDE = 1.0 - 1e-9


@exact_kernel
def place_balls(parents, offsets, log_ratios, centres, radii, dim):
    """Write the centre and the radius of every ball below the first, which is given."""
    for i in range(1, len(parents)):
        above = parents[i]
        radius = radii[above]
        for k in range(width(dim)):
            centres[i, k] = centres[above, k] + radius * offsets[i, k]
        radii[i] = radius * math.exp(log_ratios[i])


@kernel
def pull_back(parents, offsets, log_ratios, radii, of_centres, of_radii, of_offsets, of_ratios, dim):
    """Write the gradients in offsets and log ratios; those in centres and radii are summed up the skeleton."""
    for i in range(len(parents) - 1, 0, -1):
        above = parents[i]
        along = 0.0
        for k in range(width(dim)):
            slope = of_centres[i, k]
            of_offsets[i, k] = radii[above] * slope
            of_centres[above, k] += slope
            along += slope * offsets[i, k]
        of_ratios[i] = radii[i] * of_radii[i]
        of_radii[above] += along + of_radii[i] * math.exp(log_ratios[i])


@kernel
def step(offsets, log_ratios, of_offsets, of_ratios, moments, rate, time, lowest, highest, dim):
    """Move every ball against its gradient, as Adam does but with one second moment for all of an offset.

    ``moments`` are the first and second ones of offsets and of log ratios. Log ratios stay within their bounds, and
    every ball within the one above it.
    """
    first_offsets, second_offsets, first_ratios, second_ratios = moments
    warm = 1.0 - FIRST_DECAY**time
    second_warm = 1.0 - SECOND_DECAY**time
    for i in range(1, len(log_ratios)):
        squared = 0.0
        for k in range(width(dim)):
            squared += of_offsets[i, k] * of_offsets[i, k]
        second_offsets[i] = SECOND_DECAY * second_offsets[i] + (1.0 - SECOND_DECAY) * squared
        scale = rate / warm / (math.sqrt(second_offsets[i] / second_warm) + TINY)
        for k in range(width(dim)):
            first_offsets[i, k] = FIRST_DECAY * first_offsets[i, k] + (1.0 - FIRST_DECAY) * of_offsets[i, k]
            offsets[i, k] -= scale * first_offsets[i, k]
        slope = of_ratios[i]
        first_ratios[i] = FIRST_DECAY * first_ratios[i] + (1.0 - FIRST_DECAY) * slope
        second_ratios[i] = SECOND_DECAY * second_ratios[i] + (1.0 - SECOND_DECAY) * slope * slope
        scale = rate / warm / (math.sqrt(second_ratios[i] / second_warm) + TINY)
        log_ratios[i] = min(max(log_ratios[i] - scale * first_ratios[i], lowest[i]), highest[i])
        length = 0.0
        for k in range(width(dim)):
            length += offsets[i, k] * offsets[i, k]
        length = math.sqrt(length)
        longest = (1.0 - math.exp(log_ratios[i])) * INSIDE
        if length > longest:
            for k in range(width(dim)):
                offsets[i, k] *= longest / length
