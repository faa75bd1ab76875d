"""Free balls, compiled: the gradient of all true and all wrong pairs, and one step.

A true pair costs log(1 + v/s) with v = distance + r − R + margin · s, a wrong one log(1 + v/s) with
v = R − r − distance + margin · s; R is the radius of the holder, r that of what is held, and s the latter's *scale*.
"""
# mypy: ignore-errors

import math

from hypercone._jit import exact_kernel, kernel, width

# Shorter memories than usual: which pairs are violated changes all the time.
FIRST_DECAY, SECOND_DECAY = 0.8, 0.95
# Radii move more slowly than centres.
RADIUS_SHARE = 0.3
TINY = 1e-300
LEAST_SLOPE = 1e-9


@exact_kernel
def find_open(centres, radii, scales, offsets, ancestors, margin, reach, pairs, dim):
    """(pairs written, true pairs that hold): the true pairs that do not hold by the margin, or may cease to.

    ``reach`` is how far balls may move, in radii, before the next search.
    """
    written, held = 0, 0
    for child in range(len(radii)):
        scale = scales[child]
        for j in range(offsets[child], offsets[child + 1]):
            parent = ancestors[j]
            squared = 0.0
            for k in range(width(dim)):
                apart = centres[child, k] - centres[parent, k]
                squared += apart * apart
            room = radii[parent] - radii[child]
            if room >= 0.0 and squared <= room * room:
                held += 1
            room -= margin * scale + reach * (radii[parent] + scale)
            if room < 0.0 or squared > room * room:
                pairs[written, 0], pairs[written, 1] = parent, child
                written += 1
    return written, held


@kernel
def pull_true(centres, radii, scales, pairs, margin, of_centres, of_radii, dim):
    """Add the gradient of some true pairs."""
    for e in range(len(pairs)):
        parent, child = pairs[e, 0], pairs[e, 1]
        squared = 0.0
        for k in range(width(dim)):
            apart = centres[child, k] - centres[parent, k]
            squared += apart * apart
        room = radii[parent] - radii[child] - margin * scales[child]
        if room >= 0.0 and squared <= room * room:
            continue
        distance = math.sqrt(squared)
        force = 1.0 / (distance - room + scales[child])
        part = force / (distance + TINY)
        for k in range(width(dim)):
            slope = part * (centres[child, k] - centres[parent, k])
            of_centres[child, k] += slope
            of_centres[parent, k] -= slope
        of_radii[child] += force
        of_radii[parent] -= force


@kernel
def push_wrong(centres, radii, scales, wrong, weight, margin, of_centres, of_radii, dim):
    """Add the gradient of some wrong pairs."""
    for e in range(len(wrong)):
        holder, held = wrong[e, 0], wrong[e, 1]
        squared = 0.0
        for k in range(width(dim)):
            apart = centres[held, k] - centres[holder, k]
            squared += apart * apart
        room = radii[holder] - radii[held] + margin * scales[held]
        if room <= 0.0 or squared >= room * room:
            continue
        distance = math.sqrt(squared)
        force = weight / (room - distance + scales[held])
        part = force / (distance + TINY)
        for k in range(width(dim)):
            slope = part * (centres[held, k] - centres[holder, k])
            of_centres[held, k] -= slope
            of_centres[holder, k] += slope
        of_radii[holder] += force
        of_radii[held] -= force


@exact_kernel
def move(centres, log_radii, strides, is_leaf, of_centres, of_radii, moments, rate, time, smallest, dim):
    """Move every ball against its gradient, as Adam does, in units of its stride; leaves keep their radius."""
    first_centres, second_centres, first_radii, second_radii = moments
    warm = 1.0 - FIRST_DECAY**time
    second_warm = 1.0 - SECOND_DECAY**time
    for i in range(len(log_radii)):
        stride = strides[i]
        squared = 0.0
        for k in range(width(dim)):
            squared += of_centres[i, k] * of_centres[i, k]
        second_centres[i] = SECOND_DECAY * second_centres[i] + (1.0 - SECOND_DECAY) * squared * stride * stride
        scale = rate * stride / warm / (math.sqrt(second_centres[i] / second_warm) + LEAST_SLOPE)
        for k in range(width(dim)):
            slope = of_centres[i, k] * stride
            first_centres[i, k] = FIRST_DECAY * first_centres[i, k] + (1.0 - FIRST_DECAY) * slope
            centres[i, k] -= scale * first_centres[i, k]
        if is_leaf[i]:
            continue
        slope = of_radii[i] * math.exp(log_radii[i])
        first_radii[i] = FIRST_DECAY * first_radii[i] + (1.0 - FIRST_DECAY) * slope
        second_radii[i] = SECOND_DECAY * second_radii[i] + (1.0 - SECOND_DECAY) * slope * slope
        scale = RADIUS_SHARE * rate / warm / (math.sqrt(second_radii[i] / second_warm) + LEAST_SLOPE)
        log_radii[i] = max(log_radii[i] - scale * first_radii[i], smallest)
