"""S-cones: any cone of tangent vectors, carried into the ball."""

import numpy as np
import pytest

from hypercone.geometry import cones, manifold_cones, poincare


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("K", [0.05, 0.5])
def test_the_papers_cone_is_the_angular_cone_around_the_spoke(cone_pairs, d, K):
    parent, child = cone_pairs(np.random.default_rng(50), 20_000, d, K)
    tangent_cone = manifold_cones.angular_cone(parent, cones.half_aperture(parent, K))
    clear = np.abs(cones.signed_energy(parent, child, K)) > 1e-9
    same = manifold_cones.in_s_cone(parent, child, tangent_cone) == cones.contains(parent, child, K)
    assert np.all(same[clear])


def test_the_image_of_a_tangent_cone_is_the_s_cone(shell):
    rng = np.random.default_rng(51)
    x, vectors = shell(rng, 500, 3, 0.2, 0.9), rng.normal(size=(500, 3))
    tangent_cone = manifold_cones.angular_cone([1.0, 0.0, 0.0], 1.0)
    points = manifold_cones.s_cone(x, vectors / poincare.conformal_factor(x)[:, None])
    assert np.array_equal(manifold_cones.in_s_cone(x, points, tangent_cone), tangent_cone(vectors))


def test_an_angular_cone_up_to_a_right_angle_is_convex():
    rng = np.random.default_rng(52)
    inside = manifold_cones.angular_cone(np.array([1.0, 2.0, -1.0]), 0.8)
    vectors = rng.normal(size=(20_000, 3))
    vectors = vectors[inside(vectors)]
    half = len(vectors) // 2
    weights = rng.uniform(0, 1, (2, half, 1))
    assert half > 500
    assert np.all(inside(weights[0] * vectors[:half] + weights[1] * vectors[half : 2 * half]))


def test_a_cone_that_is_not_circular_works_as_well(shell):
    # an orthant of the tangent space, as in order embeddings
    x = shell(np.random.default_rng(53), 100, 2, 0.2, 0.8)
    ahead = poincare.exp_map(x, np.array([0.1, 0.2]))
    behind = poincare.exp_map(x, np.array([-0.1, 0.2]))

    def orthant(v):
        return np.all(v >= 0, axis=-1)

    assert np.all(manifold_cones.in_s_cone(x, ahead, orthant))
    assert not manifold_cones.in_s_cone(x, behind, orthant).any()


def test_the_apex_is_in_every_angular_cone():
    x = np.array([0.3, -0.4])
    assert manifold_cones.in_s_cone(x, x, manifold_cones.angular_cone(x, 0.1))
