"""Randomness is a function of (seed, epoch, edge): the same for the same keys, and like chance otherwise."""

import numpy as np
import pytest


def chi_square(counts):
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


def assert_like_chance(counts):
    """χ² within 4.5 of its own standard deviations: a fixed seed either passes for ever or never."""
    freedom = len(counts) - 1
    assert abs(chi_square(counts) - freedom) < 4.5 * np.sqrt(2 * freedom)


def test_mix_is_splitmix64(random_functions):
    """The first outputs of the reference implementation (Vigna, splitmix64.c) seeded with 0."""
    golden, first = 0x9E3779B97F4A7C15, []
    for i in range(3):
        z = (i * golden + golden) % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        first.append(z ^ (z >> 31))
    assert first == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert int(random_functions.mixed(0, 1)[0]) == first[0]


def test_every_bit_of_consecutive_counters_is_fair(random_functions):
    bits = random_functions.mixed(12_345, 20_000)
    ones = ((bits[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).sum(axis=0)
    assert (np.abs(ones.astype(float) - 10_000) < 4.5 * np.sqrt(5_000)).all()


@pytest.mark.parametrize("bound", [2, 7, 100, 1_000])
def test_draws_of_one_edge_are_uniform(bound, random_functions):
    found = random_functions.draws(5, 3, 17, 0, 200_000, bound)
    assert found.min() == 0
    assert found.max() == bound - 1
    assert_like_chance(np.bincount(found, minlength=bound))


def test_the_first_draws_of_many_edges_are_uniform(random_functions):
    """What an epoch uses: few draws of each of many streams."""
    found = np.concatenate([random_functions.draws(0, 0, edge, 0, 10, 50) for edge in range(5_000)])
    assert_like_chance(np.bincount(found, minlength=50))


def test_neighbouring_seeds_epochs_and_edges_share_no_stream(random_functions):
    streams = [random_functions.streams(seed, epoch, 1_000) for seed in range(5) for epoch in range(5)]
    assert len(np.unique(np.concatenate(streams))) == 25_000


def test_draws_of_neighbouring_edges_are_not_related(random_functions):
    one, other = (random_functions.draws(1, 1, edge, 0, 100_000, 10) for edge in (8, 9))
    assert_like_chance(np.bincount(10 * one + other, minlength=100))


@pytest.mark.parametrize("bound", [1, 2, 3, 2**31 - 1])
def test_a_draw_is_always_below_its_bound(bound, random_functions):
    found = random_functions.draws(9, 9, 9, 0, 10_000, bound)
    assert (found >= 0).all()
    assert (found < bound).all()


class TestShuffle:
    @pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 1_000])
    def test_it_visits_every_edge_once(self, count, random_functions):
        order = random_functions.shuffled(count, 7, 3)
        assert order.dtype == np.uint32
        assert np.array_equal(np.sort(order), np.arange(count))

    def test_it_is_the_same_for_the_same_seed_and_epoch(self, random_functions):
        assert np.array_equal(random_functions.shuffled(100, 7, 3), random_functions.shuffled(100, 7, 3))

    def test_it_differs_by_seed_and_by_epoch(self, random_functions):
        orders = {random_functions.shuffled(100, seed, epoch).tobytes() for seed in range(10) for epoch in range(10)}
        assert len(orders) == 100

    def test_every_permutation_is_as_likely(self, random_functions):
        orders = np.array([random_functions.shuffled(4, seed, 0) for seed in range(12_000)], np.int64)
        _, counts = np.unique(orders @ [64, 16, 4, 1], return_counts=True)
        assert len(counts) == 24
        assert_like_chance(counts)

    def test_the_largest_seed_is_a_seed(self, random_functions):
        order = random_functions.shuffled(50, 2**63 - 1, 0)
        assert np.array_equal(np.sort(order), np.arange(50))
        assert not np.array_equal(order, random_functions.shuffled(50, 0, 0))
