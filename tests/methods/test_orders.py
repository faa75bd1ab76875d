"""The margin methods induce a partial order: energy zero says "is a", and "is a" is transitive."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hypercone.geometry import cones, euclidean_cones, order
from hypercone.methods import METHODS, Settings

ORDERS = {"hyperbolic-cones", "euclidean-cones", "order"}
constants = st.sampled_from([0.03, 0.1, 0.5, 1.0])


def contains(name, parent, child, K):
    if name == "order":
        return order.contains(parent, child)
    return {"hyperbolic-cones": cones, "euclidean-cones": euclidean_cones}[name].contains(parent, child, K)


def test_every_margin_method_is_held_to_be_an_order():
    assert {name for name, method in METHODS.items() if method.loss == "margin"} == ORDERS


@pytest.mark.parametrize("name", sorted(ORDERS))
@given(st.integers(0, 2**32 - 1), constants, st.integers(2, 10))
@settings(max_examples=40, deadline=None)
def test_the_energy_is_zero_exactly_when_the_order_holds(name, make_pairs, seed, K, dim):
    method, case = METHODS[name], Settings(K=K)
    points, pairs = make_pairs(method, case, np.random.default_rng(seed), 200, dim)
    parents, children = points[pairs[:, 0]], points[pairs[:, 1]]
    energies = method.energy(parents, children, case)
    assert np.array_equal(energies == 0, contains(name, parents, children, K))


@pytest.mark.parametrize("name", ["hyperbolic-cones", "euclidean-cones"])
@given(st.integers(0, 2**32 - 1), constants, st.integers(2, 6))
@settings(max_examples=100, deadline=None)
def test_what_is_in_a_cone_takes_its_own_cone_with_it(name, make_pairs, seed, K, dim):
    """b in the cone of a, c in the cone of b: then c is in the cone of a, also where each is on the rim of its cone."""
    method, case = METHODS[name], Settings(K=K)
    rng = np.random.default_rng(seed)
    inner, outer = method.shell(case)
    ray = rng.normal(size=dim)
    a = ray / np.linalg.norm(ray) * rng.uniform(inner, min(outer, 3.0) * 0.7 + inner * 0.3)
    b = on_the_rim(method, case, rng, a)
    c = on_the_rim(method, case, rng, b)
    assume(all(method.shell(case)[0] <= np.linalg.norm(x) <= min(outer, 1e3) for x in (a, b, c)))
    assume(method.signed_energy(a, b, case) <= 0)
    assume(method.signed_energy(b, c, case) <= 0)
    assert float(method.signed_energy(a, c, case)) <= 1e-9


def on_the_rim(method, case, rng, apex):
    """A point at an angle ψ·(1 − tiny) or anything below from the spoke of the apex."""
    geometry = cones if method.is_hyperbolic else euclidean_cones
    angle = float(geometry.half_aperture(apex, case.K)) * rng.choice([1 - 1e-9, rng.uniform(0, 1)])
    spoke = apex / np.linalg.norm(apex)
    side = rng.normal(size=apex.shape)
    side -= side @ spoke * spoke
    side /= np.linalg.norm(side)
    direction = math.cos(angle) * spoke + math.sin(angle) * side
    length = 10.0 ** rng.uniform(-2, 0.3)
    if not method.is_hyperbolic:
        return apex + length * direction
    from hypercone.geometry import poincare

    return poincare.geodesic(apex, direction, length)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_order_embeddings_are_transitive(seed):
    method, case = METHODS["order"], Settings()
    a, b, c = np.sort(np.random.default_rng(seed).normal(size=(3, 100, 2)).round(1), axis=0)
    assert (method.energy(a, b, case) == 0).all()
    assert (method.energy(b, c, case) == 0).all()
    assert (method.energy(a, c, case) == 0).all()


@pytest.mark.parametrize("name", sorted(ORDERS))
def test_two_different_points_are_never_each_others_parent(name, make_pairs):
    method, case = METHODS[name], Settings()
    points, pairs = make_pairs(method, case, np.random.default_rng(1), 5_000, 2)
    parents, children = points[pairs[:, 0]], points[pairs[:, 1]]
    both = (method.energy(parents, children, case) == 0) & (method.energy(children, parents, case) == 0)
    assert not (both & (parents != children).any(axis=1)).any()
