"""Trees and hyperbolic space: δ-hyperbolicity, Gromov's approximating tree, Sarkar's construction, distortion."""

from itertools import combinations, pairwise

import mpmath as mp
import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.points import shell

from hypercone import Hierarchy
from hypercone.errors import HierarchyError, InputError
from hypercone.geometry import poincare, trees

SEEDS = st.integers(0, 2**32 - 1)


def random_tree(seed, size):
    """Each node below an earlier one, the numbers shuffled."""
    rng = np.random.default_rng(seed)
    names = rng.permutation(size)
    return np.array([(names[rng.integers(0, child)], names[child]) for child in range(1, size)])


def uniform_tree(branching, depth):
    size = sum(branching**level for level in range(depth + 1))
    return np.array([((child - 1) // branching, child) for child in range(1, size)])


def between(points, distance=poincare.distance):
    return distance(points[:, None], points[None])


def flat_distance(x, y):
    return np.linalg.norm(x - y, axis=-1)


class TestDelta:
    @given(SEEDS, st.integers(2, 25))
    def test_a_tree_has_delta_0_whatever_the_lengths_of_its_edges(self, seed, size):
        edges = random_tree(seed, size)
        assert trees.delta_hyperbolicity(trees.tree_distances(edges)) == 0
        lengths = np.random.default_rng(seed).uniform(0.1, 5, size - 1)
        assert trees.delta_hyperbolicity(trees.tree_distances(edges, lengths)) < 1e-13

    @given(SEEDS, st.integers(2, 5))
    def test_hyperbolic_space_has_delta_at_most_log_2(self, seed, dim):
        """The constant of the four-point condition (Nica and Špakula, Strong hyperbolicity, 2016, corollary 5.4)."""
        rng = np.random.default_rng(seed)
        points = shell(rng, 16, dim, 1, 1) * (1 - 10.0 ** rng.uniform(-6, 0, (16, 1)))
        assert trees.delta_hyperbolicity(between(points)) <= np.log(2) + 1e-9

    def test_a_large_square_of_the_plane_attains_log_2_in_fifty_digits_too(self):
        """Opposite corners are 2R apart and adjacent ones arcosh(cosh² R), so δ = 2R − arcosh(cosh² R) → log 2."""
        corners = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
        for radius in (0.5, 2.0, 6.0, 14.0):
            with mp.workdps(50):
                r = mp.mpf(float(np.tanh(radius / 2)))
                reach = 2 * mp.atanh(r)
                exact = 2 * reach - mp.acosh(mp.cosh(reach) ** 2)
            found = float(trees.four_point_delta(between(np.tanh(radius / 2) * corners)))
            # 1 − r is known to eps, and so is a distance to eps/(1 − r)
            assert found == pytest.approx(float(exact), rel=1e-14, abs=2e-16 / float(1 - r))
        assert found == pytest.approx(np.log(2), abs=1e-9)

    def test_flat_space_has_no_delta(self):
        """A square with side a has δ = (√2 − 1)a, which has no bound."""
        square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
        for side in (1.0, 1e3, 1e9):
            assert float(trees.four_point_delta(between(side * square, flat_distance))) == pytest.approx(
                (np.sqrt(2) - 1) * side
            )

    @pytest.mark.parametrize(("size", "delta"), [(4, 1.0), (5, 0.5), (6, 1.0), (8, 2.0), (12, 3.0)])
    def test_a_cycle_has_the_known_delta(self, size, delta):
        """A cycle of 4k edges has δ = k, one of 4k + 1 edges k − 1/2, and one of 4k + 2 or 4k + 3 edges k."""
        cycle = networkx.floyd_warshall_numpy(networkx.cycle_graph(size))
        assert trees.delta_hyperbolicity(cycle) == delta

    @given(SEEDS, st.integers(4, 9))
    def test_delta_is_the_largest_of_any_four_points_by_gromov_products(self, seed, size):
        """(x|z) ≥ min((x|y), (y|z)) − δ at every base point, the definition, against the three sums."""
        d = between(shell(np.random.default_rng(seed), size, 3, 0, 3), flat_distance)

        def product(x, y, w):
            return (d[x, w] + d[y, w] - d[x, y]) / 2

        worst = 0.0
        for four in combinations(range(size), 4):
            for w in four:
                x, y, z = (other for other in four if other != w)
                for a, b, c in ((x, y, z), (y, z, x), (z, x, y)):
                    worst = max(worst, min(product(a, b, w), product(b, c, w)) - product(a, c, w))
        assert trees.delta_hyperbolicity(d) == pytest.approx(worst, abs=1e-12)

    def test_a_sample_is_a_lower_bound_depends_on_its_seed_alone_and_may_have_equal_points(self):
        points = shell(np.random.default_rng(1), 12, 2, 0.9, 0.999)
        d = between(points)
        whole = trees.delta_hyperbolicity(d)
        few = trees.delta_hyperbolicity(d, quadruples=20)
        assert few == trees.delta_hyperbolicity(d, quadruples=20) <= whole
        assert trees.delta_hyperbolicity(d, quadruples=100_000) == whole
        assert trees.delta_hyperbolicity(np.zeros((1, 1)), quadruples=10) == 0
        assert trees.delta_hyperbolicity(np.zeros((3, 3))) == 0


class TestApproximatingTree:
    @given(SEEDS, st.integers(3, 20), st.booleans())
    def test_its_distances_are_those_of_a_tree_below_the_given_ones_by_at_most_delta_log_n(self, seed, size, is_flat):
        """Gromov's theorem with the constant of Ghys and de la Harpe: at most 2kδ for up to 2ᵏ + 2 points."""
        rng = np.random.default_rng(seed)
        points = shell(rng, size, 2, 0, 0.999)
        d = between(points, flat_distance if is_flat else poincare.distance)
        tree = trees.approximating_tree(d, base=size // 2)
        assert trees.delta_hyperbolicity(tree) < 1e-12
        np.testing.assert_allclose(tree[size // 2], d[size // 2], rtol=0, atol=1e-13)
        steps = np.ceil(np.log2(max(size - 2, 1)))
        assert np.all(tree <= d + 1e-12)
        assert np.all(tree >= d - 2 * steps * trees.delta_hyperbolicity(d) - 1e-12)
        assert np.all(np.abs(np.diag(tree)) < 1e-12)

    @given(SEEDS, st.integers(2, 20))
    def test_the_tree_of_a_tree_is_that_tree(self, seed, size):
        d = trees.tree_distances(random_tree(seed, size))
        np.testing.assert_array_equal(trees.approximating_tree(d, base=size - 1), d)


class TestTreeDistances:
    @given(SEEDS, st.integers(2, 40))
    def test_paths_have_the_lengths_that_networkx_finds(self, seed, size):
        edges, lengths = random_tree(seed, size), np.random.default_rng(seed).uniform(0.1, 5, size - 1)
        graph = networkx.Graph()
        graph.add_nodes_from(range(size))
        graph.add_weighted_edges_from((*edge, length) for edge, length in zip(edges.tolist(), lengths, strict=True))
        expected = networkx.floyd_warshall_numpy(graph)
        np.testing.assert_allclose(trees.tree_distances(edges, lengths), expected, rtol=1e-13, atol=0)

    def test_the_edges_of_a_hierarchy_are_taken_as_they_are(self):
        animals = Hierarchy.from_pairs([("animal", "dog"), ("animal", "cat"), ("dog", "poodle")])
        d = trees.tree_distances(animals.edges)
        assert d[animals.names.index("poodle"), animals.names.index("cat")] == 3

    @pytest.mark.parametrize("function", [trees.tree_distances, trees.sarkar_embedding])
    @pytest.mark.parametrize(
        ("edges", "sentence"),
        [
            ([(0, 2), (1, 2)], "node 2 has several parents"),
            ([(0, 1), (2, 3), (3, 2)], "the edges have a cycle"),
            ([(0, 1), (2, 3)], "2 edges make a tree of the nodes 0 to 2, which has no 3"),
            ([(0, -1)], "1 edges make a tree of the nodes 0 to 1, which has no -1"),
            ([], "with at least one edge"),
            ([0, 1], "rows"),
            ([(0.0, 1.0)], "whole numbers"),
        ],
    )
    def test_what_is_not_a_tree_is_refused_with_its_reason(self, function, edges, sentence):
        with pytest.raises(HierarchyError, match=sentence):
            function(edges)

    def test_a_length_that_is_not_positive_is_refused(self):
        with pytest.raises(InputError, match="not positive"):
            trees.tree_distances([(0, 1)], 0.0)


class TestSarkar:
    @given(SEEDS, st.integers(2, 40))
    def test_every_edge_has_its_length_and_the_edges_of_a_node_leave_it_at_equal_angles(self, seed, size):
        edges = random_tree(seed, size)
        graph = networkx.Graph(edges.tolist())
        root = next(node for node in graph if node not in edges[:, 1])
        reach = max(networkx.single_source_shortest_path_length(graph, root).values())
        lengths = np.random.default_rng(seed).uniform(0.3, 1, size - 1) * min(2.0, 12 / reach)
        points = trees.sarkar_embedding(edges, lengths)
        np.testing.assert_allclose(poincare.distance(*points[edges.T]), lengths, rtol=0, atol=1e-9)
        for node in graph:
            ways = poincare.departure(points[node], points[list(graph[node])])
            turns = np.sort(np.arctan2(ways[:, 1], ways[:, 0]))
            gaps = np.diff(turns, append=turns[0] + 2 * np.pi)
            np.testing.assert_allclose(gaps, 2 * np.pi / len(gaps), rtol=0, atol=1e-8)

    def test_the_points_are_those_of_fifty_digits(self):
        """Children placed by the exponential map at their parent, from the direction back to the grandparent."""
        edges, length = uniform_tree(2, 3), 2.5
        points = trees.sarkar_embedding(edges, length)
        with mp.workdps(50):
            step = mp.tanh(mp.mpf(length) / 2)
            places, parents = {0: mp.mpc(0)}, {child: parent for parent, child in edges.tolist()}
            for node in range(len(points)):
                children = [child for child, parent in parents.items() if parent == node]
                p = places[node]
                back = (places[parents[node]] - p) / (1 - mp.conj(p) * places[parents[node]]) if node else mp.mpc(1)
                ends = len(children) + bool(node)
                for number, child in enumerate(children, start=int(bool(node))):
                    w = step * back / abs(back) * mp.expjpi(mp.mpf(2 * number) / ends)
                    places[child] = (p + w) / (1 + mp.conj(p) * w)
            exact = np.array([[float(places[node].real), float(places[node].imag)] for node in range(len(points))])
        np.testing.assert_allclose(points, exact, rtol=0, atol=1e-14)

    @pytest.mark.parametrize(("branching", "depth"), [(2, 4), (3, 3), (10, 2)])
    def test_the_distortion_falls_to_1_as_edges_grow(self, branching, depth):
        """A turn by the angle θ shortens a path by 2 ln(1/sin(θ/2)), however long its edges are, so it is 1 + c/τ."""
        edges = uniform_tree(branching, depth)
        tree = trees.tree_distances(edges)
        lengths = np.linspace(4, 29 / depth, 4)
        found = [trees.distortion(between(trees.sarkar_embedding(edges, length)), length * tree) for length in lengths]
        turn = -2 * np.log(np.sin(np.pi / (branching + 1)))
        assert all(one.worst < 1 / (1 - turn / length) + 1e-2 for length, one in zip(lengths, found, strict=True))
        for one, longer in pairwise(found):
            assert longer.worst < one.worst
            assert longer.average < one.average

    def test_in_more_digits_than_floats_have_the_distortion_of_a_binary_tree_comes_within_a_thousandth(self):
        """Edges of 2,000: from turn angles by the law of cosines, because no point so far out is a float."""
        with mp.workdps(4000):
            length = mp.mpf(2000)
            siblings = mp.acosh(mp.cosh(length) ** 2 - mp.sinh(length) ** 2 * mp.cos(2 * mp.pi / 3))
            assert 1 < 2 * length / siblings < 1 + mp.mpf("1e-3")

    def test_points_that_floats_cannot_hold_are_refused_with_the_length_that_they_can(self):
        with pytest.raises(InputError, match=r"40 from the root, .* up to 30; multiply the lengths by 0\.75 or less"):
            trees.sarkar_embedding(uniform_tree(2, 4), 10.0)


class TestDistortion:
    def test_equal_distances_have_none_and_a_scale_counts_on_average_alone(self):
        d = trees.tree_distances(uniform_tree(2, 3))
        assert trees.distortion(d, d) == (1.0, 0.0)
        assert trees.distortion(3 * d, d) == (1.0, 2.0)
        assert trees.distortion([[0.0]], [[0.0]]) == (1.0, 0.0)
        assert trees.distortion(0 * d, d) == (np.inf, 1.0)

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (([[0, 1], [1, 0]], [[0]]), "between 2 points, and wanted ones between 1"),
            (([[0, 1], [1, 0]], np.zeros((2, 2))), "not positive"),
            (([0, 1], [0, 1]), r"\(n, n\) array"),
        ],
    )
    def test_what_cannot_be_compared_is_refused(self, arguments, sentence):
        with pytest.raises(InputError, match=sentence):
            trees.distortion(*arguments)

    @given(SEEDS, st.integers(2, 12), st.integers(1, 15))
    def test_no_points_of_flat_space_embed_a_star_with_less_than_the_bound(self, seed, leaves, dim):
        star = trees.tree_distances([(0, leaf) for leaf in range(1, leaves + 1)])
        points = np.random.default_rng(seed).normal(size=(leaves + 1, dim))
        points[0] /= 10
        found = trees.distortion(between(points, flat_distance), star).worst
        assert found >= trees.euclidean_star_distortion(leaves) - 1e-12

    @pytest.mark.parametrize("leaves", [2, 3, 5, 20])
    def test_a_simplex_attains_the_bound_in_flat_space_and_the_disk_is_below_it_without_end(self, leaves):
        star = trees.tree_distances([(0, leaf) for leaf in range(1, leaves + 1)])
        simplex = np.eye(leaves) - 1 / leaves
        flat = trees.distortion(between(np.vstack([np.zeros(leaves), simplex]), flat_distance), star).worst
        assert flat == pytest.approx(trees.euclidean_star_distortion(leaves))
        if leaves > 2:
            points = trees.sarkar_embedding([(0, leaf) for leaf in range(1, leaves + 1)], 16.0)
            assert trees.distortion(between(points), star).worst < 1 + (flat - 1) / 2

    def test_one_leaf_is_no_star(self):
        with pytest.raises(InputError, match="at least two leaves, not 1"):
            trees.euclidean_star_distortion(1)
