"""Order embeddings: zero energy exactly where the order holds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypercone.geometry import order

triples = arrays(np.float64, (3, 4), elements=st.integers(-3, 3).map(float))


@given(triples)
def test_energy_is_zero_exactly_when_the_child_is_larger_everywhere(points):
    parent, child, _ = points
    assert (order.energy(parent, child) == 0) == order.contains(parent, child)


@given(triples)
def test_the_order_is_reflexive_antisymmetric_and_transitive(points):
    a, b, c = points
    assert order.contains(a, a)
    if order.contains(a, b) and order.contains(b, a):
        assert np.array_equal(a, b)
    if order.contains(a, b) and order.contains(b, c):
        assert order.contains(a, c)


def test_the_energy_punishes_wrong_pairs_and_not_right_ones():
    # the paper prints max(0, v − u), which does the opposite
    general, specific = np.array([0.0, 0.0]), np.array([1.0, 2.0])
    assert order.energy(general, specific) == 0
    assert order.energy(specific, general) == 5
