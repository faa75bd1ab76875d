"""Scores of a likely parent from an embedding: by its energies, its cones and its distances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hypercone._arrays import Rows, read_only
from hypercone._jit import dimension_type
from hypercone.embedding import Embedding
from hypercone.errors import InputError
from hypercone.evaluation.hidden_parents_heuristics import each
from hypercone.evaluation.hidden_parents_ranks import Scorer
from hypercone.geometry import cones, euclidean_cones
from hypercone.hierarchy import Hierarchy
from hypercone.methods import Method, Points, Settings, find_method, generic_kernels

# Of a large subtree so many nodes speak for all of it.
SPEAKERS = 8


def by_energy(embedding: Embedding) -> Scorer:
    """The lower the signed energy the likelier: for cones, how deep inside one the node is, so the widest lead."""
    return each(lambda node: -signed_energies(embedding, node))


def by_narrowest(embedding: Embedding, slack: float = 0.0) -> Scorer:
    """Of those whose region holds the node the most specific first, then the others by energy.

    ``slack`` widens all regions: training pushes out what it takes for wrong, hidden parents too, so that a true one is
    a near miss more often than a hit.
    """
    _, specific = np.unique(_generality(embedding), return_inverse=True)

    def score(node: int) -> Points:
        outside = signed_energies(embedding, node) - embedding.threshold - slack
        return np.where(outside <= 0, specific, -outside)

    return each(score)


def by_needed_width(embedding: Embedding) -> Scorer:
    """The narrowest cone first, where each is as wide as it must be to hold the node too: the larger of Ξ and ψ.

    So a wide cone that holds the node comes after a narrow one that just misses it.
    """
    apertures = _half_apertures(embedding)
    return each(lambda node: -np.maximum(signed_energies(embedding, node) + apertures, apertures))


def by_distance(embedding: Embedding, *, more_general: bool = False) -> Scorer:
    """The nearest first; with ``more_general`` those that the embedding puts higher than the node before all others."""
    level = _generality(embedding)
    # α is for telling direction; it is no part of a distance.
    plain = replace(embedding.settings, alpha=0.0)
    method = find_method("poincare" if find_method(embedding.method).is_hyperbolic else "euclidean")

    def score(node: int) -> Points:
        distances = _energies(method, plain, embedding.points, node)
        # Any number that every distance stays below puts the lower ones last.
        last = 1 + distances.max(initial=0) if more_general else 0.0
        return -np.where(level < level[node], distances, distances + last)

    return each(score)


def by_descendants(embedding: Embedding, hierarchy: Hierarchy) -> Scorer:
    """The mean energy of the node and of what is known to be below it: a parent's region holds the whole subtree."""

    def score(node: int) -> Points:
        below = hierarchy.descendants_of(node)
        speakers = below[np.linspace(0, len(below) - 1, min(len(below), SPEAKERS)).astype(np.int64)]
        energies = [np.maximum(signed_energies(embedding, row), 0.0) for row in [node, *speakers.tolist()]]
        means: Points = np.mean(energies, axis=0)
        return -means

    return each(score)


def by_neighbours(embedding: Embedding, hierarchy: Hierarchy, count: int = 10) -> Scorer:
    """The parents of the nearest nodes that are not below the node itself: a vote each, the nearer the heavier."""

    def score(node: int) -> Points:
        near = _nearest_strangers(embedding, hierarchy, node, count)
        votes = np.zeros(len(hierarchy))
        for place, row in enumerate(near.tolist()):
            votes[hierarchy.parents[row]] += 1 / (1 + place)
        return votes

    return each(score)


def _nearest_strangers(embedding: Embedding, hierarchy: Hierarchy, node: int, count: int) -> Rows:
    below = hierarchy.descendants_of(node)
    near = embedding.index.nearest(node, min(len(embedding) - 1, count + len(below))).rows
    strangers: Rows = near[~np.isin(near, below)][:count]
    return strangers


def signed_energies(embedding: Embedding, node: int) -> Points:
    """The energy of (x, node) for every node x, below zero where the node is inside."""
    return _energies(find_method(embedding.method), embedding.settings, embedding.points, node)


def _energies(method: Method, settings: Settings, points: Points, node: int) -> Points:

    constants = method.constants(settings)
    energies: Points = generic_kernels.energies_above(
        read_only(points), node, constants, dimension_type(points.shape[1])
    )
    return energies


def _half_apertures(embedding: Embedding) -> Points:
    curvature = find_method(embedding.method).curvature
    if curvature is None:
        raise InputError(f"{embedding.method} has no cones, so none has a width; take an embedding by a cone method")
    half_aperture = cones.half_aperture if curvature > 0 else euclidean_cones.half_aperture
    return half_aperture(embedding.points, embedding.settings.K).astype(np.float64, copy=False)


def _generality(embedding: Embedding) -> Points:
    return find_method(embedding.method).generality(embedding.points)
