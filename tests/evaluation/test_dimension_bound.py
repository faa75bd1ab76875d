"""A bound on the dimension is proven: brute force agrees, and no exact cones are in a smaller dimension."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from tests.support.hierarchies import (
    binary_tree,
    caterpillar,
    chain,
    closure_matrix,
    forest_of,
    random_dag,
    random_tree,
    star,
)

import hypercone
from hypercone.errors import InputError
from hypercone.evaluation import DimensionBound, dimension, dimension_bound
from hypercone.hierarchy import Hierarchy


def hierarchy_of(above):
    """The hierarchy in which row u is above row v where above[u, v]."""
    return Hierarchy([str(row) for row in range(len(above))], np.argwhere(above))


def boolean_lattice(size):
    """All subsets of a set, as the bits of a row; the empty one is above all."""
    rows = range(1 << size)
    return Hierarchy([str(row) for row in rows], [(row - bit, row) for row in rows for bit in bits_of(row)])


def bits_of(row):
    return [1 << place for place in range(row.bit_length()) if row >> place & 1]


def caps_hierarchy(directions, radii):
    """The hierarchy of caps that contain each other."""
    angles = np.arccos(np.clip(directions @ directions.T, -1, 1))
    above = angles <= radii[:, None] - radii[None, :]
    np.fill_diagonal(above, False)
    return hierarchy_of(above)


def simplex_caps(dim):
    """Equal caps around the corners of a simplex, and a point for each set of corners except none and all."""
    corners = np.eye(dim + 1) - 1 / (dim + 1)
    subsets = [list(each) for size in range(1, dim + 1) for each in combinations(range(dim + 1), size)]
    directions = np.array([*corners, *(corners[each].sum(axis=0) for each in subsets)])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radius = (np.arccos(1 / dim) + np.pi / 2) / 2
    return caps_hierarchy(directions, np.where(np.arange(len(directions)) <= dim, radius, 0.0))


def related_matrix(hierarchy):
    above = closure_matrix(hierarchy)
    return above | above.T | np.eye(len(hierarchy), dtype=bool)


def is_shattered(related, rows):
    patterns = {tuple(pattern) for pattern in related[:, rows].tolist()}
    return len(patterns - {(True,) * len(rows), (False,) * len(rows)}) == 2 ** len(rows) - 2


def largest_shattered(hierarchy):
    """By brute force: the size of the largest shattered set."""
    related, size = related_matrix(hierarchy), 1
    while any(is_shattered(related, list(rows)) for rows in combinations(range(len(hierarchy)), size + 1)):
        size += 1
    return size


def check_proof(hierarchy, found):
    """Check the nodes of a bound against the closure."""
    related, rows, columns = related_matrix(hierarchy), hierarchy.rows(found.nodes), hierarchy.rows(found.others)
    if found.reason == "shattered":
        assert found.dimension == len(rows) - 1
        assert is_shattered(related, rows)
    elif found.reason == "spectrum":
        signs = np.where(related[np.ix_(rows, columns)], 1.0, -1.0)
        assert found.dimension < np.sqrt(signs.size) / np.linalg.norm(signs, 2) - 1 + 1e-6
    else:
        assert (found.dimension, found.nodes) == (2, ())


@pytest.mark.parametrize("size", range(2, 9))
def test_a_boolean_lattice_needs_at_least_one_dimension_less_than_its_set_has_elements(size):
    found = dimension_bound(boolean_lattice(size))
    assert found.dimension == max(2, size - 1)
    check_proof(boolean_lattice(size), found)


@pytest.mark.parametrize("dim", range(2, 7))
def test_the_bound_is_sharp_for_caps_around_the_corners_of_a_simplex(dim):
    assert dimension_bound(simplex_caps(dim)).dimension == dim


@pytest.mark.parametrize(
    ("hierarchy", "expected"),
    [
        (Hierarchy([], []), 1),
        (chain(1), 1),
        (chain(9), 1),
        (forest_of([-1, 0, -1, 2]), 1),
        (forest_of([-1, -1, -1]), 2),
        (star(3), 2),
        (star(40), 2),
        (binary_tree(4), 2),
        (caterpillar(30), 2),
        (random_tree(200), 2),
        (Hierarchy.from_pairs([("a", "c"), ("b", "c")]), 2),
        (Hierarchy.from_pairs([("a", "b"), ("b", "c"), ("a", "c")]), 1),
    ],
)
def test_forests_need_at_most_two_dimensions_and_two_chains_one(hierarchy, expected):
    assert dimension_bound(hierarchy) == DimensionBound(expected, "chains")


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_of_a_small_order_is_that_of_the_largest_shattered_set_by_brute_force(seed):
    random = np.random.default_rng(seed)
    above = np.zeros((18, 18), bool)
    above[:6, 6:] = random.random((6, 12)) < 0.5
    above[:4, 6:16] = [[bool(subset >> row & 1) for subset in (3, 5, 6, 7, 9, 10, 11, 12, 13, 14)] for row in range(4)]
    above[:, 6:14] &= random.random((18, 8)) < 1 - 0.02 * seed
    shuffled = random.permutation(18)
    hierarchy = hierarchy_of(above[np.ix_(shuffled, shuffled)])
    found = dimension_bound(hierarchy)
    assert found.dimension == max(2, largest_shattered(hierarchy) - 1)
    check_proof(hierarchy, found)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dim", [2, 3, 5])
def test_no_bound_is_above_the_dimension_of_caps_that_are_exact(dim, seed):
    random = np.random.default_rng(seed)
    directions = random.normal(size=(300, dim))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    hierarchy = caps_hierarchy(directions, np.where(np.arange(300) < 60, 1.3 + 0.2 * random.random(300), 0.0))
    found = dimension_bound(hierarchy, tries=40)
    assert 2 <= found.dimension <= dim
    check_proof(hierarchy, found)


def test_no_fit_is_exact_in_a_dimension_below_the_bound():
    for hierarchy, bound, exact_in in (
        (simplex_caps(3), 3, 4),
        (boolean_lattice(4), 3, 4),
        (random_dag(10, 1), 2, 3),
        (random_dag(10, 2), 2, 3),
    ):
        fits = {dim: hypercone.fit(hierarchy, "overlapping-caps", dim=dim) for dim in (2, 3, 4)}
        exact = [dim for dim, embedding in fits.items() if embedding.record["calibration_f1"] == 1.0]
        assert dimension_bound(hierarchy).dimension == bound <= min(exact) <= exact_in


def test_random_orders_have_proven_bounds():
    for seed in range(10):
        hierarchy = random_dag(120, seed)
        check_proof(hierarchy, dimension_bound(hierarchy, seed, tries=30))


def hadamard(size):
    """Upper and lower nodes, with a Hadamard matrix of who is above whom."""
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    above = np.zeros((2 * size, 2 * size), bool)
    above[:size, size:] = matrix > 0
    return hierarchy_of(above)


@pytest.mark.parametrize(("size", "expected"), [(64, 6), (256, 14)])
def test_a_hadamard_matrix_has_the_largest_rank_that_a_spectrum_can_prove(size, expected):
    hierarchy = hadamard(size)
    found = dimension_bound(hierarchy, tries=10)
    assert (found.dimension, found.reason, len(found.nodes), len(found.others)) == (expected, "spectrum", size, size)
    check_proof(hierarchy, found)


def test_a_matrix_is_found_among_nodes_that_would_hide_it():
    hidden, more = hadamard(64), 40
    pairs = [*hidden.edges.tolist(), *([row, 128 + extra] for extra in range(more) for row in range(63))]
    hierarchy = Hierarchy([str(row) for row in range(128 + more)], pairs)
    found = dimension_bound(hierarchy, tries=10)
    assert (found.dimension, found.reason) == (6, "spectrum")
    check_proof(hierarchy, found)


@pytest.mark.parametrize(("make", "size"), [(boolean_lattice, 8), (simplex_caps, 5), (hadamard, 64)])
def test_a_sample_of_the_nodes_gives_a_bound_that_holds_for_all(make, size, monkeypatch):
    hierarchy = make(size)
    whole = dimension_bound(hierarchy)
    monkeypatch.setattr(dimension, "MOST_PAIRS", 0)
    assert dimension_bound(hierarchy).dimension == whole.dimension
    monkeypatch.setattr(dimension, "SAMPLE", 40)
    part = dimension_bound(hierarchy)
    assert 2 < part.dimension <= whole.dimension
    check_proof(hierarchy, part)


def test_the_same_seed_gives_the_same_bound_and_the_order_of_edges_does_not_matter():
    hierarchy = random_dag(300)
    found = dimension_bound(hierarchy, 3, tries=20)
    assert found == dimension_bound(Hierarchy(hierarchy.names, hierarchy.edges[::-1]), 3, tries=20)
    assert found.dimension >= dimension_bound(hierarchy, 3, tries=1).dimension


def test_more_tries_never_lower_the_bound():
    bounds = [dimension_bound(random_dag(300), tries=tries).dimension for tries in (1, 5, 50)]
    assert bounds == sorted(bounds)


@pytest.mark.parametrize(
    ("hierarchy", "sentence"),
    [
        (chain(3), "no exact cones in fewer than 1 dimension: the nodes are chains"),
        (star(3), "no exact cones in fewer than 2 dimensions: the nodes are more than two chains"),
        (
            simplex_caps(3),
            "no exact cones in fewer than 3 dimensions: for each nonempty proper subset of these 4 nodes, some node is "
            "above, below or equal to just those: 0, 1, 2, 3",
        ),
        (
            hadamard(64),
            "no exact cones in fewer than 6 dimensions: who is above or below whom, of 64 nodes (0, 1, 2 and 61 more) "
            "and 64 nodes (64, 65, 66 and 61 more), is a matrix of too large a rank",
        ),
    ],
)
def test_a_bound_says_its_proof_in_a_sentence(hierarchy, sentence):
    found = dimension_bound(hierarchy)
    assert str(found) == sentence
    assert json.loads(json.dumps(found.as_dict()))["dimension"] == found.dimension


@pytest.mark.parametrize(("given", "message"), [({"seed": -1}, "seed is -1"), ({"tries": 0}, "tries is 0")])
def test_a_seed_or_a_number_of_tries_out_of_range_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        dimension_bound(star(3), **given)
