"""Cones are nested: a child's child is the parent's (Theorem 4); a wider aperture breaks it (Theorem 3)."""

import numpy as np
import pytest

from hypercone.geometry import cones, euclidean_cones, poincare

TRIPLES = 100_000
CONSTANTS = [0.01, 0.1, 0.5, 1.0, 3.0]


def part_of(rng, aperture):
    """Angles up to the aperture, a third of them exactly on the border of the cone."""
    share = rng.uniform(0, 1, aperture.shape)
    return aperture * np.where(rng.uniform(size=aperture.shape) < 1 / 3, 1, share)


def ball_step(rng, x, angle, turned):
    return poincare.geodesic(x, turned(rng, x, angle), rng.uniform(0.01, 2, len(x)))


def flat_step(rng, x, angle, turned):
    return x + turned(rng, x, angle) * rng.uniform(0.01, 2, (len(x), 1))


def worst_triples(step, aperture, angle, start, turned, rng):
    """Ξ − ψ at the parent of children of children, built so that each is in the cone of the one before."""
    child = step(rng, start, part_of(rng, aperture(start)), turned)
    grandchild = step(rng, child, part_of(rng, aperture(child)), turned)
    return angle(start, grandchild) - aperture(start)


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("K", CONSTANTS)
def test_a_childs_child_is_inside_the_parents_cone(shell, turned, K, d):
    rng = np.random.default_rng(30)
    low = cones.inner_radius(K)
    start = shell(rng, TRIPLES, d, low * (1 + 1e-6), (1 + low) / 2)
    excess = worst_triples(ball_step, lambda x: cones.half_aperture(x, K), cones.cone_angle, start, turned, rng)
    assert excess.max() < 1e-9


@pytest.mark.parametrize("K", [0.05, 0.3])
def test_an_aperture_with_growing_h_breaks_transitivity(shell, turned, K):
    def too_wide(x):
        # h(r) = K/√(1−r²) grows: the cones narrow, but not fast enough
        radius = np.linalg.norm(x, axis=-1)
        return np.arcsin(np.minimum(K * np.sqrt(1 - radius**2) / radius, 1))

    rng = np.random.default_rng(31)
    start = shell(rng, TRIPLES, 2, 0.5, 0.8)
    excess = worst_triples(ball_step, too_wide, cones.cone_angle, start, turned, rng)
    assert np.mean(excess > 1e-3) > 0.05


@pytest.mark.parametrize("K", CONSTANTS)
def test_in_euclidean_space_a_childs_child_is_inside_the_parents_cone(shell, turned, K):
    rng = np.random.default_rng(32)
    start = shell(rng, TRIPLES, 3, K * (1 + 1e-6), K + 2)
    excess = worst_triples(
        flat_step,
        lambda x: euclidean_cones.half_aperture(x, K),
        euclidean_cones.cone_angle,
        start,
        turned,
        rng,
    )
    assert excess.max() < 1e-9


@pytest.mark.parametrize(("power", "holds"), [(0.5, False), (1.0, True), (2.0, True)])
def test_in_euclidean_space_r_sin_psi_must_be_non_increasing(shell, turned, power, holds):
    # the paper prints "non-decreasing"; power < 1 is decreasing ψ with increasing r·sin ψ, and fails
    def aperture(x):
        return np.arcsin(np.minimum(0.3 * np.linalg.norm(x, axis=-1) ** -power, 1))

    rng = np.random.default_rng(33)
    start = shell(rng, TRIPLES, 2, 1, 2)
    excess = worst_triples(flat_step, aperture, euclidean_cones.cone_angle, start, turned, rng)
    assert (excess.max() < 1e-9) == holds
