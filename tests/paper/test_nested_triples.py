"""Theorem 4 on millions of triples, and apertures that must fail the very same check (Lemma 2, Theorem 3).

Random triples hardly find a violation: of 100,000 in ten dimensions (K = 0.1) 18 for ψ = arcsin(K/r), none for an
aperture that is wrong by a thousandth. So the triples are built along the borders of the cones; the same two
then give 24,648 and 12,169. A third of the parents sit at the inner radius and a third at the border of the ball;
a third of the children lie on the border of the parent's cone and a third within a hair of it; of the
grandchildren as many, half of them leaning straight outward.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.points import lean, shell

from hypercone.geometry import cones, euclidean_cones, poincare

EPS = np.finfo(float).eps
CONSTANTS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
TRIPLES = {2: 180_000, 5: 100_000, 10: 60_000}  # for each constant: 2.04 million in all
FEWER = 20_000  # are enough for an aperture that is wrong
OUTERMOST = 1e-3  # 1 − |x| of parents; grandchildren come to 1e-6


def radius_of(x):
    return np.linalg.norm(x, axis=-1)


def radii(rng, n, low):
    kind = np.arange(n) % 3
    share = np.choose(
        kind, [10.0 ** rng.uniform(-6, -1, n), rng.uniform(0, 1, n), 1 - OUTERMOST ** rng.uniform(0, 1, n)]
    )
    return np.clip(low + (1 - low) * share, low * (1 + 1e-6), 1 - OUTERMOST)


def shares(rng, n):
    """Which part of the aperture to use: all of it, nearly all, or any, in a random order."""
    kind = rng.integers(0, 3, n)
    return np.choose(kind, [np.ones(n), 1 - 10.0 ** rng.uniform(-9, -1, n), rng.uniform(0, 1, n)])


def walk(rng, x, directions):
    return poincare.geodesic(x, directions, 10.0 ** rng.uniform(-2, 0.5, len(x)))


def rounding(aperture, factor):
    """The error of ψ, in units of eps·λ at its apex: sin ψ carries one, the arcsine at most a root."""
    return np.minimum(np.abs(np.tan(aperture)), 1 / np.sqrt(EPS * factor))


def excesses(psi, low, n, d, seed):
    """Ξ(u, w) − ψ(u) for v in the cone of u and w in the cone of v, and what rounding can make of it.

    A point is known to eps·λ in hyperbolic length. An error of u turns what it sees by eps·λ_u; one of v
    swings w, and is seen from u at most coth d(u, w) times; one of w is seen under eps·λ_w/sinh d(u, w).
    """
    rng = np.random.default_rng(seed)
    u = shell(rng, n, d, 1, 1) * radii(rng, n, low)[:, None]
    psi_u = psi(u)
    v = walk(rng, u, lean(u, rng.normal(size=u.shape), psi_u * shares(rng, n)))
    outward = v - np.sum(u * v, axis=1, keepdims=True) / np.sum(u * u, axis=1, keepdims=True) * u
    is_outward = rng.uniform(size=(n, 1)) < 0.5
    psi_v = psi(v)
    w = walk(rng, v, lean(v, np.where(is_outward, outward, rng.normal(size=u.shape)), psi_v * shares(rng, n)))
    at_u, at_v, at_w = (poincare.conformal_factor(x) for x in (u, v, w))
    far = poincare.distance(u, w)
    seen = at_u * (1 + rounding(psi_u, at_u)) + at_v * (1 + rounding(psi_v, at_v)) / np.tanh(far) + at_w / np.sinh(far)
    return cones.cone_angle(u, w) - psi_u, EPS * seen


def violations(psi, low, d=2):
    excess, error = excesses(psi, low, FEWER, d, seed=70)
    return np.mean(excess > 2 * error)


def from_h(h):
    """The aperture with a given h(r) = r sin ψ/(1−r²)."""

    def psi(x):
        radius = radius_of(x)
        return np.arcsin(np.minimum(h(radius) * (1 - radius**2) / radius, 1))

    return psi


@pytest.mark.parametrize("d", TRIPLES)
@pytest.mark.parametrize("K", CONSTANTS)
def test_the_cone_of_a_point_in_a_cone_is_inside_that_cone(K, d):
    """Theorem 4: no violation in 2.04 million triples. The worst measured is two thirds of the error bound."""
    excess, error = excesses(lambda x: cones.half_aperture(x, K), cones.inner_radius(K), TRIPLES[d], d, seed=71)
    assert np.all(excess <= 2 * error)
    # Every eighteenth triple is on the border, where the check is sharp, and the bound is tight there.
    on_border = np.abs(excess) <= 2 * error
    assert on_border.mean() > 0.05
    assert np.median(error[on_border]) < 1e-12


def wrong_apertures():
    """ψ, the smallest radius of parents, dimensions, and the share of triples that must fail at least."""
    for K in (0.01, 0.03, 0.1, 0.3):
        # Theorem 3: arcsin(K/r) in the ball has growing h; about 35 of 100 triples fail in the plane
        yield f"euclidean-{K}", lambda x, K=K: euclidean_cones.half_aperture(x, K), K, TRIPLES, 0.2
    for angle in (0.05, 0.3, 1.0):
        # Theorem 3: h(r) = r sin ψ/(1−r²) grows when ψ stays
        yield f"constant-{angle}", lambda x, angle=angle: np.full(len(x), angle), 0.1, (2, 10), 0.2
    for K in CONSTANTS:
        low = cones.inner_radius(K)
        # Lemma 2: the obtuse angle of the same sine, so that h is the right constant and only the width is wrong
        yield f"obtuse-{K}", lambda x, K=K: np.pi - cones.half_aperture(x, K), low, (2, 10), 0.1
        # Theorem 3, and the sharpness of the check: h grows by one part in a thousand from center to border
        wider = from_h(lambda r, K=K: K * (1 + 1e-3 * r))
        yield f"thousandth-{K}", wider, cones.inner_radius(K * 1.001), (2, 10), 0.05
        # MATHEMATICS §3: E ≤ t with t > 0 is not transitive, though E ≤ 0 is for every K
        yield f"tolerance-{K}", lambda x, K=K: cones.half_aperture(x, K) + 0.01, low, (2,), 0.2


@pytest.mark.parametrize(
    ("psi", "low", "d", "share"),
    [pytest.param(psi, low, d, share, id=f"{name}-{d}") for name, psi, low, ds, share in wrong_apertures() for d in ds],
)
def test_a_wrong_aperture_is_not_transitive(psi, low, d, share):
    assert violations(psi, low, d) > share


@pytest.mark.parametrize("K", CONSTANTS)
@pytest.mark.parametrize("shrink", [lambda r: 1 - r / 2, lambda r: np.sqrt(1 - r**2), lambda r: np.exp(-r)])
def test_cones_that_narrow_faster_than_they_must_are_nested_too(K, shrink):
    """Theorem 3 with Lemma 7: every decreasing h is transitive, the constant one is the widest."""
    assert violations(from_h(lambda r: K * shrink(r)), cones.inner_radius(K)) == 0


@pytest.mark.parametrize("K", CONSTANTS)
def test_below_the_inner_radius_there_is_no_order(K):
    """§3: ψ cannot be defined on the whole ball. Parents from ε/2 on, with the right angle given to them there."""
    rng = np.random.default_rng(72)
    low = cones.inner_radius(K)
    parent = shell(rng, 20_000, 3, low / 2, low * 0.9)
    child = walk(rng, parent, lean(parent, rng.normal(size=parent.shape), np.full(20_000, np.pi / 2)))
    grandchild = walk(rng, child, lean(child, child - parent, cones.half_aperture(child, K)))
    assert cones.contains(parent, parent * 1.01, K).all()
    assert np.mean(cones.signed_energy(parent, grandchild, K) > 1e-6) > 0.2


@pytest.mark.parametrize("K", [0.01, 0.03, 0.1, 0.3])
def test_h_is_constant_up_to_a_billionth_from_the_border(K):
    """The function h(r) = r sin ψ(r)/(1−r²) of Theorem 3."""
    r = 1 - np.geomspace(1e-9, 0.65, 500)
    psi = cones.half_aperture(np.stack([r, 0 * r], axis=1), K)
    np.testing.assert_allclose(r * np.sin(psi) / ((1 - r) * (1 + r)), K, rtol=1e-14)
